"""mlbench from Python, as scikit-learn's users expect."""

import pickle
from inspect import signature

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.base import clone
from sklearn.metrics import f1_score, make_scorer
from sklearn.model_selection import GridSearchCV, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

from mlbench.classifiers import CLASSIFIERS, MLkNN
from mlbench.data.synthetic import yahoo_like
from mlbench.methods import new_method
from mlbench.reducers import MDDM, MNMTF, PCA, REDUCERS

MULTICLASS = {"oaa", "ovo", "srm-svm", "drm-svm", "ecoc"}


@pytest.fixture(scope="module")
def data():
    corpus = yahoo_like(n=120, d=30, q=4, seed=0)
    return corpus.X.toarray(), corpus.Y


def test_a_pipeline_is_tuned_by_a_grid_search(data):
    X, Y = data
    grid = {"mddm__n_components": [1, 3], "mlknn__k": [3, 7]}
    search = GridSearchCV(
        make_pipeline(MinMaxScaler(), MDDM(), MLkNN()), grid, scoring="f1_micro", cv=3
    ).fit(X, Y)
    assert search.best_params_.keys() == grid.keys()
    said = search.predict(X)
    assert said.shape == Y.shape
    assert f1_score(Y, said, average="micro") > 0.5


def test_a_metric_of_ours_scores_a_grid_search(data):
    from mlbench.metrics.ranking import ranking_loss

    X, Y = data
    by = make_scorer(
        ranking_loss, greater_is_better=False, response_method="decision_function"
    )
    search = GridSearchCV(MLkNN(), {"k": [1, 9]}, scoring=by, cv=3).fit(X, Y)
    assert search.best_params_ == {"k": 9}


def test_a_pipeline_predicts_out_of_fold(data):
    X, Y = data
    made = make_pipeline(PCA(5), MLkNN(5))
    assert cross_val_predict(made, X, Y, cv=3).shape == Y.shape


@pytest.mark.parametrize("name", REDUCERS)
def test_every_reducer_names_its_columns_and_gives_frames(data, name):
    X, Y = data
    model = new_method("reducer", name)
    if "n_components" in signature(type(model)).parameters:
        model.set_params(n_components=3)
    frame = clone(model).set_output(transform="pandas").fit(X, Y).transform(X)
    assert list(frame.columns) == list(model.fit(X, Y).get_feature_names_out())
    assert frame.shape == np.shape(model.transform(X))


@pytest.mark.parametrize("name", [n for n in CLASSIFIERS if n not in MULTICLASS])
def test_every_classifier_survives_clone_and_pickle_in_a_pipeline(data, name):
    X, Y = data
    made = clone(make_pipeline(MinMaxScaler(), new_method("classifier", name)))
    made.fit(X, Y)
    again = pickle.loads(pickle.dumps(made))
    assert_array_equal(again.predict(X), made.predict(X))


def test_a_non_negative_reducer_stands_in_a_pipeline(data):
    X, Y = data
    made = make_pipeline(MNMTF(n_components=6, random_state=0), MLkNN()).fit(X, Y)
    assert made[:-1].transform(X).min() >= 0
    assert made.predict(X).shape == Y.shape
