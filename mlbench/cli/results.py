"""Commands that look after records."""

from pathlib import Path

import click

from mlbench.cli.completion import complete_config, complete_experiment
from mlbench.cli.main import main
from mlbench.cli.options import data_option, results_option
from mlbench.cli.output import json_option, print_json


@main.group()
def results():
    """Look after the records of earlier runs."""


@results.command("list")
@results_option
@json_option
def results_list(results, as_json):
    """What is recorded under a results folder.

    \b
    Example:
        mlbench results list
    """
    from mlbench.housekeeping import overview, stores

    found = [overview(store) for store in stores(results)]
    if as_json:
        print_json([each.data for each in found])
        return
    for each in found:
        click.echo(each.text)


@results.command("show")
@click.argument("key")
@results_option
def results_show(key, results):
    """One record in full, as JSON; KEY is the beginning of its key.

    \b
    Example:
        mlbench results show 1f3a
    """
    from mlbench.housekeeping import find

    print_json(find(results, key))


@results.command("merge")
@click.argument("source", type=click.Path(exists=True, file_okay=False, path_type=Path))
@results_option
@json_option
def results_merge(source, results, as_json):
    """Take over the records under SOURCE, say from another machine.

    \b
    Example:
        mlbench results merge ../from-the-cluster/results
    """
    from mlbench.housekeeping import merge

    taken = merge(source, results)
    if as_json:
        print_json([{"experiment": name, "records": n} for name, n in taken.items()])
        return
    for name, count in taken.items():
        click.echo(f"{name}: {count} records taken over")


@results.command("prune")
@click.argument(
    "configs",
    metavar="CONFIG...",
    nargs=-1,
    required=True,
    shell_complete=complete_config,
)
@results_option
@data_option
@click.option("--dry-run", is_flag=True, help="Count, remove nothing.")
@json_option
def results_prune(configs, results, data_dir, dry_run, as_json):
    """Remove the records that CONFIG no longer refers to.

    Several configs of one name, as after a sweep, keep what any of them refers to.

    \b
    Example:
        mlbench results prune quickstart --dry-run
    """
    from mlbench.config import find_config, load_experiment
    from mlbench.data.locate import data_dir as choose_folder
    from mlbench.housekeeping import drop, superfluous

    experiments = [load_experiment(find_config(name, results)) for name in configs]
    found = superfluous(experiments, results, choose_folder(data_dir))
    if not dry_run:
        for store, keys in found:
            drop(store, keys)
    counts = [(store.folder.name, len(keys)) for store, keys in found]
    if as_json:
        named = [{"experiment": name, "records": count} for name, count in counts]
        print_json([each | {"removed": not dry_run} for each in named])
        return
    verb = "would be removed" if dry_run else "removed"
    for name, count in counts:
        click.echo(f"{name}: {count} records {verb}")


@results.command("pack")
@click.argument(
    "names",
    metavar="NAME...",
    nargs=-1,
    required=True,
    shell_complete=complete_experiment,
)
@results_option
def results_pack(names, results):
    """Compress the records of the experiments NAME.

    \b
    Example:
        mlbench results pack yahoo_mddm_dims
    """
    from mlbench.errors import ResultsError, unknown
    from mlbench.housekeeping import pack, stores

    known = {store.folder.name: store for store in stores(results)}
    for name in names:
        if name not in known:
            raise ResultsError(unknown("experiment", name, known))
        pack(known[name])
