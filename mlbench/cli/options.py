"""Arguments and options that commands share."""

import os
from pathlib import Path

import click

from mlbench.cli.completion import complete_config

config_argument = click.argument(
    "config", metavar="CONFIG", shell_complete=complete_config
)
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
            "--download/--offline",
            default=None,
            help="Fetch absent data sets, or never [default: ask at a terminal].",
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
