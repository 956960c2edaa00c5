"""Whether this installation can work."""

import click

from mlbench.cli.main import main
from mlbench.cli.options import data_option, results_option
from mlbench.cli.output import json_option, print_json
from mlbench.errors import MlbenchError

COLOURS = {"ok": "green", "note": "yellow", "problem": "red"}


@main.command()
@data_option
@results_option
@json_option
def doctor(data_dir, results, as_json):
    """Look at this installation, and say what would mend what is amiss.

    Packages, cores, memory, folders, plug-ins, terminal. A note costs you something,
    a problem stops you from something, and then the exit code is 1.

    \b
    Example:
        mlbench doctor
        mlbench doctor --data-dir data --json
    """
    from mlbench.doctor import PROBLEM, examine

    found = examine(data_dir, results)
    problems = sum(finding.status == PROBLEM for finding in found)
    if as_json:
        findings = [finding.data for finding in found]
        print_json({"problems": problems, "findings": findings})
    else:
        for finding in found:
            _show(finding)
    if problems:
        raise MlbenchError(
            f"{problems} of the findings above stop something from working"
        )


def _show(finding):
    """A line for what was found, and one for the command that mends it."""
    status = click.style(f"{finding.status:8}", fg=COLOURS[finding.status])
    click.echo(f"{status} {finding.subject}: {finding.text}")
    if finding.fix:
        click.echo(f"         > {finding.fix}")
