"""A Dask cluster of real processes: the same numbers, and no worker is missed."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest

from tests.shell import one_line_error

pytest.importorskip("distributed", reason="Dask: pip install 'mlbench[dask]'")


class Processes:
    """A scheduler and its workers, each a process of its own, in another folder."""

    def __init__(self, folder):
        self.folder = folder
        self.elsewhere = folder / "elsewhere"
        self.elsewhere.mkdir()
        self.file = folder / "scheduler.json"
        self.scheduler = self._start("scheduler", "--port", "0", "--no-dashboard")
        while not self.file.exists():
            assert self.scheduler.poll() is None
            time.sleep(0.05)  # a moment between looks
        self.address = json.loads(self.file.read_text())["address"]
        self.workers = [self.new_worker() for _ in range(2)]

    def new_worker(self):
        options = ["--nthreads", "1", "--no-dashboard", "--no-nanny"]
        return self._start("worker", *options)

    def _start(self, kind, *options):
        command = [sys.executable, "-m", "dask", kind, "--scheduler-file", self.file]
        return subprocess.Popen(
            [*map(str, command), *options],
            cwd=self.elsewhere,
            env=os.environ
            | {
                "PYTHONPATH": str(self.folder),
                "MLBENCH_CACHE": str(self.elsewhere / "cache"),
            },
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def stop(self):
        for process in [*self.workers, self.scheduler]:
            process.kill()
            process.wait()


@pytest.fixture
def cluster(tmp_path):
    processes = Processes(tmp_path)
    yield processes
    processes.stop()


def metrics(path):
    lines = path.read_text().splitlines()
    return {r["key"]: r["metrics"] for r in map(json.loads, lines)}


def start(mlbench, cluster, *options):
    command = [sys.executable, "-m", "mlbench", "run", str(mlbench.config)]
    cluster_options = ["--backend", "dask", "--scheduler", cluster.address]
    return subprocess.Popen(
        [*command, *cluster_options, *options],
        cwd=mlbench.folder,
        env=os.environ | {"PYTHONPATH": str(mlbench.folder)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def test_a_cluster_gives_the_numbers_of_this_machine(done, cluster):
    process = start(done, cluster, "--results", "far")
    output, _ = process.communicate()
    assert process.returncode == 0, output
    near = done.folder / "results" / "toy" / "records.jsonl"
    far = done.folder / "far" / "toy" / "records.jsonl"
    assert metrics(far) == metrics(near)


def test_a_worker_that_is_killed_costs_time_and_nothing_else(done, cluster):
    (done.folder / "slow.py").write_text(
        "import time\n"
        "from mlbench.reducers.pca import PCA\n"
        "class Slow(PCA):\n"
        "    def fit(self, X, Y=None):\n"
        "        time.sleep(1)\n"
        "        return super().fit(X, Y)\n"
    )
    text = done.config.read_text().replace("PCA: pca", '"S": "slow:Slow"')
    done.config.write_text(text)
    process = start(done, cluster, "--results", "far")
    far = done.folder / "far" / "toy" / "records.jsonl"
    while not far.exists() and process.poll() is None:
        time.sleep(0.01)  # a moment between looks
    cluster.workers[0].send_signal(signal.SIGKILL)
    output, _ = process.communicate()
    assert process.returncode == 0, output
    assert "10 records computed, 0 already there, 0 failed" in output
    assert len(metrics(far)) == 10


def test_data_the_workers_cannot_see_is_sent_to_them(mlbench, cluster):
    folder = mlbench.folder / "data" / "mulan"
    folder.mkdir(parents=True)
    rows = "".join(f"{i % 7},{i % 3},{i % 2}\n" for i in range(60))
    head = "@relation r\n@attribute a numeric\n@attribute b numeric\n"
    (folder / "emotions.arff").write_text(
        f"{head}@attribute happy {{0,1}}\n@data\n{rows}"
    )
    (folder / "emotions.xml").write_text('<labels><label name="happy"/></labels>')
    mlbench.config.write_text(
        "datasets: [emotions]\nsplit: {kind: kfold, folds: 2}\ndims: 1\n"
        "methods: {PCA: pca}\nmetrics: [coverage]\n"
    )
    process = start(mlbench, cluster, "--data-dir", "data")  # relative: only we see it
    output, _ = process.communicate()
    assert process.returncode == 0, output
    assert "2 records computed, 0 already there, 0 failed" in output
    sent = cluster.elsewhere / "cache" / "data" / "mulan" / "emotions.arff"
    assert sent.read_bytes() == (folder / "emotions.arff").read_bytes()


def test_a_scheduler_that_does_not_answer_is_one_line(mlbench, monkeypatch):
    monkeypatch.setattr("mlbench.runner.cluster.CONNECTING", 1)
    options = ["--backend", "dask", "--scheduler", "tcp://127.0.0.1:9"]
    assert "no Dask scheduler answers at" in one_line_error(mlbench.run(*options))
