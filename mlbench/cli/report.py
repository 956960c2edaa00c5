"""Commands that show what was measured: report, compare."""

from pathlib import Path

import click

from mlbench.cli.completion import complete_config, complete_dataset, complete_metric
from mlbench.cli.main import main
from mlbench.cli.options import config_argument, names_option, results_option
from mlbench.cli.output import json_option, print_json


@main.command()
@click.argument(
    "configs", metavar="[CONFIG]...", nargs=-1, shell_complete=complete_config
)
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
@json_option
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
    from mlbench.config import find_config, load_experiment
    from mlbench.report.build import build, recorded
    from mlbench.report.select import Selection
    from mlbench.report.write import FORMATS, write, write_overview

    if diff:
        before, after = diff
        _show_difference(before, after, as_json)
        return
    selection = Selection(**selected)
    paths = [find_config(name, results) for name in configs] or recorded(results)
    reports = [build(load_experiment(path), results, selection) for path in paths]
    if not configs and not selection:
        write_overview(reports, results)
    for made in reports:
        if not selection:
            write(made, results / made.experiment.name, figures or FORMATS)
        for notice in made.notices:
            click.echo(f"notice: {notice}", err=True)
    if as_json:
        print_json([made.data for made in reports])
        return
    texts = [made.against_text if against else made.text for made in reports]
    click.echo("\n".join(texts), nl=False)


def _show_difference(before, after, as_json):
    from mlbench.report.difference import changes, difference_data, difference_text

    found = changes(before, after)
    if as_json:
        print_json(difference_data(found))
    else:
        click.echo(difference_text(before, after, found))


@main.command()
@config_argument
@results_option
@click.option(
    "--metric",
    shell_complete=complete_metric,
    help="Which one [default: the first of CONFIG].",
)
@click.option("--dim", help="Which dimension of a sweep, as in the config.")
@click.option("--setting", help="Which value of a varied setting, as in the report.")
@click.option(
    "--dataset",
    shell_complete=complete_dataset,
    help="One data set, over its random splits.",
)
@names_option("--methods", "methods")
@click.option(
    "--test",
    type=click.Choice(["t", "wilcoxon", "friedman", "resampled"]),
    default="t",
    show_default=True,
    help="Paired t, Wilcoxon with Holm, Friedman with Nemenyi, or the corrected "
    "resampled t-test of one data set.",
)
@json_option
def compare(config, results, as_json, **asked):
    """Test whether the methods of CONFIG differ, over its data sets.

    \b
    Example:
        mlbench compare yahoo_mddm --metric hamming_loss --test friedman
        mlbench compare yahoo_mnmtf --dim 0.3 --dataset yahoo-arts --test resampled
    """
    from mlbench.config import find_config, load_experiment
    from mlbench.report.compare import compare
    from mlbench.store import Store

    experiment = load_experiment(find_config(config, results))
    records = list(Store(results / experiment.name).records().values())
    found = compare(experiment, records, **asked)
    if as_json:
        print_json(found.data)
    else:
        click.echo(found.text)
