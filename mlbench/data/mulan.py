"""Mulan's form of a data set: ARFF files, and an XML file that names the labels."""

from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from xml.etree.ElementTree import ParseError

from defusedxml import DefusedXmlException
from defusedxml.ElementTree import fromstring

from mlbench.data.arff import Arff, read_arff
from mlbench.data.arff_header import Attribute
from mlbench.data.columns import split_columns
from mlbench.data.compressed import read_bytes
from mlbench.data.dataset import Dataset
from mlbench.data.text import hint, number, short
from mlbench.errors import DataError

MOST_XML = 2**24  # bytes: the tree of elements takes thirty times that


def read_mulan(arff_paths: list[Path], xml_path: Path, name: str) -> Dataset:
    """Read ARFF files with the same attributes; the labels are those the XML names.

    Several files are stacked in the given order, the first being the training samples.
    Labels keep the order of the XML, features that of the ARFF.
    """
    labels = read_labels(xml_path)
    parts = [read_arff(path) for path in arff_paths]
    for path, part in zip(arff_paths, parts, strict=True):
        _check_same_attributes(part, parts[0], path, arff_paths[0])
    attributes = parts[0].attributes
    names = [attribute.name for attribute in attributes]
    where = _label_columns(labels, names, xml_path, arff_paths[0])
    check_declarations((attributes[column] for column in where), arff_paths[0])
    return split_columns(
        [part.matrix for part in parts], names, where, arff_paths, name
    )


def read_labels(path: Path) -> list[str]:
    """Names of the labels in Mulan's XML; a label may hold others, they count too."""
    root = _read_xml(path)
    # Mulan's elements have a namespace, "{http://...}label"; some files leave it out.
    elements = [item for item in root.iter() if item.tag.rpartition("}")[2] == "label"]
    names = [element.get("name") for element in elements]
    labels = [label for label in names if label]
    if not labels or len(labels) < len(names):
        raise DataError(
            f"{path}: no label, or one without a name, "
            'the form is: <labels><label name="..."></label></labels>'
        )
    repeated, times = Counter(labels).most_common(1)[0]
    if times > 1:
        raise DataError(f"{path}: label {short(repeated)} is named {times} times")
    return labels


def check_declarations(labels: Iterable[Attribute], arff: Path) -> None:
    """Refuse ``{no, yes}``: it would read as 0 and 1, but so would ``{yes, no}``."""
    for label in labels:
        if any(number(category) is None for category in label.categories):
            raise DataError(
                f"{arff}: label {short(label.name)} has the categories "
                f"{short(', '.join(label.categories))}, a label is 0 or 1"
            )


def _read_xml(path: Path):
    """Root element of an XML file that declares no document type and no entity."""
    raw = read_bytes(path)
    if len(raw) > MOST_XML:
        raise DataError(f"{path}: is too large, at most {MOST_XML} bytes are read")
    try:
        return fromstring(raw, forbid_dtd=True)
    except DefusedXmlException as exc:
        raise DataError(
            f"{path}: declares a document type or an entity, plain XML is needed"
        ) from exc
    except (ParseError, ValueError, LookupError) as exc:  # the last two: encodings
        raise DataError(f"{path}: is not well-formed XML ({exc})") from exc


def _check_same_attributes(
    part: Arff, first: Arff, path: Path, first_path: Path
) -> None:
    if part.attributes != first.attributes:
        raise DataError(
            f"{path}: its attributes are not those of {first_path}, files of one data "
            "set declare the same attributes in the same order"
        )


def _label_columns(
    labels: list[str], names: list[str], xml: Path, arff: Path
) -> list[int]:
    """Column of each label in the ARFF file."""
    columns = dict(zip(names, range(len(names)), strict=True))
    times = Counter(names if len(columns) < len(names) else ())
    for label in labels:
        if label not in columns:
            raise DataError(
                f"{xml}: label {short(label)} is not an attribute of {arff}"
                f"{hint(label, columns)}"
            )
        if times[label] > 1:
            raise DataError(f"{arff}: label {short(label)} is declared more than once")
    return [columns[label] for label in labels]
