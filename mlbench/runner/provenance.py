"""Where a number comes from: versions, machine, threads, commit."""

import platform
import subprocess
import sys
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import mlbench

PACKAGES = ("mlbench", "numpy", "scipy", "scikit-learn")


def provenance() -> dict[str, Any]:
    """What a record says about the process that made it."""
    return {"started": datetime.now(UTC).isoformat(timespec="seconds")} | _fixed()


@cache
def _fixed() -> dict[str, Any]:
    return {
        "versions": {name: version(name) for name in PACKAGES}
        | {"python": platform.python_version()},
        "blas": _blas(),
        "machine": f"{platform.system()} {platform.machine()}",
        "cpu": _cpu(),
        "commit": _commit(),
    }


def _blas() -> list[str]:
    from threadpoolctl import threadpool_info

    return sorted(
        f"{pool['internal_api']} {pool['version']}, {pool['num_threads']} thread(s)"
        for pool in threadpool_info()
        if pool["user_api"] == "blas"
    )


def _cpu() -> str:
    info = Path("/proc/cpuinfo")
    if sys.platform == "linux" and info.exists():
        for line in info.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor()


def _commit() -> str | None:
    """Commit of the checkout mlbench runs from, with ``+`` when it was changed."""
    root = Path(mlbench.__file__).resolve().parent.parent
    if not (root / ".git").exists():
        return None
    try:
        head = _git(root, "rev-parse", "--short=12", "HEAD")
        changed = _git(root, "status", "--porcelain", "--", "mlbench")
    except (OSError, subprocess.CalledProcessError):
        return None
    return head + ("+" if changed else "")


def _git(root: Path, *arguments: str) -> str:
    command = ["git", "-C", str(root), *arguments]
    return subprocess.run(
        command, check=True, capture_output=True, text=True
    ).stdout.strip()
