"""Commands that look after records."""

from pathlib import Path

import click

from mlbench.cli.main import main
from mlbench.cli.options import data_option, results_option


@main.group()
def results():
    """Look after the records of earlier runs."""


@results.command("list")
@results_option
def results_list(results):
    """What is recorded under a results folder.

    \b
    Example:
        mlbench results list
    """
    from mlbench.housekeeping import overview, stores

    for store in stores(results):
        click.echo(overview(store))


@results.command("show")
@click.argument("key")
@results_option
def results_show(key, results):
    """One record in full; KEY is the beginning of its key.

    \b
    Example:
        mlbench results show 1f3a
    """
    import json

    from mlbench.housekeeping import find

    click.echo(json.dumps(find(results, key), indent=1))


@results.command("merge")
@click.argument("source", type=click.Path(exists=True, file_okay=False, path_type=Path))
@results_option
def results_merge(source, results):
    """Take over the records under SOURCE, say from another machine.

    \b
    Example:
        mlbench results merge ../from-the-cluster/results
    """
    from mlbench.housekeeping import merge

    for name, count in merge(source, results).items():
        click.echo(f"{name}: {count} records taken over")


@results.command("prune")
@click.argument("configs", metavar="CONFIG...", nargs=-1, required=True)
@results_option
@data_option
@click.option("--dry-run", is_flag=True, help="Count, remove nothing.")
def results_prune(configs, results, data_dir, dry_run):
    """Remove the records that CONFIG no longer refers to.

    Several configs of one name, as after a sweep, keep what any of them refers to.

    \b
    Example:
        mlbench results prune quickstart --dry-run
    """
    from mlbench.config import find_config, load_experiment
    from mlbench.data.locate import data_dir as choose_folder
    from mlbench.housekeeping import drop, superfluous

    experiments = [load_experiment(find_config(name)) for name in configs]
    for store, keys in superfluous(experiments, results, choose_folder(data_dir)):
        if not dry_run:
            drop(store, keys)
        verb = "would be removed" if dry_run else "removed"
        click.echo(f"{store.folder.name}: {len(keys)} records {verb}")


@results.command("pack")
@click.argument("names", metavar="NAME...", nargs=-1, required=True)
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
