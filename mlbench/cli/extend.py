"""Commands for a method or an experiment of one's own: new, check."""

import sys
from pathlib import Path

import click

from mlbench.cli.main import main
from mlbench.cli.output import json_option, print_json


@main.command()
@click.argument("kind", type=click.Choice(["reducer", "classifier", "config"]))
@click.argument("name")
@click.option(
    "--to",
    "folder",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path(),
    help="Where the files go [default: the current folder].",
)
@click.option("--force", is_flag=True, help="Replace files that are there.")
def new(kind, name, folder, force):
    """Write a method with its tests, or a config, to begin with.

    What is written works as it is. NAME is that of a class, as MyReducer or as
    my_reducer, or that of a config.

    \b
    Example:
        mlbench new reducer MyReducer
        mlbench new classifier MyClassifier
        mlbench new config mine
    """
    from mlbench.skeletons import write

    written = write(kind, name, folder, force)
    for path in written.files:
        click.echo(f"wrote {path}")
    move = [] if folder.resolve() == Path.cwd() else [f"cd {folder}"]
    click.echo("\n  ".join(["Next:", *move, *written.commands]))


@main.command()
@click.argument("name", metavar="METHOD")
@click.option("--trace", is_flag=True, help="Show the traceback of what was raised.")
@json_option
def check(name, trace, as_json):
    """See whether a reducer or classifier does what a run asks of it.

    METHOD is MODULE:CLASS, looked for in the current folder too, or a name that
    mlbench knows. The exit code is 1 if a check failed.

    \b
    Example:
        mlbench check my_reducer:MyReducer
        mlbench check mddm
    """
    from contextlib import redirect_stdout

    from mlbench.components import search_here
    from mlbench.contract import examine, methods_named

    search_here()
    with redirect_stdout(sys.stderr):  # a user's class may print; that is no finding
        found = {each.path: examine(each.made) for each in methods_named(name)}
    show = _show_json if as_json else _show
    show(found, trace)
    if any(each.status == "failed" for findings in found.values() for each in findings):
        sys.exit(1)


def _show(found, trace):
    for path, findings in found.items():
        for each in findings:
            click.echo(each.line)
            if trace and each.trace:
                click.echo(each.trace, nl=False)
        statuses = [each.status for each in findings]
        counts = [f"{statuses.count(s)} {s}" for s in ("ok", "failed", "skipped")]
        click.echo(f"{path}: {', '.join(counts)}")


def _show_json(found, trace):
    shown = ("check", "status", "reason", *(["trace"] if trace else []))
    print_json(
        [
            {"path": path, **{key: getattr(each, key) for key in shown}}
            for path, findings in found.items()
            for each in findings
        ]
    )
