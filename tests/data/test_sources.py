"""Sets that come without files: described before they are made, and as described."""

from pathlib import Path

import numpy as np
import pytest

from mlbench.data.sources import EMBEDDED, RECIPES, describe, load, planted_features

SMALL = {
    "topics": {"n": 50, "d": 20, "q": 4},
    "chance": {"n": 40, "d": 10},
    "planted": {"n": 40, "d": 10},
    "digits": {},
}


@pytest.mark.parametrize("kind", RECIPES)
def test_a_set_is_as_described(kind):
    recipe = {"kind": kind} | SMALL[kind]
    known = describe("mine", recipe, Path())
    made = load("mine", recipe, Path())
    assert made.name == known.name == "mine"
    assert made.X.shape == (known.n, known.d)
    assert made.Y.shape == (known.n, known.q)
    assert made.Y.dtype == np.uint8
    assert made.X.min() >= known.minimum
    assert len(made.feature_names) == known.d
    assert len(made.label_names) == known.q


def test_other_settings_are_another_set():
    base = {"kind": "chance"} | SMALL["chance"]
    seeds = {describe("a", base | {"seed": s}, Path()).digest for s in (0, 1)}
    assert len(seeds) == 2
    stated = describe("a", base | {"seed": 0}, Path())
    assert stated.digest == describe("a", base, Path()).digest


def test_digits_have_one_class_each():
    made = load("digits", EMBEDDED["digits"], Path())
    assert made.Y.sum() == len(made.Y) == 1797


def test_planted_features_are_known():
    recipe = {"kind": "planted"} | SMALL["planted"]
    made = load("mine", recipe, Path())
    classes = made.Y.argmax(axis=1)
    assert np.array_equal(made.X[:, list(planted_features(recipe))[:3]].sum(1), classes)
    assert planted_features({"kind": "chance"}) == planted_features(None) == ()
