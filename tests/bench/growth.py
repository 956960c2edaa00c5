"""How cost grows: time over n, d, q and J on random data, and the fitted exponents.

Each variable is doubled three times with the others at sizes where the term of the
cost that it is in dominates; where it is in no such term the expected exponent is 0.
"""

import statistics
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from tests.bench.measure import timed
from tests.bench.worker import in_a_process

ROUNDS = 3
STEPS = (1, 2, 4, 8)  # times the size that is varied
SWEEPS = 10  # of MNMTF


@dataclass(frozen=True)
class Axis:
    """A variable: the first sizes of all (n, d, q, J), and the exponent expected."""

    sizes: dict[str, int]
    expected: int


@dataclass(frozen=True)
class Growth:
    """A method: what it should cost, and how to run it on X, Y of a given size."""

    title: str
    cost: str
    act: Callable[..., object]  # of X, Y and J
    axes: dict[str, Axis]
    last: str = "J"  # what J is called

    def name_of(self, variable: str) -> str:
        """The variable as the method calls it."""
        return self.last if variable == "J" else variable


def exponent(sizes, seconds) -> float:
    """Power that the seconds grow with, by least squares on logarithms."""
    return float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0])


def mnmtf(X, Y, J):
    """A fixed number of sweeps."""
    from mlbench.reducers.mnmtf import MNMTF

    MNMTF(J, max_iter=SWEEPS, tol=0, random_state=0).fit(X, Y)


def mddm(X, Y, J):
    """A fit."""
    from mlbench.reducers.mddm import MDDM

    MDDM(J).fit(X, Y)


def mlsi(X, Y, J):
    """A fit."""
    from mlbench.reducers.mlsi import MLSI

    MLSI(J).fit(X, Y)


def mlknn(X, Y, k):
    """Fit, and predict as many samples as were learnt from."""
    from mlbench.classifiers.mlknn import MLkNN

    MLkNN(k).fit(X, Y).predict(X[::-1])


def ommf(X, Y, J):
    """One epoch."""
    from mlbench.classifiers.ommf import OMMF

    OMMF(J, epochs=1).fit(X, Y)


def _axis(expected: int, n: int, d: int, q: int, J: int) -> Axis:
    return Axis({"n": n, "d": d, "q": q, "J": J}, expected)


METHODS = {
    "mnmtf": Growth(
        f"MNMTF, {SWEEPS} iterations",
        "d J q an iteration",
        mnmtf,
        {
            "n": _axis(0, 250, 1000, 100, 400),
            "d": _axis(1, 500, 500, 100, 400),
            "q": _axis(1, 500, 1000, 40, 500),
            "J": _axis(1, 500, 1000, 100, 125),
        },
    ),
    "mddm": Growth(
        "MDDM",
        "n d q",
        mddm,
        {
            "n": _axis(1, 5000, 400, 100, 10),
            "d": _axis(1, 5000, 400, 100, 10),
            "q": _axis(1, 10_000, 300, 100, 10),
            "J": _axis(0, 10_000, 400, 100, 10),
        },
    ),
    "mlsi": Growth(
        "MLSI",
        "n d² + d³ for d < n",
        mlsi,
        {
            "n": _axis(1, 20_000, 100, 10, 10),
            "d": _axis(3, 2000, 250, 10, 10),
            "q": _axis(0, 1000, 500, 10, 10),
            "J": _axis(0, 1000, 500, 10, 10),
        },
    ),
    "mlknn": Growth(
        "ML-kNN",
        "n² d",
        mlknn,
        {
            "n": _axis(2, 1500, 200, 10, 10),
            "d": _axis(1, 2500, 200, 10, 10),
            "q": _axis(0, 2500, 800, 10, 10),
            "J": _axis(0, 2500, 800, 10, 5),
        },
        last="k",
    ),
    "ommf": Growth(
        "OMMF, one epoch",
        "n (d + q) J",
        ommf,
        {
            "n": _axis(1, 2500, 500, 50, 40),
            "d": _axis(1, 5000, 500, 10, 40),
            "q": _axis(1, 5000, 10, 500, 40),
            "J": _axis(1, 5000, 2000, 50, 20),
        },
    ),
}


def measure(method: str, variable: str) -> dict:
    """Times over one variable, here and now: medians of rounds over all sizes."""
    growth = METHODS[method]
    axis = growth.axes[variable]
    points = [axis.sizes | {variable: step * axis.sizes[variable]} for step in STEPS]
    inputs = [_random(**point) for point in points]
    growth.act(*inputs[0])  # imports, caches
    rounds = [
        [timed(partial(growth.act, *each))[0] for each in inputs] for _ in range(ROUNDS)
    ]
    seconds = [statistics.median(of_size) for of_size in zip(*rounds, strict=True)]
    sizes = [point[variable] for point in points]
    return {
        "method": method,
        "variable": variable,
        "sizes": sizes,
        "seconds": seconds,
        "exponent": exponent(sizes, seconds),
    }


def _random(n: int, d: int, q: int, J: int):
    """Features between 0 and 1, a tenth of all labels, and J."""
    rng = np.random.default_rng(0)
    return rng.uniform(size=(n, d)), (rng.uniform(size=(n, q)) < 0.1).astype(float), J


def run() -> list[dict]:
    """A row for each variable of each method."""
    return [
        in_a_process("growth", method, variable)
        for method, growth in METHODS.items()
        for variable in growth.axes
    ]
