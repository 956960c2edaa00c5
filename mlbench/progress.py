"""What a run shows of itself: a live bar on a terminal, plain lines elsewhere."""

from time import monotonic

from rich.console import Console, Group
from rich.live import Live
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, TimeElapsedColumn
from rich.progress import Progress as Bar
from rich.text import Text

from mlbench.grid import Trial
from mlbench.runner import Plan
from mlbench.store import Record

SHOWN = 4  # running trials named under the bar


class Silent:
    """Says nothing."""

    def __enter__(self):
        return self

    def __exit__(self, *exc_info):
        pass

    def planned(self, plan: Plan) -> None:
        pass

    def started(self, trial: Trial) -> None:
        pass

    def finished(self, trial: Trial, records: list[Record]) -> None:
        pass


class Tally(Silent):
    """Counts what was done, and guesses what is left from it."""

    def __init__(self, console: Console):
        self.console = console
        self.begun = monotonic()
        self.total = self.done = self.failed = self.cached = 0
        self.running: list[str] = []

    def planned(self, plan: Plan) -> None:
        self.total = len(plan.pending)
        self.cached = len(plan.cached)
        self.begun = monotonic()

    def started(self, trial: Trial) -> None:
        self.running.append(trial.label)

    def finished(self, trial: Trial, records: list[Record]) -> None:
        self.running.remove(trial.label)
        self.done += 1
        self.failed += any(record["status"] == "failed" for record in records)

    def left(self) -> str:
        """Time left, judging by the trials done so far."""
        if not self.done:
            return "?"
        seconds = (monotonic() - self.begun) / self.done * (self.total - self.done)
        minutes, seconds = divmod(round(seconds), 60)
        hours, minutes = divmod(minutes, 60)
        return f"{hours}:{minutes:02}:{seconds:02}"


class Lines(Tally):
    """One line a trial, for logs."""

    def planned(self, plan: Plan) -> None:
        super().planned(plan)
        self.console.out(
            f"{plan.experiment.name}: {self.total} trials to run, "
            f"{self.cached} records already there",
            highlight=False,
        )

    def finished(self, trial: Trial, records: list[Record]) -> None:
        super().finished(trial, records)
        failed = [record for record in records if record["status"] == "failed"]
        state = f"FAILED: {failed[0]['error']}" if failed else "done"
        self.console.out(
            f"[{self.done}/{self.total}] {trial.label}: {state}, left {self.left()}",
            highlight=False,
        )


class Screen(Tally):
    """A bar that moves, with what is running under it."""

    def __init__(self, console: Console):
        super().__init__(console)
        self.bar = Bar(
            "{task.description}", BarColumn(), MofNCompleteColumn(), TimeElapsedColumn()
        )
        self.live = Live(console=console, transient=True, refresh_per_second=4)

    def planned(self, plan: Plan) -> None:
        super().planned(plan)
        self.task = self.bar.add_task(escape(plan.experiment.name), total=self.total)
        if self.total:
            self.live.start()
        self._show()

    def __exit__(self, *exc_info):
        self.live.stop()

    def started(self, trial: Trial) -> None:
        super().started(trial)
        self._show()

    def finished(self, trial: Trial, records: list[Record]) -> None:
        super().finished(trial, records)
        self.bar.advance(self.task)
        self._show()

    def _show(self) -> None:
        counts = (
            f"{self.done} done, {self.cached} records cached, {self.failed} failed, "
            f"{len(self.running)} running, left {self.left()}"
        )
        names = [Text(f"  {name}") for name in self.running[:SHOWN]]
        self.live.update(Group(self.bar, Text(counts), *names))


def progress(quiet: bool) -> Silent:
    """The right kind of progress for where the output goes."""
    console = Console(stderr=True)
    if quiet:
        return Silent()
    return Screen(console) if console.is_terminal else Lines(console)
