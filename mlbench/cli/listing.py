"""What there is to choose from."""

import click

from mlbench.cli.main import main
from mlbench.cli.output import json_option, print_json


@main.command("list")
@click.argument(
    "what", type=click.Choice(["reducers", "classifiers", "metrics", "configs"])
)
@json_option
def list_(what, as_json):
    """The reducers, classifiers, metrics or configs there are.

    \b
    Example:
        mlbench list reducers
    """
    from mlbench.listing import listing

    found = listing(what)
    if as_json:
        print_json([{"name": name, "about": about} for name, about in found.items()])
        return
    for name, about in found.items():
        click.echo(f"{name:20} {about}")
