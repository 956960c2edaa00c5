"""Mulan's form of a data set: ARFF files, and an XML file that names the labels."""

import difflib
from collections import Counter
from pathlib import Path
from xml.etree.ElementTree import ParseError

import numpy as np
from defusedxml import DefusedXmlException
from defusedxml.ElementTree import fromstring
from scipy.sparse import csr_array, issparse, vstack

from mlbench.data.arff import Arff, Attribute, number, read_arff, short
from mlbench.data.dataset import Dataset
from mlbench.errors import DataError

MOST_CELLS = 2**30  # Y is dense: a small file of empty sparse rows must not fill memory


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
    where = _label_columns(labels, attributes, xml_path, arff_paths[0])
    rest = np.delete(np.arange(len(attributes)), where)
    if not len(rest):
        raise DataError(f"{arff_paths[0]}: every attribute is a label, none a feature")
    blocks = [
        _label_block(part.matrix[:, where], labels, path)
        for path, part in zip(arff_paths, parts, strict=True)
    ]
    return Dataset(
        name=name,
        X=_stack([part.matrix[:, rest] for part in parts]),
        Y=np.concatenate(blocks),
        feature_names=tuple(attributes[column].name for column in rest),
        label_names=tuple(labels),
        n_train=len(blocks[0]) if len(blocks) > 1 else None,
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


def _read_xml(path: Path):
    """Root element of an XML file that declares no document type and no entity."""
    try:
        return fromstring(path.read_bytes(), forbid_dtd=True)
    except OSError as exc:
        raise DataError(f"{path}: cannot be read ({exc.strerror})") from exc
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
    labels: list[str], attributes: tuple[Attribute, ...], xml: Path, arff: Path
) -> list[int]:
    """Column of each label in the ARFF file."""
    columns: dict[str, list[int]] = {}
    for column, attribute in enumerate(attributes):
        columns.setdefault(attribute.name, []).append(column)
    for label in labels:
        if label not in columns:
            close = difflib.get_close_matches(label, columns, n=1)
            hint = f", did you mean {short(close[0])}?" if close else ""
            raise DataError(
                f"{xml}: label {short(label)} is not an attribute of {arff}{hint}"
            )
        if len(columns[label]) > 1:
            raise DataError(f"{arff}: label {short(label)} is declared more than once")
        _check_declaration(attributes[columns[label][0]], arff)
    return [columns[label][0] for label in labels]


def _check_declaration(label: Attribute, arff: Path) -> None:
    """Refuse ``{no, yes}``: it would read as 0 and 1, but so would ``{yes, no}``."""
    if any(number(category) is None for category in label.categories):
        raise DataError(
            f"{arff}: label {short(label.name)} has the categories "
            f"{short(', '.join(label.categories))}, a label is 0 or 1"
        )


def _label_block(values, labels: list[str], path: Path) -> np.ndarray:
    """The label columns as a dense matrix of 0/1."""
    n, q = values.shape
    if n * q > MOST_CELLS:
        raise DataError(
            f"{path}: {n} samples with {q} labels, at most {MOST_CELLS} values are read"
        )
    entries = values.data if issparse(values) else values
    wrong = (entries != 0) & (entries != 1)
    if wrong.any():
        at = np.argwhere(wrong)[0]
        column = values.indices[at[0]] if issparse(values) else at[1]
        raise DataError(
            f"{path}: label {short(labels[column])} has the value "
            f"{entries[tuple(at)]:g}, a label is 0 or 1"
        )
    return (values.toarray() if issparse(values) else values).astype(np.uint8, "C")


def _stack(blocks: list) -> np.ndarray | csr_array:
    if any(issparse(block) for block in blocks):
        return csr_array(vstack([csr_array(block) for block in blocks], format="csr"))
    return np.ascontiguousarray(np.concatenate(blocks))
