"""The ``mlbench`` command itself: what its commands hang on."""

import sys

import click

from mlbench.errors import MlbenchError

FAILED = 3  # exit code: the run ended, some trials failed
INTERRUPTED = 130  # exit code: Ctrl-C


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
