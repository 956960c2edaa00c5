"""mlbench as a user meets it: commands in a folder, and what they print."""

import json

from click.testing import CliRunner

from mlbench.cli import main

CONFIG = """\
datasets:
  - {name: toy, synthetic: {n: 120, d: 40, q: 5}}
split: {kind: random, train: 60, test: 60, repeats: 2}
dims: [3, 6]
methods: {ORI: none, MDDM: mddm, PCA: pca}
metrics: [hamming_loss, coverage]
"""


class Shell:
    """Runs mlbench in a folder of its own."""

    def __init__(self, folder):
        self.folder = folder
        self.config = folder / "toy.yaml"
        self.config.write_text(CONFIG)

    def __call__(self, *arguments, text=None):
        if text is not None:
            self.config.write_text(text)
        return CliRunner().invoke(main, [str(part) for part in arguments])

    def run(self, *arguments, text=None):
        options = ["--results", self.folder / "results", *arguments]
        return self("run", self.config, *options, text=text)

    def report(self, *arguments):
        return self(
            "report", self.config, "--results", self.folder / "results", *arguments
        )

    @property
    def records(self):
        path = self.folder / "results" / "toy" / "records.jsonl"
        return [json.loads(line) for line in path.read_text().splitlines()]


def one_line_error(result, code=1):
    assert result.exit_code == code, result.output
    assert "Traceback" not in result.output
    (line,) = [x for x in result.output.splitlines() if x.startswith("Error:")]
    return line
