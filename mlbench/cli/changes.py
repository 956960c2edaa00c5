"""Options that change a config for one run: its data, columns, settings."""

from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from tempfile import TemporaryDirectory

import click

from mlbench.cli.completion import complete_dataset
from mlbench.cli.data import labels_option, parse_labels
from mlbench.errors import MlbenchError


def changes_options(command):
    """Give a command the options, and what they ask for as ``changes``."""

    @wraps(command)
    def with_changes(
        *arguments, datasets, labels, reducers, classifiers, overrides, **kw
    ):
        from mlbench.config.derive import Changes

        if labels is not None and not datasets:
            raise click.UsageError("--labels goes with --dataset FILE")
        changes = Changes(
            datasets=tuple(_source(each, labels) for each in datasets),
            reducers=reducers,
            classifiers=classifiers,
            overrides=overrides,
        )
        return command(*arguments, changes=changes, **kw)

    for option in (
        click.option(
            "-o",
            "--override",
            "overrides",
            multiple=True,
            metavar="KEY=VALUE",
            help="Another value in CONFIG: classifier.k=8, methods.MDDM.kernel=rbf, "
            "dims=0.1:0.5; can be given again.",
        ),
        click.option(
            "--classifier",
            "classifiers",
            multiple=True,
            metavar="[NAME=]METHOD",
            help="A column more: a classifier, as in a config or MODULE:CLASS.",
        ),
        click.option(
            "--reducer",
            "reducers",
            multiple=True,
            metavar="[NAME=]METHOD",
            help="A column more: a reducer, as in a config or MODULE:CLASS.",
        ),
        labels_option,
        click.option(
            "--dataset",
            "datasets",
            multiple=True,
            metavar="NAME|FILE",
            shell_complete=complete_dataset,
            help="Instead of CONFIG's data sets; can be given again.",
        ),
    ):
        with_changes = option(with_changes)
    return with_changes


def _source(given: str, labels: str | None):
    """A data set as a config names it."""
    from mlbench.data.compressed import plain_name
    from mlbench.data.own import looks_like_path

    if not looks_like_path(given):
        return given
    about = {"name": plain_name(Path(given)).stem, "path": str(Path(given).absolute())}
    return about | ({} if labels is None else {"labels": parse_labels(labels)})


@contextmanager
def changed_config(config: str, changes, results: Path, keep: bool):
    """CONFIG, or with changes a file of its own, kept where its records will be.

    Only to look at, it is not kept.
    """
    from mlbench.config import find_config
    from mlbench.config.derive import derived
    from mlbench.store import place_config, withdraw_config

    if not changes:
        yield config
        return
    with TemporaryDirectory() as passing:
        folder = results if keep else Path(passing)
        name, text = derived(find_config(config, results), changes, folder)
        new = not (folder / name).exists()
        try:
            yield str(place_config(text, folder / name))
        except MlbenchError:
            if new:
                withdraw_config(folder / name)
            raise
