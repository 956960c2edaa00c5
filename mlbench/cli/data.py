"""Commands about data sets."""

from pathlib import Path

import click

from mlbench.cli.completion import (
    complete_catalogued,
    complete_config,
    complete_dataset,
    complete_group,
)
from mlbench.cli.main import main
from mlbench.cli.options import data_option
from mlbench.cli.output import json_option, print_json
from mlbench.errors import DataError, MlbenchError


@main.group()
def data():
    """Look at the data sets mlbench knows."""


@data.command("list")
@data_option
@json_option
def data_list(data_dir, as_json):
    """Every data set of the catalogue, its sizes, and whether it is here.

    \b
    Example:
        mlbench data list --data-dir data
    """
    from mlbench.data.catalogue import catalogue

    folder = _folder(data_dir)
    found = [_about(entry, folder) for entry in catalogue().values()]
    if as_json:
        print_json(found)
        return
    for each in found:
        sizes = f"{each['instances']:>6} x {each['features']:>6} x {each['labels']:>4}"
        here = "yes" if each["here"] else "no"
        click.echo(f"{each['name']:26} {sizes}   here: {here}")


def _about(entry, folder):
    """What the catalogue says of a data set, and whether its files are here."""
    from mlbench.data.locate import missing_files

    return {
        "name": entry.name,
        "instances": entry.instances,
        "features": entry.features,
        "labels": entry.labels,
        "cardinality": entry.cardinality,
        "format": entry.format,
        "bytes": sum(file.bytes for file in entry.files),
        "here": not missing_files(entry, folder),
    }


def _folder(data_dir):
    from mlbench.data.locate import data_dir as choose_folder

    return choose_folder(data_dir)


def _load(name, labels, data_dir):
    """A data set by its name, or by the path of its file."""
    from mlbench.data.own import looks_like_path, read_own
    from mlbench.data.sources import EMBEDDED, load
    from mlbench.data.verify import other_editions

    if looks_like_path(name):
        return read_own(name, parse_labels(labels))
    folder = _folder(data_dir)
    if name not in EMBEDDED:
        for notice in other_editions(name, folder):
            click.echo(f"notice: {notice}", err=True)
    return load(name, EMBEDDED.get(name), folder)


labels_option = click.option(
    "--labels",
    metavar="LABELS",
    help="Of a file: names with commas, a prefix, the number of label columns "
    "(negative: the last ones), or an XML file.",
)


def parse_labels(given):
    """What --labels says: a number, several names, or a word."""
    if given is None:
        return None
    if given.lstrip("-").isdigit():
        return int(given)
    return given.split(",") if "," in given else given


@data.command("get")
@click.argument(
    "names",
    metavar="NAME...",
    nargs=-1,
    required=True,
    shell_complete=complete_group,
)
@data_option
@click.option("--overwrite", is_flag=True, help="Replace files of another edition too.")
@json_option
def data_get(names, data_dir, overwrite, as_json):
    """Download data sets: NAME, or all, yahoo, lamda, mulan, keel.

    \b
    Example:
        mlbench data get emotions scene --data-dir data
        mlbench data get yahoo
    """
    from mlbench.data.catalogue import named_or_grouped

    chosen = named_or_grouped(names)
    if data_dir is not None:
        _make(data_dir)
    folder = _folder(data_dir)
    fetched = _fetch(chosen, folder, overwrite)
    if as_json:
        print_json({"folder": str(folder), "fetched": list(map(str, fetched))})
    else:
        _say_fetched(fetched)


def _make(folder):
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as exc:
        raise DataError(f"{folder}: cannot be made ({exc.strerror})") from exc


def fetch_shown(names, folder):
    """Download the files of some data sets on the way to something else."""
    _say_fetched(_fetch(names, folder), err=True)


def _fetch(names, folder, overwrite=False):
    """Download the files of some data sets, with a bar."""
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TransferSpeedColumn

    from mlbench.data.fetch import get

    columns = (BarColumn(), DownloadColumn(), TransferSpeedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=None)

        def show(here, total):
            bar.update(task, completed=here, total=total)

        return get(names, folder, show, overwrite=overwrite)


def _say_fetched(paths, err=False):
    for path in paths:
        click.echo(f"fetched {path}", err=err)
    if not paths:
        click.echo("nothing to fetch: all files are there", err=err)


@data.command("verify")
@click.argument("names", metavar="[NAME]...", nargs=-1, shell_complete=complete_group)
@data_option
@json_option
def data_verify(names, data_dir, as_json):
    """Check files and parsed values against the catalogue (no NAME: all that is here).

    \b
    Example:
        mlbench data verify scene --data-dir data
    """
    from dataclasses import asdict

    from mlbench.data.catalogue import catalogue, named_or_grouped
    from mlbench.data.locate import missing_files
    from mlbench.data.verify import verify

    folder = _folder(data_dir)
    chosen = named_or_grouped(names) or [
        entry.name for entry in catalogue().values() if not missing_files(entry, folder)
    ]
    found = []
    for name in chosen:
        for finding in verify(name, folder):
            found.append(finding)
            if not as_json:
                click.echo(finding.text)
    if as_json:
        print_json([asdict(finding) for finding in found])
    if wrong := sum(not finding.ok for finding in found):
        raise MlbenchError(f"{wrong} of the findings above are not as they should be")


@data.command("info")
@click.argument("name", shell_complete=complete_dataset)
@labels_option
@data_option
@json_option
@click.option("--bibtex", is_flag=True, help="Print what to cite instead.")
def data_info(name, labels, data_dir, as_json, bibtex):
    """Sizes and statistics of the data set NAME (or of a file), and what to cite.

    \b
    Example:
        mlbench data info emotions --data-dir data
        mlbench data info mine.csv --labels -3
    """
    from mlbench.data.citations import citations
    from mlbench.data.statistics import measure

    if bibtex:
        click.echo("\n\n".join(citations(name)))
        return
    found = measure(_load(name, labels, data_dir))
    if as_json:
        print_json(found.data)
    else:
        click.echo("\n".join(found.lines))


@data.command("export")
@click.argument("name", shell_complete=complete_dataset)
@labels_option
@data_option
@click.option(
    "--to",
    "kind",
    required=True,
    type=click.Choice(["arff", "csv", "npz", "svmlight"]),
    help="Form of the file.",
)
@click.option("--out", type=click.Path(path_type=Path), help="[default: NAME.KIND]")
def data_export(name, labels, data_dir, kind, out):
    """Write the data set NAME (or a file) in another form.

    \b
    Example:
        mlbench data export emotions --to csv
    """
    from mlbench.data.export import export

    dataset = _load(name, labels, data_dir)
    for path in export(dataset, out or Path(f"{dataset.name}.{kind}"), kind):
        click.echo(f"wrote {path}")


@data.command("splits")
@click.argument("config", metavar="CONFIG", shell_complete=complete_config)
@click.argument("name", shell_complete=complete_catalogued)
@data_option
@click.option(
    "--out", type=click.Path(path_type=Path), help="[default: NAME.splits.json]"
)
def data_splits(config, name, data_dir, out):
    """Write the splits that CONFIG makes of the data set NAME, with a checksum.

    A config takes them with split: {kind: import, path: NAME.splits.json}.

    \b
    Example:
        mlbench data splits yahoo_mnmtf yahoo-arts
    """
    from mlbench.config import find_config, load_experiment
    from mlbench.data.split_files import write_splits
    from mlbench.grid import splits_of

    experiment = load_experiment(find_config(config))
    known, parts = splits_of(experiment, name, _folder(data_dir))
    path = out or Path(f"{name}.splits.json")
    write_splits(path, known, parts)
    click.echo(f"wrote {path}")


@data.command("path")
@click.argument("name", required=False, shell_complete=complete_catalogued)
@data_option
@json_option
def data_path(name, data_dir, as_json):
    """The data directory, or the files of the data set NAME.

    \b
    Example:
        mlbench data path yahoo-arts
    """
    from mlbench.data.catalogue import entry_named
    from mlbench.data.locate import find_files

    folder = _folder(data_dir)
    files = find_files(entry_named(name), folder) if name else []
    if as_json:
        print_json({"folder": str(folder), "files": list(map(str, files))})
    else:
        click.echo("\n".join(map(str, files or [folder])))
