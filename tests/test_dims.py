"""The grammar of dimensions."""

import pytest

from mlbench.dims import Dim, parse_dims


def labels(wish):
    return [dim.label for dim in parse_dims(wish)]


@pytest.mark.parametrize(
    ("wish", "expected"),
    [
        ("0.1:0.4", ["0.1", "0.2", "0.3", "0.4"]),
        ("0.02:0.06:0.02", ["0.02", "0.04", "0.06"]),
        ("0.5:1:0.25", ["0.5", "0.75", "1.0"]),
        ("10:50:20", ["10", "30", "50"]),
        ("20,5,10", ["5", "10", "20"]),
        ([0.3, 0.1], ["0.1", "0.3"]),
        (20, ["20"]),
        (1, ["1"]),
        (1.0, ["1.0"]),
        ("5,5", ["5"]),
    ],
)
def test_a_wish_is_read_as_written(wish, expected):
    assert labels(wish) == expected


def test_a_long_sweep_of_fractions_has_no_rounding_drift():
    dims = parse_dims("0.02:1:0.02")
    assert len(dims) == 50
    assert [dim.resolve(1000) for dim in dims] == list(range(20, 1001, 20))


def test_a_fraction_is_of_the_features_and_at_least_one():
    assert Dim(fraction=0.1).resolve(23146) == 2315  # Table 1 of the mnmtf paper
    assert Dim(fraction=0.1).resolve(21924) == 2192
    assert Dim(fraction=0.01).resolve(10) == 1


def test_one_and_one_point_zero_are_different_wishes():
    assert parse_dims(1)[0].resolve(50) == 1
    assert parse_dims(1.0)[0].resolve(50) == 50


def test_a_match_is_resolved_by_a_fit_only():
    (dim,) = parse_dims({"match": "mddm", "threshold": 0.99, "of": "eigenvalues"})
    assert dim.resolve(100) is None
    assert dim.label == "mddm 0.99 of eigenvalues"


@pytest.mark.parametrize(
    ("wish", "hint"),
    [
        ("10:50", "needs a step"),
        ("0.5:0.1", "is empty"),
        ("1:2:3:4", "START:STOP:STEP"),
        ("0.1:0.9:0", "is empty"),
        ("0.5,10", "not a fraction"),
        ("0:5:1", "at least 1"),
        ("-3", "at least 1"),
        ("1.5", "not a fraction"),
        ("nan", "not a list of dimensions"),
        ("half", "not a list of dimensions"),
        (True, "not a list of dimensions"),
        (None, "not a list of dimensions"),
        ([], "not a list of dimensions"),
        ("1:1000000:1", "1000000 points"),
        ({"match": "pca"}, "match: mddm"),
        ({"match": "mddm", "thr": 1}, "match: mddm"),
        ({"match": "mddm", "threshold": 0}, "not a share"),
        ({"match": "mddm", "threshold": True}, "not a share"),
        ({"match": "mddm", "of": "energy"}, "singular_values, eigenvalues"),
    ],
)
def test_a_wrong_wish_is_a_sentence(wish, hint):
    with pytest.raises(ValueError, match=hint) as caught:
        parse_dims(wish)
    assert "\n" not in str(caught.value)
