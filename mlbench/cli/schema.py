"""What editors need to know of a config."""

from mlbench.cli.main import main
from mlbench.cli.output import print_json


@main.command()
def schema():
    """A JSON Schema of config files, for editors.

    \b
    Example:
        mlbench schema > mlbench.schema.json
        # first line of a config, for editors with a YAML language server:
        # yaml-language-server: $schema=mlbench.schema.json
    """
    from mlbench.config.schema import schema

    print_json(schema())
