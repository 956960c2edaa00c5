"""Spoil files of every form and read them: ``python -m tests.fuzz [FORMAT]``.

Prints how many were read and how many refused. A file with any other outcome, an
exception, a hang, a data set that is none, is kept, and the exit code is 1.
"""

import argparse
import sys
from pathlib import Path

from tests.fuzz.formats import formats
from tests.fuzz.run import fuzz

KEPT = Path("build/fuzz")


def main() -> int:
    """Run what the arguments ask for."""
    known = formats()
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("format", nargs="?", choices=[[], *known], default=[])
    parser.add_argument("--count", type=int, default=20_000, help="files of each form")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    failed = 0
    for name in [options.format] if options.format else known:
        outcomes, failures = fuzz(known[name], options.count, options.seed)
        counts = ", ".join(f"{n} {what}" for what, n in sorted(outcomes.items()))
        print(f"{name}: {counts}", flush=True)  # noqa: T201
        failed += len(failures)
        for k, (raw, outcome) in enumerate(failures[:20]):
            KEPT.mkdir(parents=True, exist_ok=True)
            (KEPT / f"{name}-{options.seed}-{k}").write_bytes(raw)
            (KEPT / f"{name}-{options.seed}-{k}.txt").write_text(outcome)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
