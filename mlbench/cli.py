"""The ``mlbench`` command: read arguments, call the library, print.

The library is imported inside the commands, so that ``--help`` answers at once.
"""

import os
import sys
from pathlib import Path

import click

from mlbench.errors import MlbenchError

FAILED = 3  # exit code: the run ended, some trials failed
INTERRUPTED = 130  # exit code: Ctrl-C

config_argument = click.argument("config", metavar="CONFIG")
results_option = click.option(
    "--results",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("results"),
    show_default=True,
    help="Folder of the records and reports.",
)
data_option = click.option(
    "--data-dir",
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder of the data sets [default: $MLBENCH_DATA, else the user cache].",
)


def run_options(command):
    """Options of every command that runs trials."""
    for option in (
        click.option(
            "--backend",
            type=click.Choice(["local", "dask"]),
            default="local",
            show_default=True,
            help="Where the workers are.",
        ),
        click.option(
            "--scheduler",
            metavar="ADDRESS",
            help="Dask scheduler, as tcp://HOST:PORT [default: start a local one].",
        ),
        click.option("--dry-run", is_flag=True, help="Show the plan, run nothing."),
        click.option("-q", "--quiet", is_flag=True, help="Show no progress."),
        click.option(
            "--retry",
            type=click.Choice(["failed"]),
            help="Run the trials again that failed before.",
        ),
        click.option("--fail-fast", is_flag=True, help="Stop at the first failure."),
        click.option(
            "--timeout",
            type=click.FloatRange(min=0, min_open=True),
            metavar="SECONDS",
            help="Most time a trial may take.",
        ),
        click.option(
            "--max-memory",
            type=click.IntRange(min=1),
            metavar="MB",
            help="Most memory a worker may take.",
        ),
        click.option(
            "--skip-missing", is_flag=True, help="Leave absent data sets out."
        ),
        click.option(
            "-j",
            "--jobs",
            type=click.IntRange(min=1),
            default=os.cpu_count() or 1,
            help="Worker processes [default: one a core].",
        ),
        data_option,
        results_option,
    ):
        command = option(command)
    return command


class Group(click.Group):
    """Show our own errors as one line; let bugs keep their traceback."""

    def invoke(self, ctx):
        try:
            return super().invoke(ctx)
        except MlbenchError as exc:
            raise click.ClickException(str(exc)) from exc
        except KeyboardInterrupt:
            click.echo("Interrupted; what was done is kept.", err=True)
            sys.exit(INTERRUPTED)


@click.group(cls=Group, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="mlbench")
def main():
    """Reproduce papers on multi-label dimension reduction.

    CONFIG is a YAML file, or the name of one that comes with mlbench.
    Exit codes: 0 done, 1 an error that is explained, 2 wrong usage,
    3 some trials failed, 130 interrupted.

    \b
    Example:
        mlbench run quickstart
        mlbench report quickstart
    """


@main.command()
@config_argument
@run_options
def run(config, **options):
    """Run the trials of CONFIG that have no record yet.

    \b
    Example:
        mlbench run configs/yahoo_mddm.yaml --data-dir data -j 2
    """
    _run(config, {}, **options)


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


def _show_plan(experiment, results, folder, why=False, retry=None):
    from mlbench.runner import available, describe_plan, plan, reasons

    experiment, missing = available(experiment, folder, skip_missing=True)
    work = plan(experiment, results, folder, retry_failed=retry is not None)
    for line in [*describe_plan(work), *(f"missing: {text}" for text in missing)]:
        click.echo(line)
    if why:
        for label, causes in reasons(work).items():
            click.echo(f"{label}: {'; '.join(causes)}")


def names_option(name, what):
    """An option that takes names, one or several, with commas or given again."""
    return click.option(
        name,
        multiple=True,
        metavar="NAME,...",
        callback=lambda context, option, given: _names(given),
        help=f"Only these {what}.",
    )


def _names(given):
    return tuple(name for part in given for name in part.split(",") if name)


@main.command()
@click.argument("configs", metavar="[CONFIG]...", nargs=-1)
@results_option
@click.option("--against", is_flag=True, help="Only the verdicts against the paper.")
@click.option(
    "--diff",
    nargs=2,
    type=click.Path(path_type=Path),
    metavar="A B",
    help="Compare two results folders instead.",
)
@names_option("--metrics", "metrics")
@names_option("--datasets", "data sets")
@names_option("--methods", "methods")
@click.option("--dim", help="Only this dimension of a sweep, as in the config.")
@click.option(
    "--figures",
    multiple=True,
    type=click.Choice(["svg", "png", "pdf"]),
    help="Formats of the figures [default: svg].",
)
@click.option("--json", "as_json", is_flag=True, help="Print the numbers as JSON.")
def report(configs, results, against, diff, figures, as_json, **selected):
    """Print the tables of CONFIG from its records (no CONFIG: of all results).

    All of it is also written beside the records: report.md, table.csv, tables.tex,
    figures and a page to look at (report.html), unless only a part is asked for.

    \b
    Example:
        mlbench report configs/yahoo_mddm.yaml
        mlbench report yahoo_mnmtf --against
        mlbench report yahoo_mddm --metrics micro_f1 --methods MDDM,PCA
        mlbench report --diff results other/results
    """
    import json

    from mlbench.config import find_config, load_experiment
    from mlbench.report.build import build, recorded
    from mlbench.report.select import Selection
    from mlbench.report.write import FORMATS, write, write_overview

    if diff:
        before, after = diff
        _show_difference(before, after, as_json)
        return
    selection = Selection(**selected)
    paths = [find_config(name) for name in configs] or recorded(results)
    reports = [build(load_experiment(path), results, selection) for path in paths]
    if not configs and not selection:
        write_overview(reports, results)
    for made in reports:
        if not selection:
            write(made, results / made.experiment.name, figures or FORMATS)
        for notice in made.notices:
            click.echo(f"notice: {notice}", err=True)
    if as_json:
        click.echo(json.dumps([made.data for made in reports], indent=1))
        return
    texts = [made.against_text if against else made.text for made in reports]
    click.echo("\n".join(texts), nl=False)


def _show_difference(before, after, as_json):
    import json

    from mlbench.report.difference import changes, difference_data, difference_text

    found = changes(before, after)
    if as_json:
        click.echo(json.dumps(difference_data(found), indent=1))
    else:
        click.echo(difference_text(before, after, found))


@main.command()
@config_argument
@results_option
@click.option("--metric", help="Which one [default: the first of CONFIG].")
@click.option("--dim", help="Which dimension of a sweep, as in the config.")
@click.option("--setting", help="Which value of a varied setting, as in the report.")
@click.option("--dataset", help="One data set, over its random splits.")
@names_option("--methods", "methods")
@click.option(
    "--test",
    type=click.Choice(["t", "wilcoxon", "friedman", "resampled"]),
    default="t",
    show_default=True,
    help="Paired t, Wilcoxon with Holm, Friedman with Nemenyi, or the corrected "
    "resampled t-test of one data set.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the outcome as JSON.")
def compare(config, results, as_json, **asked):
    """Test whether the methods of CONFIG differ, over its data sets.

    \b
    Example:
        mlbench compare yahoo_mddm --metric hamming_loss --test friedman
        mlbench compare yahoo_mnmtf --dim 0.3 --dataset yahoo-arts --test resampled
    """
    import json

    from mlbench.config import find_config, load_experiment
    from mlbench.report.compare import compare
    from mlbench.store import Store

    experiment = load_experiment(find_config(config))
    records = list(Store(results / experiment.name).records().values())
    found = compare(experiment, records, **asked)
    click.echo(json.dumps(found.data, indent=1) if as_json else found.text)


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


@main.group()
def data():
    """Look at the data sets mlbench knows."""


@data.command("list")
@data_option
def data_list(data_dir):
    """Every data set of the catalogue, its sizes, and whether it is here.

    \b
    Example:
        mlbench data list --data-dir data
    """
    from mlbench.data.catalogue import catalogue
    from mlbench.data.locate import data_dir as choose_folder
    from mlbench.data.locate import missing_files

    folder = choose_folder(data_dir)
    for entry in catalogue().values():
        here = "no" if missing_files(entry, folder) else "yes"
        sizes = f"{entry.instances:>6} x {entry.features:>6} x {entry.labels:>4}"
        click.echo(f"{entry.name:26} {sizes}   here: {here}")


@data.command("info")
@click.argument("name")
@data_option
def data_info(name, data_dir):
    """Sizes and statistics of the data set NAME, from its files.

    \b
    Example:
        mlbench data info emotions --data-dir data
    """
    from mlbench.data.load import load
    from mlbench.data.locate import data_dir as choose_folder
    from mlbench.data.statistics import statistics

    for what, value in statistics(load(name, choose_folder(data_dir))).items():
        click.echo(f"{what:22} {value}")


@data.command("path")
@click.argument("name", required=False)
@data_option
def data_path(name, data_dir):
    """The data directory, or the files of the data set NAME.

    \b
    Example:
        mlbench data path yahoo-arts
    """
    from mlbench.data.catalogue import entry_named
    from mlbench.data.locate import data_dir as choose_folder
    from mlbench.data.locate import find_files

    folder = choose_folder(data_dir)
    paths = find_files(entry_named(name), folder) if name else [folder]
    click.echo("\n".join(map(str, paths)))


@main.command("list")
@click.argument(
    "what", type=click.Choice(["reducers", "classifiers", "metrics", "configs"])
)
def list_(what):
    """The reducers, classifiers, metrics or configs there are.

    \b
    Example:
        mlbench list reducers
    """
    from mlbench.listing import listing

    for name, about in listing(what).items():
        click.echo(f"{name:20} {about}")
