"""What a command prints for programs: data as JSON, on standard output alone."""

import click

json_option = click.option(
    "--json", "as_json", is_flag=True, help="Print the result as JSON."
)


def print_json(data) -> None:
    """Print data as JSON, as every command with --json does."""
    import json

    click.echo(json.dumps(data, indent=1))
