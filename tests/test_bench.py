"""The logic of the bench, on made-up measurements: nothing is timed here."""

import json

import numpy as np
import pytest

from tests.bench import __main__ as command
from tests.bench import checks, figures, growth, guard, measure, page, turns, worker
from tests.bench.job import OURS, Job, Rival, Verdict, Way
from tests.bench.jobs import JOBS

PAIRS = [(name, rival) for name, job in JOBS.items() for rival in job.rivals]
MACHINE = {
    "cpu": "a chip",
    "cores": 2,
    "machine": "Linux x86_64",
    "versions": {"numpy": "2.0"},
    "blas": ["openblas 1, 1 thread(s)"],
    "commit": "abc",
    "started": "2026-01-02T03:04:05+00:00",
    "gigaflops": 40.0,
}


def a_row(**changed):
    row = {
        "job": "mddm",
        "title": "linear MDDM",
        "rival": "eigh, all directions",
        "ratio": 10.0,
        "ours_seconds": 0.005,
        "rival_seconds": 0.05,
        "ours_mb": 1.2,
        "rival_mb": 80.0,
        "of_products": 0.456,
        "holds": True,
        "check": "equal",
        "note": "a note",
        "rounds": 3,
    }
    return row | changed


def silent(line):
    """Hear what is said and keep it to oneself."""


# Jobs


@pytest.mark.parametrize("name", JOBS)
def test_a_job_has_a_title_and_a_rival(name):
    assert JOBS[name].title
    assert JOBS[name].rivals


@pytest.mark.parametrize(("name", "rival"), PAIRS)
def test_a_rival_has_a_name_of_its_own_and_a_note(name, rival):
    assert rival.note
    assert [each.name for each in JOBS[name].rivals].count(rival.name) == 1
    assert "|" not in rival.name + rival.note + JOBS[name].title


def test_most_rivals_are_guarded():
    assert sum(not rival.unguarded for _, rival in PAIRS) > len(PAIRS) / 2


def test_the_ways_of_a_job_are_ours_and_then_its_rivals():
    ways = [Way(lambda: None, lambda _: {}) for _ in range(3)]
    rivals = [Rival("r", lambda w=way: w, checks.not_asked, "n") for way in ways[1:]]
    job = Job("a job", lambda: ways[0], tuple(rivals))
    assert [job.way(number) for number in (OURS, 1, 2)] == ways


# Measuring


class Clock:
    """Stands in for ``timed``: runs take as long as they are told to."""

    def __init__(self, *seconds):
        self.seconds = list(seconds)

    def __call__(self, act):
        return self.seconds.pop(0), act()


def measured(monkeypatch, *seconds, **settings):
    monkeypatch.setattr(measure, "timed", Clock(*seconds))
    return measure.measure(Way(lambda: "came", lambda _: {}, **settings))


def test_a_short_first_run_is_a_warm_up(monkeypatch):
    found, came = measured(monkeypatch, 1.9, 0.3, 0.5, 0.4)
    assert found["seconds"] == 0.4
    assert found["spent"] == pytest.approx(3.1)
    assert came == "came"


def test_a_long_first_run_counts_and_is_the_only_one(monkeypatch):
    assert measured(monkeypatch, 2.5)[0]["seconds"] == 2.5


def test_no_more_runs_than_the_most(monkeypatch):
    clock = Clock(*[0.001] * 100)
    monkeypatch.setattr(measure, "timed", clock)
    measure.measure(Way(lambda: None, lambda _: {}))
    assert len(clock.seconds) == 100 - 1 - measure.MOST


def test_a_part_of_a_job_is_scaled_to_the_whole(monkeypatch):
    found, _ = measured(monkeypatch, 3.0, part=0.1)
    assert found["seconds"] == pytest.approx(30)
    assert found["spent"] == 6.0  # how long it took, not how long all would


def test_products_are_a_share_of_what_the_machine_can_do(monkeypatch):
    monkeypatch.setattr(measure, "flops_per_second", lambda: 1e9)
    found, _ = measured(monkeypatch, 4.0, flops=1e9)
    assert found["of_products"] == 0.25
    assert "of_products" not in measured(monkeypatch, 4.0)[0]


# Turns


def test_ways_take_turns_and_ours_is_first_and_last():
    order = []

    def run(number):
        order.append(number)
        return {"spent": 1.0}

    turns.in_turns([1, 2], 3, run)
    assert order == [0, 1, 2, 0, 1, 2, 0, 1, 2, 0]


def test_a_slow_rival_has_one_turn_and_the_others_go_on():
    found = turns.in_turns(
        [1, 2], 3, lambda number: {"spent": 100.0 if number == 1 else 1.0}
    )
    assert [len(found[number]) for number in (0, 1, 2)] == [4, 1, 3]


def test_when_all_rivals_are_slow_ours_runs_before_and_after():
    found = turns.in_turns([1], 3, lambda number: {"spent": 100.0})
    assert [len(found[number]) for number in (0, 1)] == [2, 1]


def test_the_middle_is_the_median_and_none_where_nothing_is_said():
    runs = [{"seconds": value} for value in (1.0, 9.0, 2.0)]
    assert turns.middle(runs, "seconds") == 2.0
    assert turns.middle(runs, "of_products") is None


@pytest.fixture
def fake_job(monkeypatch):
    """A job with one rival, whose processes take made-up times."""
    times = {OURS: iter([1.0, 50.0, 2.0]), 1: iter([30.0, 10.0])}

    def in_a_process(what, name, number, folder):
        np.savez(f"{folder}/{number}.npz", value=np.array(1.0))
        return {"seconds": next(times[int(number)]), "spent": 1.0, "mb": 3.0}

    monkeypatch.setattr(turns, "in_a_process", in_a_process)
    rival = Rival("them", lambda: None, checks.same(0), "a note")
    return Job("a job", lambda: None, (rival,))


def test_a_ratio_is_that_of_medians(fake_job):
    (row,) = turns.compare("fake", fake_job, [1], 2)
    assert (row["ours_seconds"], row["rival_seconds"], row["ratio"]) == (
        2.0,
        20.0,
        10.0,
    )
    assert (row["holds"], row["check"]) == (True, "equal")
    assert (row["rounds"], row["of_products"], row["ours_mb"]) == (2, None, 3.0)


def test_a_mistake_in_a_worker_is_one_line_and_a_bug_keeps_its_traceback(monkeypatch):
    monkeypatch.delenv("MLBENCH_DATA", raising=False)
    with pytest.raises(worker.MlbenchError, match="^bench: set MLBENCH_DATA .*$"):
        worker.in_a_process("way", "mddm", "0", "nowhere")
    with pytest.raises(SystemExit, match="Traceback[^$]*KeyError[^$]*bench: failed"):
        worker.in_a_process("nothing")


# Checks


def test_results_are_the_same_up_to_the_tolerance():
    ours = {"a": np.array([100.0, 1.0]), "more": np.zeros(1)}
    check = checks.same(1e-3)
    assert check(ours, {"a": np.array([100.0, 1.0])}).text == "equal"
    assert check(ours, {"a": np.array([100.0, 1.05])}) == Verdict(True, "same to 5e-04")
    far = check(ours, {"a": np.array([100.0, 2.0])})
    assert far == Verdict(False, "differs by 1.0e-02, 1e-03 is allowed")


@pytest.mark.parametrize("theirs", [np.full(2, np.nan), np.ones(3)])
def test_what_is_no_number_or_of_another_shape_is_not_the_same(theirs):
    assert not checks.same(1.0)({"a": np.ones(2)}, {"a": theirs}).holds


def test_a_subspace_does_not_depend_on_its_basis():
    A = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    B = np.array([[3.0, 1.0, 0.0], [1.0, -1.0, 0.0]])
    C = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.1]])
    check = checks.same_subspace(1e-9)
    assert check({"directions": A}, {"directions": B}).holds
    assert not check({"directions": A}, {"directions": C}).holds


def test_an_objective_above_the_rivals_does_not_hold():
    low, high = {"objective": np.array([1.0])}, {"objective": np.array([2.0])}
    assert checks.lower_objective(low, high) == Verdict(
        True, "objective 0.500000 of the rival's"
    )
    assert not checks.lower_objective(high, low).holds


def test_a_difference_is_judged_where_it_was_taken():
    check = checks.zero("difference", 1e-8)
    assert check({}, {"difference": np.array(1e-12)}).holds
    assert not check({}, {"difference": np.array(np.nan)}).holds


# Growth


@pytest.mark.parametrize("power", [0, 1, 2.5])
def test_the_exponent_of_a_power_is_found(power):
    sizes = [100, 200, 400, 800]
    assert growth.exponent(sizes, [3e-6 * n**power for n in sizes]) == pytest.approx(
        power
    )


def test_growth_is_fitted_to_medians_over_rounds(monkeypatch):
    rounds = [[1.0, 2.0, 4.0, 8.0], [9.0, 9.0, 9.0, 9.0], [1.0, 2.0, 4.0, 8.0]]
    monkeypatch.setattr(growth, "timed", Clock(*np.ravel(rounds)))
    small = growth.Growth(
        "a method", "n", lambda X, Y, J: None, {"n": growth._axis(1, 2, 2, 2, 1)}
    )
    monkeypatch.setitem(growth.METHODS, "small", small)
    row = growth.measure("small", "n")
    assert row["sizes"] == [2, 4, 8, 16]
    assert row["seconds"] == [1.0, 2.0, 4.0, 8.0]
    assert row["exponent"] == pytest.approx(1)


@pytest.mark.parametrize("method", growth.METHODS)
def test_every_method_is_varied_in_all_sizes(method):
    assert set(growth.METHODS[method].axes) == {"n", "d", "q", "J"}


# The guard

COMMITTED = {("mddm", "eigh, all directions"): 10.0}


def test_71_percent_of_a_ratio_pass_and_69_do_not():
    assert guard.worse([a_row(ratio=7.1)], COMMITTED) == []
    assert guard.worse([a_row(ratio=6.9)], COMMITTED) == [
        "mddm against eigh, all directions: 6.9x is 69% of the committed 10x, "
        "at least 70% is asked"
    ]


def test_a_wrong_result_fails_whatever_its_speed():
    (line,) = guard.worse([a_row(ratio=99.0, holds=False, check="differs")], COMMITTED)
    assert line.endswith("not the right result, differs")


def test_a_ratio_that_was_never_committed_is_missing():
    assert guard.missing("mddm", [1], COMMITTED) == []
    (line,) = guard.missing("mddm", [1, 2], COMMITTED)
    assert "top 20 only: has no committed ratio, python -m tests.bench mddm" in line


def test_a_rival_that_is_not_guarded_is_named_with_the_reason():
    said = []
    assert guard.guarded("projection", said.append) == [2, 3]
    assert said == [
        "projection against scikit-learn coordinate descent, 30 sweeps: not checked, "
        "it takes more than a minute"
    ]


@pytest.fixture
def committed(tmp_path):
    rows = [a_row(rival=rival.name) for rival in JOBS["mddm"].rivals]
    figures.keep({"machine": MACHINE, "rows": rows}, tmp_path)
    return tmp_path


def measures(monkeypatch, *ratios):
    """Let each comparison find the next of these ratios; returns its rounds."""
    rounds, left = [], list(ratios)

    def compare(name, job, rivals, count):
        rounds.append(count)
        ratio = left.pop(0)
        return [a_row(rival=job.rivals[n - 1].name, ratio=ratio) for n in rivals]

    monkeypatch.setattr(turns, "compare", compare)
    return rounds


def test_a_ratio_too_low_is_measured_again_before_it_is_believed(
    committed, monkeypatch
):
    rounds = measures(monkeypatch, 5.0, 9.0)
    assert guard.check(["mddm"], committed, silent) == []
    assert rounds == [1, turns.ROUNDS]


def test_a_ratio_too_low_twice_is_reported_for_every_rival(committed, monkeypatch):
    measures(monkeypatch, 5.0, 5.0)
    assert len(guard.check(["mddm"], committed, silent)) == 2


# Figures and pages


def test_new_figures_take_the_place_of_old_ones():
    old = {"machine": MACHINE, "rows": [a_row(), a_row(job="lpp")], "stream": "kept"}
    new = {"machine": MACHINE | {"commit": "new"}, "rows": [a_row(ratio=2.0)]}
    kept = figures.merged(old, new)
    assert [(row["job"], row["ratio"]) for row in kept["rows"]] == [
        ("mddm", 2.0),
        ("lpp", 10.0),
    ]
    assert (kept["machine"]["commit"], kept["stream"]) == ("new", "kept")


def test_rows_of_jobs_that_are_no_more_are_left_out():
    old = {"machine": MACHINE, "rows": [a_row(job="gone"), a_row(rival="gone")]}
    assert figures.merged(old, {"machine": MACHINE, "rows": []})["rows"] == []


def test_figures_of_another_processor_are_not_mixed_in():
    new = {"machine": MACHINE | {"cpu": "another"}, "rows": []}
    assert figures.merged({"machine": MACHINE, "rows": [a_row()]}, new) == new


def test_a_row_of_the_table_says_all_there_is():
    table = page.jobs_table([a_row(), a_row(of_products=None, holds=False)])
    assert table.splitlines() == [
        "| job | ours | MB | of dgemm | rival | time | MB | ratio | result | note |",
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |",
        "| linear MDDM | 0.005 s | 1 | 46% | eigh, all directions | 0.05 s | 80 | 10x "
        "| equal | a note |",
        "| linear MDDM | 0.005 s | 1 |  | eigh, all directions | 0.05 s | 80 | 10x "
        "| **equal** | a note |",
    ]


def test_growth_is_shown_beside_what_is_expected():
    row = {"sizes": [5, 40], "seconds": [0.5, 0.51234], "exponent": 0.0123}
    table = page.growth_table([row | {"method": "mlknn", "variable": "J"}])
    assert table.splitlines()[-1] == (
        "| ML-kNN | n² d | k | 5 to 40 | 0.5 to 0.512 | 0 | 0.01 |"
    )


def test_an_exponent_of_nothing_has_no_sign():
    row = {"sizes": [5, 40], "seconds": [0.5, 0.5], "exponent": -0.001}
    table = page.growth_table([row | {"method": "mddm", "variable": "J"}])
    assert table.endswith("| 0 | 0.00 |")


def test_the_page_has_the_machine_and_what_was_measured():
    rows = [{"n": 1000, "seconds": 0.5, "seconds_per_1000": 0.5, "peak_mb": 100.2}]
    streamed = {"rows": rows, "exponent": 0.999}
    text = page.page({"machine": MACHINE, "stream": streamed})
    assert "a chip, 2 cores, Linux x86_64" in text
    assert "40 GFlop/s" in text
    assert "| 1,000 | 0.50 s | 0.5000 s | 100 |" in text
    assert text.endswith("Time grows as n^1.00.\n")
    assert "How cost grows" not in text


# The command


@pytest.fixture
def bench(tmp_path, monkeypatch, capsys):
    """The command, with data there and a machine made up."""
    monkeypatch.setenv("MLBENCH_DATA", str(tmp_path))
    monkeypatch.setattr(command, "in_a_process", lambda *arguments: MACHINE)

    def run(*arguments):
        code = command.main([*arguments, "--out", str(tmp_path / "out")])
        return code, capsys.readouterr().err.splitlines()

    run.out = tmp_path / "out"
    return run


def test_an_unknown_job_is_one_line_that_names_the_known_ones(bench):
    code, (line,) = bench("mdmd")
    assert code == 2
    assert line.startswith("bench: unknown job 'mdmd', did you mean 'mddm'? (known: ")
    assert "growth" in line


def test_without_data_it_is_one_line(bench, monkeypatch):
    monkeypatch.delenv("MLBENCH_DATA")
    code, (line,) = bench()
    assert (code, line) == (2, "bench: set MLBENCH_DATA to the folder of the data sets")


def test_a_job_is_measured_and_kept(bench, monkeypatch):
    measures(monkeypatch, 10.0)
    code, lines = bench("mddm")
    assert code == 0
    assert lines[0] == "mddm against eigh, all directions: 10x, equal"
    kept = json.loads((bench.out / "bench.json").read_text())
    assert [row["ratio"] for row in kept["rows"]] == [10.0, 10.0]
    assert "| linear MDDM |" in (bench.out / "bench.md").read_text()


def test_a_result_that_is_wrong_makes_the_command_fail(bench, monkeypatch):
    wrong = [a_row(holds=False, check="differs by 1")]
    monkeypatch.setattr(turns, "compare", lambda *arguments: wrong)
    code, lines = bench("mddm")
    assert code == 1
    assert lines[-1].endswith("not the right result, differs by 1")


def test_a_table_without_a_rival_is_kept_under_its_name(bench, monkeypatch):
    streamed = {"rows": [], "exponent": 1.0}
    monkeypatch.setitem(command.TABLES, "stream", lambda: streamed)
    assert bench("stream")[0] == 0
    assert json.loads((bench.out / "bench.json").read_text())["stream"] == streamed


def test_the_guard_fails_with_a_line_and_writes_nothing(bench, monkeypatch):
    measures(monkeypatch, 10.0, 6.9, 6.9)
    bench("mddm")
    before = (bench.out / "bench.json").read_text()
    code, lines = bench("mddm", "--check")
    assert code == 1
    assert "69% of the committed 10x" in lines[-1]
    assert (bench.out / "bench.json").read_text() == before


def test_the_guard_passes_what_is_as_fast_as_before(bench, monkeypatch):
    measures(monkeypatch, 10.0, 7.1)
    bench("mddm")
    assert bench("mddm", "--check")[0] == 0


def test_the_guard_needs_figures_to_compare_with(bench):
    code, (line,) = bench("--check")
    assert code == 2
    assert line.endswith("is not there or is not JSON, python -m tests.bench makes it")


def test_what_has_no_ratio_cannot_be_guarded(bench):
    assert bench("--check", "growth")[0] == 2
