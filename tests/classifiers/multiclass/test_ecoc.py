"""ECOC as a whole: code, learners, outcomes, decoder; learners trained once."""

from itertools import product

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from mlbench.classifiers.multiclass import lda, learners
from mlbench.classifiers.multiclass.codes import one_against_one, random_code
from mlbench.classifiers.multiclass.ecoc import ECOC
from mlbench.classifiers.multiclass.learners import forget_trainings
from mlbench.classifiers.multiclass.oaa import OneAgainstAll
from mlbench.classifiers.multiclass.ovo import OneAgainstOne
from mlbench.classifiers.multiclass.reliability import SRMSVM
from mlbench.data.load import load
from tests.classifiers.multiclass.test_decoders import (
    plain_groups,
    plain_table_scores,
)

DECODERS = ("hamming", "independent", "conditional")


@pytest.fixture(autouse=True)
def _fresh_memo():
    forget_trainings()


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    classes = np.arange(150) % 6
    X = rng.normal(scale=1.5, size=(6, 3))[classes] + rng.normal(size=(150, 3))
    return X, np.eye(6)[classes], classes


@pytest.fixture
def trained_columns(monkeypatch):
    """Every dichotomy a learner is trained for, by either kind of learner."""
    columns = []
    for trainer in (lda._LDATrainer, learners._SVMTrainer):

        def train(self, column, plain=trainer.train):
            columns.append((type(self).__name__, column.tobytes()))
            return plain(self, column)

        monkeypatch.setattr(trainer, "train", train)
    return columns


@pytest.mark.parametrize("kind", ["random", "one-against-one"])
def test_the_whole_is_code_learners_correlation_groups_and_tables(data, kind):
    X, Y, classes = data
    code = random_code(6, 9, 4) if kind == "random" else one_against_one(6)
    outcomes = np.zeros((150, code.shape[1]), dtype=bool)
    for j, column in enumerate(code.T):
        sides = column[classes]
        theirs = LinearDiscriminantAnalysis(solver="lsqr")
        theirs.fit(X[sides != 0], sides[sides != 0])
        outcomes[:, j] = theirs.decision_function(X) > 0
    correlation = abs(np.corrcoef(outcomes.T.astype(float))).round(9)
    groups = plain_groups(correlation, 3)
    expected = plain_table_scores(outcomes, classes, outcomes, groups, 1.0)

    n_learners = 9 if kind == "random" else None
    model = ECOC(
        kind,
        n_learners,
        decoder="conditional",
        max_group=3,
        ridge=1e-12,
        random_state=4,
    ).fit(X, Y)

    assert_array_equal(model.code_, code)
    assert model.groups_ == groups
    assert_allclose(model.decision_function(X), expected, rtol=1e-10)


@pytest.mark.parametrize("learner", ["lda", "svm"])
def test_groups_of_one_learner_are_the_independent_decoder(data, learner):
    X, Y, _ = data
    model = ECOC(n_learners=12, learner=learner)
    alone = {"decoder": "conditional", "max_group": 1}
    first, second = model.fit_many(X, Y, [alone, {"decoder": "independent"}])
    assert_array_equal(first.decision_function(X), second.decision_function(X))


def test_hamming_decoding_of_pairs_counts_votes(data):
    X, Y, _ = data
    votes = OneAgainstOne().fit(X, Y).decision_function(X).round()
    model = ECOC("one-against-one", learner="svm").fit(X, Y)
    # A class is left out of 10 of the 15 pairs: 5 half errors, 5 pairs to win.
    assert_array_equal(model.decision_function(X), votes - 5 - 5)


def test_every_dichotomy_is_trained_once_for_all_settings(data, trained_columns):
    X, Y, _ = data
    settings = [
        {"code": code, "n_learners": n, "decoder": decoder, "keep": keep}
        for (code, n), decoder, keep in product(
            [("random", 10), ("random", 25), ("one-against-one", None)],
            DECODERS,
            [None, 0.5],
        )
    ]
    for learner in ("lda", "svm"):
        models = list(ECOC(learner=learner).fit_many(X, Y, settings))
        assert len(models) == 18
    assert len(trained_columns) == len(set(trained_columns)) == 2 * (25 + 15)


def test_methods_that_follow_one_another_share_their_learners(data, trained_columns):
    X, Y, _ = data
    OneAgainstAll().fit(X, Y)
    assert len(trained_columns) == 6
    SRMSVM().fit(X, Y)
    ECOC("one-against-all", learner="svm").fit(X.copy(), Y)
    assert len(trained_columns) == 6
    SRMSVM(C=2.0).fit(X, Y)
    assert len(trained_columns) == 12


def test_copies_fitted_together_share_even_what_the_memo_cannot_hold(
    data, trained_columns, monkeypatch
):
    monkeypatch.setattr(learners, "MEMO_BYTES", 0)
    X, Y, _ = data
    settings = [
        {"learner": learner, "decoder": decoder}
        for decoder in DECODERS
        for learner in ("lda", "svm")
    ]
    list(ECOC(n_learners=8).fit_many(X, Y, settings))
    assert len(trained_columns) == 16


def test_a_training_set_changed_in_place_is_another_one(data):
    X, Y, _ = data
    X = X.copy()
    model = ECOC(n_learners=5)
    before = model.fit(X, Y).decision_function(data[0])
    X[:, 0] *= -3
    X[:, 1] = 0
    after = model.fit(X, Y).decision_function(data[0])
    forget_trainings()
    assert_array_equal(model.fit(X, Y).decision_function(data[0]), after)
    assert (before != after).any()


@pytest.mark.parametrize("decoder", DECODERS)
def test_eliminated_learners_leave_the_rest_of_the_code(data, decoder):
    X, Y, _ = data
    whole = ECOC(n_learners=20, decoder=decoder).fit(X, Y)
    model = ECOC(n_learners=20, decoder=decoder, keep=0.6).fit(X, Y)
    assert model.code_.shape == (6, 12)
    assert len(model.deciders_) == 12
    assert sorted(sum(model.groups_, [])) == list(range(12))
    there = {column.tobytes() for column in whole.code_.T}
    assert {column.tobytes() for column in model.code_.T} < there
    number = ECOC(n_learners=20, decoder=decoder, keep=12).fit(X, Y)
    assert_array_equal(number.decision_function(X), model.decision_function(X))


def test_tables_after_elimination_are_those_of_the_learners_left(data):
    X, Y, classes = data
    model = ECOC(n_learners=20, decoder="conditional", keep=7).fit(X, Y)
    outcomes = np.column_stack([each.values(X) > 0 for each in model.deciders_])
    expected = plain_table_scores(outcomes, classes, outcomes, model.groups_, 1.0)
    assert_allclose(model.decision_function(X), expected, rtol=1e-10)


@pytest.mark.parametrize("decoder", DECODERS)
def test_replacing_learners_never_adds_training_errors(data, decoder):
    X, Y, _ = data
    wrong = []
    for rounds in (0, 1, 2, 9):
        model = ECOC(n_learners=10, decoder=decoder, keep=0.6 if rounds else None)
        model.set_params(rounds=rounds).fit(X, Y)
        wrong.append((model.predict(X) != Y).any(axis=1).sum())
        assert model.code_.shape == (6, 10)
        assert model.rounds_ <= rounds
    assert wrong == sorted(wrong, reverse=True)
    assert wrong[-1] < wrong[0]


def test_replacement_ends_when_there_is_nothing_to_propose():
    classes = np.arange(12) % 3
    model = ECOC(n_learners=3, keep=1, rounds=5)
    model.fit(np.eye(3)[classes], np.eye(3)[classes])  # no confusions at all
    assert model.rounds_ == 0
    assert model.code_.shape == (3, 3)


@pytest.mark.parametrize(
    ("setting", "reason"),
    [
        ({"code": "dense"}, "code must be one of random, one-against-one, one-aga"),
        ({"learner": "tree"}, "learner must be one of lda, svm, got 'tree'"),
        ({"decoder": "soft"}, "decoder must be one of hamming, independent, cond"),
        ({"smoothing": 0}, "smoothing must be a number above 0, got 0"),
        ({"max_group": 13}, r"max_group must be in 1\.\.12"),
        ({"keep": 7, "n_learners": 5}, r"keep must be in 1\.\.5"),
        ({"rounds": -1}, "rounds must be a whole number from 0 on, got -1"),
        ({"rounds": 1.5}, "rounds must be a whole number from 0 on, got 1.5"),
        ({"rounds": 1}, r"keep must be a share .* \(rounds=1\), got None"),
        ({"n_learners": 32}, r"n_learners must be in 1\.\.31"),
        ({"ridge": 0}, "ridge must be a number above 0, got 0"),
    ],
)
def test_an_impossible_setting_is_refused(data, setting, reason):
    with pytest.raises(ValueError, match=reason):
        ECOC(**setting).fit(*data[:2])


@pytest.mark.real
def test_on_real_vowels_tables_of_groups_beat_independence_beats_hamming(real_data):
    vowel = load("vowel", real_data)
    rows = np.random.default_rng(0).permutation(len(vowel.Y))
    train, test = rows[:693], rows[693:]
    settings = [{"decoder": decoder} for decoder in DECODERS]
    models = ECOC(n_learners=50).fit_many(vowel.X[train], vowel.Y[train], settings)
    right = [
        (model.predict(vowel.X[test]) == vowel.Y[test]).all(axis=1).sum()
        for model in models
    ]
    assert right == sorted(right)
