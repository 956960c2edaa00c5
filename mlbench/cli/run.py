"""Commands that compute: run, sweep, plan, reproduce, features."""

import sys

import click

from mlbench.cli.changes import changed_config, changes_options
from mlbench.cli.completion import complete_config
from mlbench.cli.execute import run_experiment, show_plans
from mlbench.cli.main import FAILED, main
from mlbench.cli.options import (
    config_argument,
    data_option,
    results_option,
    run_options,
)
from mlbench.cli.output import json_option, print_json


@main.command()
@config_argument
@changes_options
@run_options
@json_option
def run(config, changes, as_json, **options):
    """Run the trials of CONFIG that have no record yet.

    Whatever is changed here makes an experiment of its own, in a folder named after
    the changes: mlbench report FOLDER.

    \b
    Example:
        mlbench run configs/yahoo_mddm.yaml --data-dir data -j 2
        mlbench run quickstart --dataset mine.csv --labels -3
        mlbench run quickstart --reducer mymodule:MyReducer
        mlbench run quickstart -o classifier.k=8 -o dims=0.1:0.5
    """
    _run(config, changes, as_json, **options)


@main.command()
@click.argument(
    "config",
    metavar="[CONFIG]",
    default="yahoo_mnmtf",
    shell_complete=complete_config,
)
@click.option(
    "--dims",
    required=True,
    help="0.1:0.8, 0.02:1:0.02 (fractions), 10:50:10 or 5,10,20 (counts).",
)
@changes_options
@run_options
@json_option
def sweep(config, dims, changes, as_json, **options):
    """Run CONFIG over other dimensions than its own.

    \b
    Example:
        mlbench sweep quickstart --dims 0.1:0.8
    """
    _run(config, changes, as_json, dims=dims, **options)


def _run(config, changes, as_json, results, dry_run, dims=None, **options):
    from mlbench.config import find_config, load_experiment

    overrides = {} if dims is None else {"dims": dims}
    with changed_config(config, changes, results, keep=not dry_run) as asked:
        path = find_config(asked, results)
        experiment = load_experiment(path, **overrides)
        if dry_run:
            show_plans([experiment], results, as_json=as_json, **options)
            return
        summary = run_experiment(experiment, path, results, **options)
    if as_json:
        print_json({"experiment": experiment.name} | vars(summary))
    else:
        click.echo(
            f"{experiment.name}: {summary.done} records computed, {summary.cached} "
            f"already there, {summary.failed} failed. Next: "
            f"{_next(experiment.name if changes else config, results)}"
        )
    if summary.failed:
        sys.exit(FAILED)


def _next(config, results):
    """The command that shows what was computed."""
    elsewhere = "" if str(results) == "results" else f" --results {results}"
    return f"mlbench report {config}{elsewhere}"


@main.command()
@config_argument
@changes_options
@results_option
@data_option
@click.option("--why", is_flag=True, help="Say of each trial why it would run.")
@json_option
def plan(config, changes, results, **options):
    """What a run of CONFIG would do: trials, records, time, memory.

    \b
    Example:
        mlbench plan yahoo_mddm
        mlbench plan yahoo_mddm --why
    """
    from mlbench.config import find_config, load_experiment

    with changed_config(config, changes, results, keep=False) as asked:
        show_plans([load_experiment(find_config(asked, results))], results, **options)


@main.command()
@click.argument("paper")
@run_options
@json_option
def reproduce(paper, results, as_json, dry_run, **options):
    """Run what is missing of a paper's tables, and print the verdict.

    PAPER is mnmtf, mddm, ommf, snmf, nmfsvm, or all. Data sets that are not here are
    named and left out.

    \b
    Example:
        mlbench reproduce mddm
    """
    from mlbench.config import load_experiment
    from mlbench.config.papers import configs_of
    from mlbench.report.build import build
    from mlbench.report.write import write

    experiments = [(load_experiment(path), path) for path in configs_of(paper)]
    if dry_run or not as_json:
        only = [experiment for experiment, _ in experiments]
        show_plans(only, results, as_json=as_json, **options)
    if dry_run:
        return
    options |= {"skip_missing": True}
    failed = sum(
        run_experiment(experiment, path, results, **options).failed
        for experiment, path in experiments
    )
    reports = [build(experiment, results) for experiment, _ in experiments]
    for made in reports:
        write(made, results / made.experiment.name)
        if not as_json:
            click.echo(made.against_text)
    if as_json:
        print_json([made.data for made in reports])
    if failed:
        sys.exit(FAILED)


@main.command()
@config_argument
@click.option("--top", type=click.IntRange(1, 50), default=20, show_default=True)
@run_options
@json_option
def features(config, top, as_json, results, dry_run, **options):
    """Rank the features of CONFIG's data sets, beside the Fisher score.

    The methods are those of CONFIG that rank features (snmf, fisher), else snmf.

    \b
    Example:
        mlbench features simulated_snmf --top 6
    """
    from mlbench.config import find_config, load_experiment
    from mlbench.config.study import feature_study
    from mlbench.report import markdown
    from mlbench.report.features import ranking_tables, studies
    from mlbench.store import Store

    path = find_config(config, results)
    experiment = load_experiment(path)
    study = feature_study(experiment)
    if study is not experiment:
        results = results / experiment.name
    if dry_run:
        show_plans([study], results, as_json=as_json, **options)
        return
    run_experiment(study, path, results, **options)
    records = list(Store(results / study.name).records().values())
    if as_json:
        found = [
            {"dataset": r["dataset"], "method": r["method"]} | r["features"]
            for r in studies(study, records)
        ]
        print_json(found)
        return
    for made in ranking_tables(study, records, top):
        click.echo(markdown.table(made) + "\n")
