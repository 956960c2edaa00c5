"""What a shell can complete: names of configs, data sets, metrics and experiments.

A shell asks at every press of a key, so nothing heavy is imported here: names come
from folders and from the catalogue, never from a config that is read and checked.
"""

from importlib import resources
from pathlib import Path

import click
from click.shell_completion import CompletionItem, get_completion_class

from mlbench.cli.main import main

VARIABLE = "_MLBENCH_COMPLETE"  # what the script of a shell asks us by


def complete_config(context, parameter, incomplete):
    """Configs that come with mlbench, or files."""
    package = Path(str(resources.files("mlbench"))).resolve()
    # In a checkout they stand beside the package, in a wheel inside it.
    folders = (package.parent / "configs", package / "configs")
    names = [path.stem for folder in folders for path in folder.glob("*.yaml")]
    return _or_files(sorted(names), incomplete)


def complete_dataset(context, parameter, incomplete):
    """Data sets that have a name, or files."""
    from mlbench.data.catalogue import catalogue
    from mlbench.data.sources import EMBEDDED

    return _or_files([*catalogue(), *EMBEDDED], incomplete)


def complete_catalogued(context, parameter, incomplete):
    """Data sets of the catalogue."""
    from mlbench.data.catalogue import catalogue

    return _beginning(incomplete, catalogue())


def complete_group(context, parameter, incomplete):
    """Data sets of the catalogue, and the words for several of them."""
    from mlbench.data.catalogue import ALL, catalogue

    files = [entry.files[0].path for entry in catalogue().values()]
    groups = dict.fromkeys(path.partition("/")[0] for path in files)
    return _beginning(incomplete, [ALL, *groups, *catalogue()])


def complete_metric(context, parameter, incomplete):
    """Metrics."""
    from mlbench.metrics import METRICS

    return _beginning(incomplete, METRICS)


def complete_experiment(context, parameter, incomplete):
    """Experiments that have records under the results folder."""
    results = Path(context.params.get("results") or "results")
    found = {path.parent.name for path in results.glob("*/records.jsonl*")}
    return _beginning(incomplete, sorted(found))


def _beginning(incomplete, names):
    return [name for name in names if name.startswith(incomplete)]


def _or_files(names, incomplete):
    """Names that fit; the first item lets the shell look for files as well."""
    files = CompletionItem(incomplete, type="file")
    return [files, *map(CompletionItem, _beginning(incomplete, names))]


@main.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell):
    """Print the script that lets a shell complete mlbench's commands and names.

    \b
    Example:
        eval "$(mlbench completion bash)"    # now, or in ~/.bashrc for ever
        eval "$(mlbench completion zsh)"     # in ~/.zshrc
        mlbench completion fish > ~/.config/fish/completions/mlbench.fish
    """
    script = get_completion_class(shell)(main, {}, "mlbench", VARIABLE)
    click.echo(script.source())
