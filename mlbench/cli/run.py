"""Commands that compute: run, sweep, plan, reproduce, features."""

import sys
from pathlib import Path

import click

from mlbench.cli.data import fetch_shown, labels_option, parse_labels
from mlbench.cli.main import FAILED, main
from mlbench.cli.options import (
    config_argument,
    data_option,
    results_option,
    run_options,
)


@main.command()
@config_argument
@click.option(
    "--dataset",
    "datasets",
    multiple=True,
    metavar="NAME|FILE",
    help="Instead of CONFIG's data sets; can be given again.",
)
@labels_option
@run_options
def run(config, datasets, labels, **options):
    """Run the trials of CONFIG that have no record yet.

    \b
    Example:
        mlbench run configs/yahoo_mddm.yaml --data-dir data -j 2
        mlbench run quickstart --dataset mine.csv --labels -3
    """
    if datasets:
        config = _with_datasets(config, datasets, labels, options["results"])
    _run(config, {}, **options)


def _with_datasets(config, datasets, labels, results):
    """CONFIG with other data sets, as a file where its records will be."""
    from os.path import relpath

    from mlbench.config import find_config
    from mlbench.config.derive import with_datasets
    from mlbench.data.compressed import plain_name
    from mlbench.data.own import looks_like_path
    from mlbench.store import place_config

    given: list = []
    for each in datasets:
        if looks_like_path(each):
            about = {"name": plain_name(Path(each)).stem, "path": each}
            more = {} if labels is None else {"labels": parse_labels(labels)}
            given.append(about | more)
        else:
            given.append(each)
    name, _ = with_datasets(find_config(config), given)
    for about in given:  # seen from there
        if isinstance(about, dict):
            about["path"] = relpath(about["path"], results / name)
    _, text = with_datasets(find_config(config), given)
    return place_config(text, results / name)


@main.command()
@click.argument("config", metavar="[CONFIG]", default="yahoo_mnmtf")
@click.option(
    "--dims",
    required=True,
    help="0.1:0.8, 0.02:1:0.02 (fractions), 10:50:10 or 5,10,20 (counts).",
)
@run_options
def sweep(config, dims, **options):
    """Run CONFIG over other dimensions than its own.

    \b
    Example:
        mlbench sweep quickstart --dims 0.1:0.8
    """
    _run(config, {"dims": dims}, **options)


def _run(config, overrides, **options):
    from mlbench.config import find_config, load_experiment

    path = find_config(config)
    experiment = load_experiment(path, **overrides)
    summary = _run_experiment(experiment, path, **options)
    if summary is None:
        return
    click.echo(
        f"{experiment.name}: {summary.done} records computed, {summary.cached} already "
        f"there, {summary.failed} failed. Next: mlbench report {config}"
    )
    if summary.failed:
        sys.exit(FAILED)


def _run_experiment(
    experiment,
    path,
    results,
    data_dir,
    dry_run,
    skip_missing,
    download,
    quiet,
    retry,
    **limits,
):
    """Run what is missing and say what went wrong; None when only the plan is asked."""
    from mlbench.config import config_names
    from mlbench.data.locate import data_dir as choose_folder
    from mlbench.progress import progress
    from mlbench.runner import Limits, available, plan, run
    from mlbench.store import keep_config

    if limits["scheduler"] and limits["backend"] != "dask":
        raise click.UsageError("--scheduler goes with --backend dask")
    folder = choose_folder(data_dir)
    if dry_run:
        _show_plan(experiment, results, folder, retry=retry)
        return None
    _fetch_absent(experiment, folder, download)
    experiment, left_out = available(experiment, folder, skip_missing)
    for line in left_out:
        click.echo(f"left out: {line}", err=True)
    work = plan(experiment, results, folder, retry_failed=retry is not None)
    if work.pending and path.resolve() not in config_names().values():
        keep_config(path, work.store.folder)
    with progress(quiet) as shown:
        summary = run(work, Limits(**limits), shown)
    for notice in work.store.notices:
        click.echo(f"notice: {notice}", err=True)
    for reason in summary.reasons:
        click.echo(f"failed: {reason}", err=True)
    return summary


@main.command()
@config_argument
@results_option
@data_option
@click.option("--why", is_flag=True, help="Say of each trial why it would run.")
def plan(config, results, data_dir, why):
    """What a run of CONFIG would do: trials, records, time, memory.

    \b
    Example:
        mlbench plan yahoo_mddm
        mlbench plan yahoo_mddm --why
    """
    from mlbench.config import find_config, load_experiment
    from mlbench.data.locate import data_dir as choose_folder

    experiment = load_experiment(find_config(config))
    _show_plan(experiment, results, choose_folder(data_dir), why)


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


def _show_plan(experiment, results, folder, why=False, retry=None):
    from mlbench.runner import available, describe_plan, plan, reasons

    experiment, missing = available(experiment, folder, skip_missing=True)
    work = plan(experiment, results, folder, retry_failed=retry is not None)
    for line in [*describe_plan(work), *(f"missing: {text}" for text in missing)]:
        click.echo(line)
    if why:
        for label, causes in reasons(work).items():
            click.echo(f"{label}: {'; '.join(causes)}")


@main.command()
@click.argument("paper")
@run_options
def reproduce(paper, results, data_dir, **options):
    """Run what is missing of a paper's tables, and print the verdict.

    PAPER is mnmtf, mddm, ommf, snmf, nmfsvm, or all. Data sets that are not here are
    named and left out.

    \b
    Example:
        mlbench reproduce mddm
    """
    from mlbench.config import load_experiment
    from mlbench.config.papers import configs_of
    from mlbench.data.locate import data_dir as choose_folder
    from mlbench.report.build import build
    from mlbench.report.write import write

    experiments = [(load_experiment(path), path) for path in configs_of(paper)]
    for experiment, _ in experiments:
        _show_plan(experiment, results, choose_folder(data_dir), retry=options["retry"])
    if options["dry_run"]:
        return
    failed = 0
    for experiment, path in experiments:
        summary = _run_experiment(
            experiment,
            path,
            results=results,
            data_dir=data_dir,
            **options | {"skip_missing": True},
        )
        failed += summary.failed
    for experiment, _ in experiments:
        made = build(experiment, results)
        write(made, results / experiment.name)
        click.echo(made.against_text)
    if failed:
        sys.exit(FAILED)


@main.command()
@config_argument
@click.option("--top", type=click.IntRange(1, 50), default=20, show_default=True)
@click.option("--json", "as_json", is_flag=True, help="Print the rankings as JSON.")
@run_options
def features(config, top, as_json, results, data_dir, **options):
    """Rank the features of CONFIG's data sets, beside the Fisher score.

    The methods are those of CONFIG that rank features (snmf, fisher), else snmf.

    \b
    Example:
        mlbench features simulated_snmf --top 6
    """
    import json

    from mlbench.config import find_config, load_experiment
    from mlbench.config.study import feature_study
    from mlbench.report import markdown
    from mlbench.report.features import ranking_tables, studies
    from mlbench.store import Store

    path = find_config(config)
    experiment = load_experiment(path)
    study = feature_study(experiment)
    if study is not experiment:
        results = results / experiment.name
    _run_experiment(study, path, results=results, data_dir=data_dir, **options)
    if options["dry_run"]:
        return
    records = list(Store(results / study.name).records().values())
    if as_json:
        found = [
            {"dataset": r["dataset"], "method": r["method"]} | r["features"]
            for r in studies(study, records)
        ]
        click.echo(json.dumps(found, indent=1))
        return
    for made in ranking_tables(study, records, top):
        click.echo(markdown.table(made) + "\n")
