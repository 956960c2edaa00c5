"""The ``mlbench`` command itself: what its commands hang on."""

import errno
import os
import sys

import click

from mlbench.errors import MlbenchError

FAILED = 3  # exit code: the run ended, some trials failed
INTERRUPTED = 130  # exit code: Ctrl-C

# What the machine refuses is for the user to mend; any other OSError is a bug of ours.
REFUSED = {
    errno.EACCES,
    errno.EDQUOT,
    errno.ENAMETOOLONG,
    errno.ENOSPC,
    errno.ENOTDIR,
    errno.EPERM,
    errno.EROFS,
}


class Group(click.Group):
    """Show our own errors as one line; let bugs keep their traceback."""

    def invoke(self, ctx):
        try:
            return super().invoke(ctx)
        except MlbenchError as exc:
            raise click.ClickException(str(exc)) from exc
        except OSError as exc:
            if exc.errno not in REFUSED:
                raise
            where = exc.filename or "output"
            raise click.ClickException(f"{where}: {exc.strerror}") from exc
        except click.Abort as exc:  # of a question: by Ctrl-C, or by the end of input
            if not isinstance(exc.__context__, KeyboardInterrupt):
                raise
            _interrupted()
        except KeyboardInterrupt:
            _interrupted()


def _interrupted():
    click.echo("Interrupted; what was done is kept.", err=True)
    sys.exit(INTERRUPTED)


@click.group(cls=Group, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="mlbench")
@click.pass_context
def main(context):
    """Reproduce papers on multi-label dimension reduction.

    CONFIG is a YAML file, or the name of one that comes with mlbench.
    Exit codes: 0 done, 1 an error that is explained, 2 wrong usage,
    3 some trials failed, 130 interrupted.

    \b
    Example:
        mlbench run quickstart
        mlbench report quickstart
    """
    if os.environ.get("NO_COLOR"):  # rich looks at it itself, click does not
        context.color = False
