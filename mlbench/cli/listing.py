"""What there is to choose from."""

import click

from mlbench.cli.main import main


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
