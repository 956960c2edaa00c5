"""The contract: who keeps it, and that each way of breaking it is found and named."""

import json
import sys

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.base import BaseEstimator, ClassifierMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from mlbench.classifiers import CLASSIFIERS
from mlbench.components import load_object
from mlbench.contract import Finding, assert_keeps_contract, examine
from mlbench.contract.basics import BASICS, HAS_METHODS
from mlbench.contract.behaviour import OF_BOTH
from mlbench.contract.examine import QUESTIONS
from mlbench.contract.outputs import ODD_DATA
from mlbench.contract.samples import plain
from mlbench.contract.scikit_learn import VECTOR, WHAT
from mlbench.reducers import REDUCERS
from tests.shell import one_line_error


class First(TransformerMixin, BaseEstimator):
    """Keep the first features: a reducer with nothing wrong in it."""

    nested = True

    def __init__(self, n_components=2):
        self.n_components = n_components

    def fit(self, X, Y=None):
        X = validate_data(self, X, dtype=np.float64)
        if not 1 <= self.n_components <= X.shape[1]:
            raise ValueError(f"n_components must be in 1..{X.shape[1]}")
        return self

    def transform(self, X):
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, dtype=np.float64)
        return X[:, : self.n_components]

    def get_feature_names_out(self, input_features=None):
        return np.array([f"first{i}" for i in range(self.n_components)], dtype=object)


class Share(BaseEstimator):
    """Score a label by how frequent it is: a classifier with nothing wrong in it."""

    def __init__(self, threshold=0.5):
        self.threshold = threshold

    def fit(self, X, Y):
        X, Y = validate_data(self, X, Y, multi_output=True, dtype=np.float64)
        self.share_ = (np.asarray(Y, float).reshape(len(Y), -1) > 0).mean(axis=0)
        return self

    def decision_function(self, X):
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, dtype=np.float64)
        return self.share_ + 0.01 * X[:, :1]

    def predict(self, X):
        return (self.decision_function(X) > self.threshold).astype(int)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.target_tags.multi_output = True
        tags.target_tags.single_output = False
        return tags


class TakesSparse:
    """Says that sparse features are taken."""

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


class RefusesNegative:
    """Says that features below 0 are refused."""

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        return tags


class Nothing:
    """Neither a reducer nor a classifier."""


class NoFit:
    def transform(self, X):
        return X


class NoScores(BaseEstimator):
    def fit(self, X, Y):
        return self

    def predict(self, X):
        return X


class NeedsArgument(First):
    def __init__(self, alpha, n_components=2):
        self.alpha = alpha
        self.n_components = n_components


class LeavesTheProgram(First):
    def __init__(self, n_components=2):
        sys.exit("no licence")


class SomethingElse(First):
    def __new__(cls, n_components=2):
        return []


class NoParams:
    def __init__(self, n_components=2):
        self.n_components = n_components

    def fit(self, X, Y):
        return self

    def transform(self, X):
        return X[:, : self.n_components]


class NoTags(NoParams):
    def get_params(self, deep=True):
        return {"n_components": self.n_components}

    def set_params(self, **settings):
        vars(self).update(settings)
        return self


class ParamsAreNoMapping(First):
    def get_params(self, deep=True):
        return None


class ForgetsASetting(First):
    def __init__(self, n_components=2, alpha=1.0):
        self.n_components = n_components


class ChangesASetting(First):
    def __init__(self, n_components=2, alpha=1.0):
        self.n_components = n_components
        self.alpha = alpha + 1


class TakesAnything(First):
    def __init__(self, *given):
        self.n_components = 2


class RefusesItsOwnSettings(First):
    def __init__(self, n_components=None):
        if n_components is not None:
            raise RuntimeError("set it later")
        self.n_components = 2


class DeafToSettings(First):
    def set_params(self, **settings):
        return self


class NoSize(TransformerMixin, BaseEstimator):
    def fit(self, X, Y):
        return self

    def transform(self, X):
        return X


class TagsRaise(First):
    def __sklearn_tags__(self):
        raise RuntimeError("no tags\ntoday")


class FitRaises(First):
    def fit(self, X, Y=None):
        raise KeyError("no such word")


class FitLeaves(First):
    def fit(self, X, Y=None):
        sys.exit(3)


class TransformRaises(First):
    def transform(self, X):
        raise RuntimeError


class OneDimension(First):
    def transform(self, X):
        return super().transform(X)[:, 0]


class Words(First):
    def transform(self, X):
        return super().transform(X).astype(str)


class Complex(First):
    def transform(self, X):
        return super().transform(X) + 0j


class SparseScores(Share):
    def decision_function(self, X):
        return csr_matrix(super().decision_function(X))


class PredictRaises(Share):
    def predict(self, X):
        raise NotImplementedError("soon")


class AlwaysTwo(First):
    def transform(self, X):
        return super().transform(np.asarray(X))[:, :2]


class LosesASample(First):
    def transform(self, X):
        return super().transform(X)[1:]


class GivesNan(First):
    def transform(self, X):
        given = super().transform(X).copy()
        given[0, 0] = np.nan
        return given


class BreaksPastTheLabels(First):
    def fit(self, X, Y=None):
        if self.n_components > Y.shape[1]:
            raise IndexError("index 4 is out of bounds")
        return super().fit(X, Y)


class RefusesPastTheLabels(First):
    def fit(self, X, Y=None):
        if self.n_components > np.atleast_2d(np.asarray(Y).T).shape[0]:
            raise ValueError("there are not so many directions")
        return super().fit(X, Y)


class NotNonnegative(RefusesNegative, First):
    nonnegative = True

    def transform(self, X):
        return -super().transform(X)


class MiscountsNames(First):
    def get_feature_names_out(self, input_features=None):
        return ["one"]


class NotNested(First):
    def transform(self, X):
        return super().transform(X) / self.n_components


class NotNestedPastTheLabels(First):
    def transform(self, X):
        given = super().transform(X)
        return given * np.where(np.arange(given.shape[1]) < 4, 1, self.n_components)


class NestedWithoutSize(First):
    reduces = False


class ReturnsNothing(First):
    def fit(self, X, Y=None):
        super().fit(X, Y)


class RandomFit(First):
    def fit(self, X, Y=None):
        self.shift_ = np.random.default_rng().normal()
        return super().fit(X, Y)

    def transform(self, X):
        return super().transform(X) + self.shift_


class RandomTransform(First):
    def transform(self, X):
        given = super().transform(X)
        return given + np.random.default_rng().normal(size=given.shape)


class Seeded(RandomFit):
    def __init__(self, n_components=2, random_state=None):
        self.n_components = n_components
        self.random_state = random_state

    def fit(self, X, Y=None):
        self.shift_ = np.random.RandomState(self.random_state).normal()
        return First.fit(self, X, Y)


class FitWritesIntoX(First):
    def fit(self, X, Y=None):
        X -= X.mean(axis=0)
        return super().fit(X, Y)


class FitWritesIntoY(Share):
    def fit(self, X, Y):
        super().fit(X, Y)
        Y[0] = 1 - Y[0]
        return self


class TransformWritesIntoX(First):
    def transform(self, X):
        X *= 2
        return super().transform(X)


class PredictWritesIntoX(Share):
    def predict(self, X):
        labels = super().predict(X)
        X += 1
        return labels


class WritesIntoSparseX(TakesSparse, First):
    def fit(self, X, Y=None):
        if not isinstance(X, np.ndarray):
            X.data[:] = 1
            X = X.toarray()
        return super().fit(X, Y)

    def transform(self, X):
        return super().transform(X if isinstance(X, np.ndarray) else X.toarray())


class CentresTheBatch(First):
    def transform(self, X):
        given = super().transform(X)
        return given - given.mean(axis=0)


class NumbersTheBatch(First):
    def transform(self, X):
        return super().transform(X) + 1e-6 * np.arange(len(X))[:, None]


class SparseClaimed(TakesSparse, First):
    """Says so, and scikit-learn's own check of the input refuses."""


class SparseDiffers(TakesSparse, First):
    def fit(self, X, Y=None):
        self.scale_ = 1.0 if isinstance(X, np.ndarray) else 1.01
        return super().fit(X if isinstance(X, np.ndarray) else X.toarray())

    def transform(self, X):
        X = X if isinstance(X, np.ndarray) else X.toarray()
        return self.scale_ * super().transform(X)


class CannotBePickled(First):
    def fit(self, X, Y=None):
        self.norm_ = lambda x: x
        return super().fit(X, Y)


class ForgetsInPickle(First):
    def __setstate__(self, state):
        vars(self).update(state, n_components=1)


class FitChangesASetting(First):
    def fit(self, X, Y=None):
        super().fit(X, Y)
        self.kept_ = self.n_components
        self.n_components = 1
        return self

    def transform(self, X):
        return X[:, : self.kept_]


class SqueezesLabels(Share):
    def decision_function(self, X):
        return np.squeeze(super().decision_function(X))


class DividesByTheLabel(First):
    def fit(self, X, Y=None):
        self.weight_ = np.sum(1 / np.sum(Y, axis=0))
        return super().fit(X, Y)

    def transform(self, X):
        return super().transform(X) * self.weight_


class DividesByTheDeviation(First):
    def fit(self, X, Y=None):
        self.deviation_ = np.std(X, axis=0)
        return super().fit(X, Y)

    def transform(self, X):
        return super().transform(X / self.deviation_)


class DividesByTheLength(First):
    def transform(self, X):
        return super().transform(X / np.linalg.norm(X, axis=1, keepdims=True))


class TakesRoots(First):
    def transform(self, X):
        return np.sqrt(super().transform(X))


class NonnegativeUntagged(First):
    nonnegative = True


class WrongRefusal(RefusesNegative, First):
    def fit(self, X, Y=None):
        if np.min(X) < 0:
            raise TypeError("negative")
        return super().fit(X, Y)


class WordlessRefusal(RefusesNegative, First):
    def fit(self, X, Y=None):
        if np.min(X) < 0:
            raise ValueError
        return super().fit(X, Y)


class NonnegativeInNameOnly(RefusesNegative, First):
    nonnegative = True


class RootsOfNegatives(RefusesNegative, TakesRoots):
    """Says that features below 0 are refused, and takes their roots."""


class ScoresOneLabel(Share):
    def decision_function(self, X):
        return super().decision_function(X)[:, :1]


class InfiniteScores(Share):
    def decision_function(self, X):
        return np.full_like(super().decision_function(X), -np.inf)


class PredictsMinusOne(Share):
    def predict(self, X):
        return 2 * super().predict(X) - 1


class PredictsOneLabel(Share):
    def predict(self, X):
        return super().predict(X)[:, :1]


class PredictsSparse(Share):
    def predict(self, X):
        return csr_matrix(super().predict(X))


class WantsAMatrix(First):
    def fit(self, X, Y=None):
        self.n_labels_ = Y.shape[1]
        return super().fit(X, Y)


class WithoutMixin(BaseEstimator):
    """A reducer that scikit-learn does not recognize as a transformer."""

    def __init__(self, n_components=2):
        self.n_components = n_components

    fit = First.fit
    transform = First.transform


BROKEN = [
    (Nothing, HAS_METHODS, "has no transform, as a reducer, and no decision_function"),
    (NoFit, HAS_METHODS, "has no fit; a reducer has fit, transform"),
    (NoScores, HAS_METHODS, "has no decision_function; a classifier has fit, deci"),
    (len, HAS_METHODS, "has no transform"),
    (NeedsArgument, "can be made without arguments", "argument: 'alpha'; every sett"),
    (LeavesTheProgram, "can be made without arguments", "SystemExit: no licence"),
    (SomethingElse, "can be made without arguments", "gave something else, a list"),
    (NoParams, "takes settings by keyword and reports them", "has no get_params; it c"),
    (NoTags, "takes settings by keyword and reports them", "has no __sklearn_tags__;"),
    (ParamsAreNoMapping, "takes settings by keyword and reports them", "a dict"),
    (ForgetsASetting, "takes settings by keyword and reports them", "'alpha'"),
    (
        ChangesASetting,
        "takes settings by keyword and reports them",
        "alpha=2.0, given to the constructor, is reported as 3.0",
    ),
    (TakesAnything, "takes settings by keyword and reports them", "get_params raised"),
    (RefusesItsOwnSettings, "takes settings by keyword and reports them", "set it la"),
    (
        DeafToSettings,
        "takes settings by keyword and reports them",
        "n_components=1, after set_params, is reported as 2",
    ),
    (NoSize, "takes settings by keyword and reports them", "no setting n_components"),
    (TagsRaise, "takes settings by keyword and reports them", "no tags today"),
    (FitRaises, "learns from several labels a sample", "fit raised KeyError: 'no such"),
    (FitLeaves, "learns from several labels a sample", "fit raised SystemExit: 3"),
    (TransformRaises, "learns from several labels a sample", "transform raised Runtim"),
    (OneDimension, "learns from several labels a sample", "an array of 1 dimensions"),
    (Words, "learns from several labels a sample", "real numbers were expected"),
    (Complex, "learns from several labels a sample", "gave complex128 values"),
    (SparseScores, "learns from several labels a sample", "gave a sparse matrix"),
    (PredictRaises, "learns from several labels a sample", "predict raised NotImpl"),
    (
        AlwaysTwo,
        "gives as many columns as asked for",
        "with n_components=3 transform gave the shape (40, 2), expected was (40, 3)",
    ),
    (LosesASample, "gives as many columns as asked for", "gave the shape (39, 1)"),
    (GivesNan, "gives as many columns as asked for", "gave 1 of 40 numbers that are"),
    (BreaksPastTheLabels, "gives more columns than labels", "raised IndexError"),
    (NotNonnegative, "gives nothing below 0", "expected was 0 or more"),
    (MiscountsNames, "names its columns", "gave 1 names for 3 columns"),
    (NotNested, "is nested", "the first 1 of 8 columns and a fit with 1: answers dif"),
    (NotNestedPastTheLabels, "is nested", "the first 5 of 8 columns and a fit with 5"),
    (NestedWithoutSize, "is nested", "exclude each other"),
    (ReturnsNothing, "gives itself back from fit", "returned NoneType, expected was"),
    (RandomFit, "gives the same bits twice", "two fits to the same data differ by"),
    (RandomTransform, "gives the same bits twice", "asked twice gave different answ"),
    (FitWritesIntoX, "leaves X and Y as they are", "fit changed the X it was given"),
    (FitWritesIntoY, "leaves X and Y as they are", "fit changed the Y it was given"),
    (TransformWritesIntoX, "leaves X and Y as they are", "transform changed the X"),
    (PredictWritesIntoX, "leaves X and Y as they are", "predict changed the X"),
    (WritesIntoSparseX, "leaves X and Y as they are", "fit changed the X"),
    (CentresTheBatch, "treats every sample by itself", "given one by one and together"),
    (NumbersTheBatch, "treats every sample by itself", "at most 1e-08 was expected"),
    (SparseClaimed, "takes sparse features", "Sparse data was passed"),
    (SparseDiffers, "takes sparse features", "sparse and dense features: answers dif"),
    (CannotBePickled, "survives clone and pickle", "cannot be pickled"),
    (ForgetsInPickle, "survives clone and pickle", "a pickle of the model: the shapes"),
    (FitChangesASetting, "survives clone and pickle", "a clone and the model: the sha"),
    (SqueezesLabels, "copes with one label", "an array of 1 dimensions, a row for ev"),
    (DividesByTheLabel, "copes with a label nobody has", "that are nan or infinite"),
    (DividesByTheDeviation, "copes with a constant feature", "infinity"),
    (DividesByTheLength, "copes with a sample without features", "NaN"),
    *(
        (broken, "takes features below 0, or says that it does not", words)
        for broken, words in [
            (TakesRoots, "that are nan or infinite"),
            (NonnegativeUntagged, "its tag input_tags.positive_only, by which a run"),
            (WrongRefusal, "should be a ValueError that says so, but fit raised TypeE"),
            (WordlessRefusal, "should be a ValueError that says so"),
            (NonnegativeInNameOnly, "expected was 0 or more"),
            (RootsOfNegatives, "it took them, and gave"),
        ]
    ),
    (ScoresOneLabel, "scores every label of every sample", "(40, 1), expected was (40"),
    (InfiniteScores, "scores every label of every sample", "160 of 160 numbers that a"),
    (PredictsMinusOne, "predicts 0 or 1 for every label", "predict gave -1, only 0 an"),
    (PredictsOneLabel, "predicts 0 or 1 for every label", "predict gave the shape"),
    (PredictsSparse, "predicts 0 or 1 for every label", "predict gave a sparse matri"),
    (WantsAMatrix, VECTOR, "Y.reshape(len(Y), -1) makes it a matrix"),
    (WithoutMixin, WHAT, "inherit from the TransformerMixin"),
    (CannotBePickled, "check_estimators_pickle(readonly_memmap=True)", "lambda"),
    (ReturnsNothing, "check_estimators_fit_returns_self", "AssertionError: assert"),
]


@pytest.mark.parametrize(
    ("broken", "check", "words"),
    BROKEN,
    ids=[broken.__name__ for broken, _, _ in BROKEN],
)
def test_what_is_broken_is_found_and_named(broken, check, words):
    found = {finding.check: finding for finding in examine(broken)}[check]
    assert found.status == "failed"
    assert words in found.reason
    assert "\n" not in found.line


def test_every_check_of_ours_has_been_seen_to_fail():
    every = {HAS_METHODS, VECTOR, WHAT, *BASICS, *OF_BOTH, *ODD_DATA}
    every |= {check for questions in QUESTIONS.values() for check in questions}
    assert every <= {check for _, check, _ in BROKEN}


BUILT_IN = [*REDUCERS.values(), *CLASSIFIERS.values()]


@pytest.mark.parametrize("path", BUILT_IN, ids=lambda path: path.partition(":")[2])
def test_every_method_of_ours_keeps_the_contract(path):
    assert_keeps_contract(load_object(path))


@pytest.mark.parametrize("sound", [First, Share, Seeded, RefusesPastTheLabels])
def test_a_class_with_nothing_wrong_keeps_the_contract(sound):
    assert_keeps_contract(sound)
    assert_keeps_contract(sound())


def status_of(given, check):
    return {finding.check: finding for finding in examine(given)}[check]


def test_more_columns_than_labels_may_be_refused_with_a_reason():
    found = status_of(RefusesPastTheLabels, "gives more columns than labels")
    assert found.status == "skipped"
    assert "there are not so many directions" in found.reason


def test_what_is_not_claimed_is_skipped_with_the_reason():
    class Modest(First):
        nested = False

    for check, words in {
        "is nested": "it does not say nested = True",
        "takes sparse features": "it is given dense features",
        "gives nothing below 0": "it does not say nonnegative = True",
    }.items():
        found = status_of(Modest, check)
        assert found.status == "skipped"
        assert words in found.reason


def test_a_classifier_of_single_classes_is_examined_with_those():
    found = examine(load_object(CLASSIFIERS["oaa"]))
    by_check = {finding.check: finding for finding in found}
    assert "exactly one class" in by_check["learns from several labels a sample"].reason
    assert by_check["scores every label of every sample"].status == "ok"


def test_checks_for_vectors_of_classes_do_not_count_for_labels():
    class Mixed(ClassifierMixin, Share):
        pass

    excused = status_of(Mixed, "check_classifiers_train")
    assert excused.status == "skipped"
    assert "labels are a row of 0/1 a sample" in excused.reason


def test_an_instance_is_examined_with_its_settings():
    class Moody(First):
        def __init__(self, n_components=2, mood="good"):
            self.n_components = n_components
            self.mood = mood

        def transform(self, X):
            given = super().transform(X)
            return given if self.mood == "good" else given * np.nan

    check = "gives as many columns as asked for"
    assert status_of(Moody, check).status == "ok"
    assert status_of(Moody(mood="bad"), check).status == "failed"


def test_after_a_failed_basic_the_rest_waits_for_it():
    first, second, *rest = examine(NeedsArgument)
    assert (first.status, second.status) == ("ok", "failed")
    assert {finding.status for finding in rest} == {"skipped"}
    assert {finding.reason for finding in rest} == {
        "only once it can be made without arguments"
    }


def test_scikit_learn_waits_for_a_class_that_takes_its_labels():
    *_, vector, waiting = examine(WantsAMatrix)
    assert (vector.check, vector.status) == (VECTOR, "failed")
    assert (waiting.check, waiting.status) == (WHAT, "skipped")


def test_the_assertion_lists_what_failed_and_nothing_else():
    with pytest.raises(AssertionError) as raised:
        assert_keeps_contract(NotNested())
    first, *lines = str(raised.value).splitlines()
    assert first == "NotNested breaks the contract:"
    assert lines
    assert all(line.startswith("failed ") for line in lines)


def test_a_finding_cannot_be_changed():
    with pytest.raises(AttributeError):
        Finding("is nested", "ok").status = "failed"


def test_the_data_has_every_label_and_every_feature_varies():
    for samples in (plain(), plain(cardinality=1)):
        counts = samples.Y.sum(axis=0)
        assert counts.min() > 0
        assert counts.max() < len(samples.Y)
        assert np.ptp(samples.X, axis=0).min() > 0
    assert set(samples.Y.sum(axis=1)) == {1}


MODULE = """\
import numpy as np
from mlbench.reducers.pca import PCA

print("hello from the module")


class Bad(PCA):
    nested = False

    def transform(self, X):
        print("hello from transform")
        return helper(super().transform(X))


def helper(Z):
    if len(Z) == 1:
        raise RuntimeError("one sample\\nis too few")
    return Z


class Good(PCA):
    pass
"""


@pytest.fixture
def module(mlbench, monkeypatch):
    """A user's module in the current folder, forgotten afterwards."""
    monkeypatch.setattr(sys, "path", [*sys.path])
    (mlbench.folder / "badmodule.py").write_text(MODULE)
    yield mlbench
    sys.modules.pop("badmodule", None)


def test_check_prints_a_line_for_each_check_and_a_summary(module):
    result = module("check", "badmodule:Bad")
    assert result.exit_code == 1
    *lines, summary = result.stdout.splitlines()
    assert {line.split()[0] for line in lines} == {"ok", "failed", "skipped"}
    assert "ok       gives the same bits twice" in lines
    assert (
        "failed   treats every sample by itself: transform raised RuntimeError: "
        "one sample is too few" in lines
    )
    counts = [sum(x.startswith(s) for x in lines) for s in ("ok", "failed", "skipped")]
    expected = "badmodule:Bad: {} ok, {} failed, {} skipped".format(*counts)
    assert summary == expected
    assert "Traceback" not in result.output


def test_check_ends_with_zero_if_nothing_failed(module):
    result = module("check", "badmodule:Good")
    assert result.exit_code == 0, result.output
    assert " 0 failed, " in result.stdout.splitlines()[-1]


def test_trace_shows_where_a_class_raised_and_nothing_of_ours(module):
    shown = module("check", "badmodule:Bad", "--trace").stdout
    assert "Traceback (most recent call last):" in shown
    assert 'raise RuntimeError("one sample' in shown
    first_frame = shown.partition("Traceback")[2].splitlines()[1]
    assert "contract" not in first_frame
    assert "Traceback" not in module("check", "badmodule:Bad").stdout


def test_json_has_the_findings_and_nothing_that_a_class_prints(module):
    rows = json.loads(module("check", "badmodule:Bad", "--json").stdout)
    assert all(set(row) == {"path", "check", "status", "reason"} for row in rows)
    (row,) = [row for row in rows if row["check"] == "treats every sample by itself"]
    assert row["path"] == "badmodule:Bad"
    assert row["status"] == "failed"
    traced = json.loads(module("check", "badmodule:Bad", "--json", "--trace").stdout)
    assert any("in helper" in row["trace"] for row in traced)


def test_a_short_name_is_that_of_every_method_of_that_name(mlbench):
    result = mlbench("check", "cca")
    assert result.exit_code == 0, result.output
    summaries = [line for line in result.stdout.splitlines() if " ok, " in line]
    assert [line.partition(": ")[0] for line in summaries] == [
        REDUCERS["cca"],
        CLASSIFIERS["cca"],
    ]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("mdmd", "did you mean 'mddm'?"),
        ("nosuchmodule:Mine", "No module named 'nosuchmodule'"),
        ("badmodule:Worse", "has no attribute 'Worse'"),
        ("badmodule", "unknown method 'badmodule'"),
        ("leaving:Mine", "calls sys.exit when it is imported"),
        ("unfinished:Mine", "unfinished"),
    ],
)
def test_what_cannot_be_found_is_one_line(module, name, words):
    (module.folder / "leaving.py").write_text("import sys\nsys.exit(0)\n")
    (module.folder / "unfinished.py").write_text("class Mine(\n")
    assert words in one_line_error(module("check", name))


@pytest.mark.parametrize("command", ["new", "check"])
def test_the_help_shows_an_example(mlbench, command):
    shown = mlbench(command, "--help")
    assert "mlbench " in shown.output.partition("Example:\n")[2]
