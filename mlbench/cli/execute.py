"""What the commands that compute share: fetch, plan, run, and say what happened."""

import sys

import click

from mlbench.cli.data import fetch_shown
from mlbench.cli.output import print_json
from mlbench.errors import MlbenchError


def run_experiment(
    experiment,
    path,
    results,
    data_dir,
    skip_missing,
    download,
    quiet,
    retry,
    **limits,
):
    """Run what is missing, say what went wrong, and return the summary."""
    from mlbench.config import config_names
    from mlbench.data.locate import data_dir as choose_folder
    from mlbench.progress import progress
    from mlbench.runner import Limits, available, plan, run
    from mlbench.store import keep_config, withdraw_config

    if limits["scheduler"] and limits["backend"] != "dask":
        raise click.UsageError("--scheduler goes with --backend dask")
    folder = choose_folder(data_dir)
    _fetch_absent(experiment, folder, download)
    experiment, left_out = available(experiment, folder, skip_missing)
    for line in left_out:
        click.echo(f"left out: {line}", err=True)
    work = plan(experiment, results, folder, retry_failed=retry is not None)
    own = path.resolve() not in config_names().values()
    kept = bool(work.pending) and own and keep_config(path, work.store.folder)
    try:
        with progress(quiet) as shown:
            summary = run(work, Limits(**limits), shown)
    except MlbenchError:
        if kept:
            withdraw_config(work.store.folder)
        raise
    for notice in work.store.notices:
        click.echo(f"notice: {notice}", err=True)
    for reason in summary.reasons:
        click.echo(f"failed: {reason}", err=True)
    return summary


def _fetch_absent(experiment, folder, download):
    """Download what is not here, if that was asked for or is agreed to."""
    from mlbench.data.catalogue import entry_named
    from mlbench.data.locate import missing_files

    names = [s.name for s in experiment.datasets if s.recipe is None]
    absent = [n for n in names if missing_files(entry_named(n), folder)]
    if not absent or download is False:
        return
    if download is None:
        if not sys.stdin.isatty():
            return
        size = sum(
            file.bytes for n in absent for file in missing_files(entry_named(n), folder)
        )
        listed = ", ".join(absent)
        question = f"{listed} not in {folder}; download {size / 1e6:.0f} MB?"
        if not click.confirm(question, err=True):
            return
    fetch_shown(absent, folder)


def show_plans(
    experiments, results, data_dir, retry=None, why=False, as_json=False, **_others
):
    """What runs of some experiments would do."""
    from mlbench.data.locate import data_dir as choose_folder
    from mlbench.runner import available, describe_plan, plan, plan_data, reasons

    folder, found = choose_folder(data_dir), []
    for experiment in experiments:
        here, missing = available(experiment, folder, skip_missing=True)
        work = plan(here, results, folder, retry_failed=retry is not None)
        causes = reasons(work) if why else {}
        found.append(plan_data(work) | {"missing": missing, "reasons": causes})
        if as_json:
            continue
        for line in [*describe_plan(work), *(f"missing: {text}" for text in missing)]:
            click.echo(line)
        for label, several in causes.items():
            click.echo(f"{label}: {'; '.join(several)}")
    if as_json:
        print_json(found)
