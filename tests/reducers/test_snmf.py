import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.io import loadmat
from scipy.sparse import csr_array
from scipy.stats import rankdata, spearmanr
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

from mlbench.data.simulated import chance, planted
from mlbench.reducers.fisher import fisher_scores
from mlbench.reducers.nnls import kkt_residual
from mlbench.reducers.snmf import (
    SNMF,
    best_first,
    factorize,
    farthest,
    penalty,
    pull,
    spread,
    start,
    unit_non_negative,
    update_h,
    update_w,
)


@parametrize_with_checks([SNMF(n_components=1), SNMF(keep="projection")])
def test_keeps_the_sklearn_contract(estimator, check):
    check(estimator)


def data(n=30, d=7, q=3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.poisson(0.9, size=(n, d)).astype(float)
    Y = X[:, np.arange(q) % d] + rng.normal(scale=0.5, size=(n, q)) > 1
    return X, Y.astype(np.uint8)


def problem(n=12, m=5, k=3, seed=0):
    """V, W, H with unit rows, and the class+ of each row, in the paper's letters."""
    rng = np.random.default_rng(seed)
    V, W, H = (rng.uniform(size=size) for size in [(m, n), (m, k), (k, n)])
    sides = np.arange(n) % (k + 1) == np.arange(k)[:, None]
    return V, W, H / np.linalg.norm(H, axis=1, keepdims=True), sides


# ------------------------------------------------------------ the paper's equations


def literal_alpha(side):
    """Equation 4."""
    n_1, n_2 = sum(side), sum(~side)
    return np.array([1 / n_1 if plus else -1 / n_2 for plus in side])


def literal_d(side):
    """Equation 7."""
    n_1, n_2 = sum(side), sum(~side)
    D = np.zeros((len(side), len(side)))
    for i, j in np.ndindex(D.shape):
        if side[i] and side[j]:
            D[i, j] = 1 / n_1
        elif not side[i] and not side[j]:
            D[i, j] = 1 / n_2
    return D


def literal_gamma(gamma, side):
    """The gamma of equation 9 of which ``gamma`` is the one per label, here."""
    return gamma * sum(side) * sum(~side) / len(side)


def literal_objective(V, W, H, sides, gamma, lam):
    """Equation 9, one row of H, with its own class+, after the other."""
    WH = W @ H
    total = sum((V[i, j] - WH[i, j]) ** 2 for i, j in np.ndindex(V.shape)) / 2
    for h, side in zip(H, sides, strict=True):
        alpha, D = literal_alpha(side), literal_d(side)
        total -= literal_gamma(gamma, side) * (h @ alpha) ** 2
        total += lam * (h - h @ D) @ (h - h @ D)
    return total


def literal_gradient(V, W, H, sides, gamma, lam, j):
    """What equation 10 multiplies by eta, for row j of H."""
    alpha, D = literal_alpha(sides[j]), literal_d(sides[j])
    h = H[j]
    return (
        (W.T @ W @ H - W.T @ V)[j]
        - 2 * literal_gamma(gamma, sides[j]) * (h @ alpha) * alpha
        + 2 * lam * (h - 2 * h @ D + h @ D @ D.T)
    )


weights = pytest.mark.parametrize(("gamma", "lam"), [(0, 0), (2, 0), (0, 3), (2, 3)])


@weights
def test_the_supervised_terms_are_those_of_equation_9(gamma, lam):
    V, W, H, sides = problem()
    expected = literal_objective(V, W, H, sides, gamma, lam)
    fit = literal_objective(V, W, H, sides, 0, 0)
    assert_allclose(penalty(H, sides, gamma, lam), expected - fit)


@weights
def test_the_objective_of_a_sweep_is_equation_9(gamma, lam):
    V, _, H, sides = problem()
    options = {"gamma": gamma, "lam": lam}
    for sweeps in (1, 4):
        W, G, values = factorize(
            V, H, sides, **options, stop=lambda v, most=sweeps: len(v) == most
        )
        assert_allclose(values[-1], literal_objective(V, W, G, sides, gamma, lam))


@weights
def test_equation_10_has_the_gradient_of_equation_9(gamma, lam):
    V, W, H, sides = problem()
    step = 1e-6
    for j, i in np.ndindex(H.shape):
        E = np.zeros_like(H)
        E[j, i] = step
        higher, lower = (
            literal_objective(V, W, H + e, sides, gamma, lam) for e in (E, -E)
        )
        gradient = literal_gradient(V, W, H, sides, gamma, lam, j)
        assert_allclose((higher - lower) / (2 * step), gradient[i], atol=1e-6)


@weights
def test_update_h_is_equation_10_with_the_rate_of_each_row(gamma, lam, monkeypatch):
    monkeypatch.setattr("mlbench.reducers.snmf.REPEATS", 1)
    V, W, H, sides = problem()
    new = update_h(H, W.T @ V, W.T @ W, sides, gamma, lam)
    for j, w in enumerate(W.T):
        eta = 1 / (w @ w + 2 * lam)
        h = H[j] - eta * literal_gradient(V, W, H, sides, gamma, lam, j)
        h = np.maximum(h, 0)
        H[j] = h / np.linalg.norm(h)
        assert_allclose(new[j], H[j], atol=1e-12)


def test_update_w_is_equation_10_with_the_rate_of_each_column(monkeypatch):
    monkeypatch.setattr("mlbench.reducers.snmf.REPEATS", 1)
    V, W, H, _ = problem()
    H[0] *= 2  # the rate is that of rows of any length
    new = update_w(W, V @ H.T, H @ H.T)
    for j, h in enumerate(H):
        gradient = (W @ H @ H.T - V @ H.T)[:, j]
        W[:, j] = np.maximum(W[:, j] - gradient / (h @ h), 0)
        assert_allclose(new[:, j], W[:, j])


def test_pull_is_built_from_alpha_and_d():
    _, _, H, sides = problem()
    for h, side in zip(H, sides, strict=True):
        alpha, D = literal_alpha(side), literal_d(side)
        expected = 2 * literal_gamma(2, side) * (h @ alpha) * alpha + 2 * 3 * h @ D
        assert_allclose(pull(h, side, 2, 3), expected)


def test_shares_of_a_row_add_up_to_its_length():
    _, _, H, sides = problem()
    for h, side in zip(H, sides, strict=True):
        within = penalty(h[None], side[None], 0, 1)
        between = -penalty(h[None], side[None], 1, 0)
        assert_allclose(within + between + len(h) * h.mean() ** 2, 1)


# -------------------------------------------------------------------- well-posedness


@pytest.mark.parametrize("lam", [0, 1000])
def test_equation_9_alone_falls_without_end_as_h_grows_and_w_shrinks(lam):
    V, W, _, sides = problem()
    H = sides.astype(float)  # nothing varies within a class, so that lam has no say
    values = [
        literal_objective(V, W / c, H * c, sides, 2, lam) for c in (1, 10, 1e3, 1e5)
    ]
    assert values[-1] < -1e3
    assert np.diff(values).max() < 0


@settings(deadline=None)
@given(st.floats(1e-3, 1e6), st.sampled_from([(2, 0), (0, 3), (2, 3)]))
def test_scaling_h_up_and_w_down_leaves_the_objective_as_it_is(scale, weights):
    V, W, H, sides = problem()
    W2, H2 = W / scale, H * scale
    assert_allclose(((V - W2 @ H2) ** 2).sum(), ((V - W @ H) ** 2).sum())
    assert_allclose(penalty(H2, sides, *weights), penalty(H, sides, *weights))


def test_the_objective_has_a_bound_from_below():
    X, Y = data()
    model = SNMF(gamma=5, lam=0, tol=0, max_iter=100, random_state=0).fit(X, Y)
    assert min(model.objective_) >= -5 * (X**2).sum() * len(model.components_)


def test_the_unit_of_the_features_does_not_matter():
    X, Y = data()
    for keep in ("features", "projection"):
        model = SNMF(3, keep=keep, random_state=0)
        one, other = clone(model).fit(X, Y), clone(model).fit(1e3 * X, Y)
        assert_allclose(one.components_, other.components_, atol=1e-8)
        assert_allclose(1e6 * np.array(one.objective_), other.objective_)


# ------------------------------------------------------------------- descent, optimum


@settings(deadline=None, max_examples=40)
@given(
    st.integers(2, 20),
    st.integers(1, 8),
    st.integers(1, 6),
    st.sampled_from([0, 0.001, 0.1, 1, 100]),
    st.sampled_from([0, 0.001, 0.1, 1, 100]),
    st.sampled_from([np.asarray, csr_array]),
    st.data(),
)
def test_the_objective_never_increases(n, d, q, gamma, lam, form, draw):
    k = draw.draw(st.integers(1, 9))
    X, Y = data(n, d, q, seed=draw.draw(st.integers(0, 2**32 - 1)))
    model = SNMF(
        1, n_parts=k, gamma=gamma, lam=lam, tol=0, max_iter=25, random_state=0
    ).fit(form(X), Y)
    size = 1 + (1 + gamma + lam) * k * (X**2).sum()
    assert np.diff(model.objective_).max(initial=0) <= 1e-12 * size


@settings(deadline=None)
@given(st.integers(1, 12), st.integers(0, 2**32 - 1))
def test_no_unit_vector_is_longer_along_a_direction(n, seed):
    rng = np.random.default_rng(seed)
    direction = rng.normal(size=n) - rng.choice([0, 3])
    best = unit_non_negative(direction, None)
    assert_allclose(np.linalg.norm(best), 1)
    assert best.min() >= 0
    for _ in range(20):
        other = np.abs(rng.normal(size=n))
        assert best @ direction >= other @ direction / np.linalg.norm(other) - 1e-12


def test_a_direction_of_zeros_leaves_a_row_as_it_is():
    old = np.array([0.6, 0.8])
    assert unit_non_negative(np.zeros(2), old) is old


@pytest.mark.parametrize(("gamma", "lam"), [(0, 0), (0.3, 0), (0, 0.3), (0.3, 0.3)])
def test_the_limit_fulfils_the_kkt_conditions(gamma, lam):
    V, _, H, sides = problem()
    options = {"gamma": gamma, "lam": lam}
    W, H, _ = factorize(V, H, sides, **options, stop=lambda v: len(v) == 600)
    assert kkt_residual(H @ H.T, H @ V.T, W.T).max() < 1e-8
    for j, h in enumerate(H):
        gradient = literal_gradient(V, W, H, sides, gamma, lam, j)
        gradient -= (gradient @ h) * h  # what the sphere leaves of it
        wrong = np.where(h > 0, np.abs(gradient), np.maximum(-gradient, 0))
        assert wrong.max() < 1e-8


def test_a_fit_is_its_factorization():
    X, Y = data()
    model = SNMF(3, keep="projection", tol=0, max_iter=6, random_state=0).fit(X, Y)
    sides, unit = Y.T > 0, 0.1 * (X**2).sum()
    H = start(np.random.RandomState(0), sides, 3)
    W, _, values = factorize(
        X.T, H, sides, gamma=unit, lam=unit, stop=lambda values: len(values) == 6
    )
    assert_array_equal(model.components_.T, W / np.linalg.norm(W, axis=0))
    assert model.objective_ == values
    assert_array_equal(model.labels_, [0, 1, 2])


def test_strong_supervision_leaves_the_means_of_each_class():
    X, _ = data()
    classes = np.arange(30) % 3
    model = SNMF(1, gamma=1e4, lam=0, random_state=0).fit(X, np.eye(3)[classes])
    for k, part in enumerate(model.components_):
        mean = X[classes == k].mean(axis=0)
        assert_allclose(part, mean / np.linalg.norm(mean), atol=1e-3)


# ------------------------------------------------------------------ labels and parts


def test_a_start_leans_to_its_class_and_in_the_second_round_away_from_it():
    sides = np.array([[True, False, False, False], [True, True, False, False]])
    H = start(np.random.RandomState(0), np.tile(sides, (40, 1)), 2)
    assert_allclose(np.linalg.norm(H, axis=1), 1)
    for j, (h, side) in enumerate(zip(H, np.tile(sides, (40, 1)), strict=True)):
        assert (h[side].mean() > h[~side].mean()) == (j % 4 < 2)


def test_components_go_round_the_labels_or_take_the_most_even_ones():
    Y = np.array([[1, 1, 0, 1], [0, 1, 0, 1], [0, 0, 1, 1], [0, 0, 1, 0]])
    assert_array_equal(spread(Y, 4), [0, 1, 2, 3])
    assert_array_equal(spread(Y, 6), [0, 1, 2, 3, 0, 1])
    assert_array_equal(spread(Y, 2), [1, 2])
    assert spread(Y[:, :0], 3).size == 0


@pytest.mark.parametrize(("q", "k"), [(1, 2), (2, 2), (3, 3), (5, 5)])
def test_there_is_a_part_for_every_label_and_two_at_least(q, k):
    X, Y = data(q=q)
    assert SNMF(1, random_state=0).fit(X, Y).components_.shape == (k, 7)
    assert SNMF(1, n_parts=4, random_state=0).fit(X, Y).components_.shape == (4, 7)


@pytest.mark.parametrize("value", [0, 1])
def test_a_label_that_does_not_vary_is_left_out(value):
    X, Y = data()
    more = np.insert(Y, 1, value, axis=1)
    one, other = (SNMF(2, random_state=0).fit(X, Z) for Z in (Y, more))
    assert_array_equal(one.components_, other.components_)
    assert_array_equal(other.labels_, [0, 2, 3])


@pytest.mark.parametrize("value", [0, 1])
def test_without_a_label_that_varies_the_parts_are_those_of_plain_nmf(value):
    X, Y = data()
    same = SNMF(2, n_parts=3, random_state=0).fit(X, np.full_like(Y, value))
    assert same.labels_.size == 0
    plain = SNMF(2, n_parts=3, gamma=0, lam=0, random_state=0)
    plain.fit(X, np.full_like(Y, value))
    assert_array_equal(same.components_, plain.components_)
    assert np.diff(same.objective_).max() <= 1e-10


def test_label_values_other_than_one_count_as_one():
    X, Y = data()
    ones, sevens = (SNMF(2, random_state=0).fit(X, Z) for Z in (Y, 7 * Y))
    assert_array_equal(ones.components_, sevens.components_)


# --------------------------------------------------------------------- degenerate data


def few_samples():
    return data(n=4, d=9)


def one_label():
    return data(q=1)


def many_labels():
    return data(q=20)


def one_feature():
    return data(d=1)


def samples_without_labels_or_features():
    X, Y = data()
    X[3], Y[4] = 0, 0
    return X, Y


def constant_features():
    X, Y = data()
    X[:, 2], X[:, 3] = 0, 5
    return X, Y


def nothing_but_zeros():
    X, Y = data()
    return np.zeros_like(X), Y


def identical_samples():
    X, Y = data()
    return np.repeat(X[:1], len(X), axis=0), Y


def one_outlier():
    X, Y = data()
    X[0] *= 1e6
    return X, Y


def huge_values():
    X, Y = data()
    return 1e120 * X, Y


def tiny_values():
    X, Y = data()
    return 1e-120 * X, Y


DATA = [
    few_samples,
    one_label,
    many_labels,
    one_feature,
    samples_without_labels_or_features,
    constant_features,
    nothing_but_zeros,
    identical_samples,
    one_outlier,
    huge_values,
    tiny_values,
]
all_data = pytest.mark.parametrize("make", DATA, ids=lambda make: make.__name__)
both_ways = pytest.mark.parametrize("keep", ["features", "projection"])


@all_data
@both_ways
@pytest.mark.parametrize("supervised", [0, 0.1, 10])
def test_every_dimension_can_be_had_of_any_data(make, keep, supervised):
    X, Y = make()
    for r in {1, X.shape[1]}:
        model = SNMF(r, keep=keep, gamma=supervised, lam=supervised, random_state=0)
        Z = model.fit(X, Y).transform(X)
        assert Z.shape == (len(X), r)
        assert Z.dtype == np.float64
        for values in (Z, model.components_, model.scores_):
            assert np.isfinite(values).all()
            assert values.min() >= 0
        lengths = np.linalg.norm(model.components_, axis=1)
        assert_allclose(lengths[lengths > 0], 1)
        assert_array_equal(np.sort(model.ranking_), range(X.shape[1]))
        assert len(model.objective_) == model.n_iter_


# ---------------------------------------------------------------------- as a reducer


def test_the_score_of_a_feature_is_its_largest_distance_from_the_middle_of_a_column():
    W = np.array([[0.0, 5.0], [1.0, 5.0], [2.0, 5.0], [9.0, 5.0], [3.0, 5.0]])
    deviation = np.sqrt(np.mean((W[:, 0] - 3) ** 2))
    assert_allclose(farthest(W), np.array([3, 2, 1, 6, 0]) / deviation)
    W[:, 1] = [0, 0, 0, 0, 1]  # the last feature is at the end of this column
    assert_allclose(farthest(W)[4], 2)
    assert_allclose(farthest(W)[3], 6 / deviation)


def test_the_features_kept_are_the_first_of_the_ranking_as_they_are():
    X, Y = data()
    model = SNMF(3, random_state=0).fit(X, Y)
    assert_array_equal(model.ranking_, np.argsort(-model.scores_))
    assert_array_equal(model.ranking_[model.ranks_], np.arange(7))
    for form in (np.asarray, csr_array):
        Z = model.transform(form(X))
        assert type(Z) is np.ndarray
        assert_array_equal(Z, X[:, model.ranking_[:3]])


def test_features_that_are_equal_keep_their_order():
    X, Y = data()
    ranks = SNMF(1, random_state=0).fit(np.hstack([X, X, X]), Y).ranks_
    assert np.diff(ranks.reshape(3, 7), axis=0).min() > 0


def test_scores_that_differ_by_rounding_alone_are_equal():
    scores = np.array([3, 5 - 1e-12, 5, 5 + 1e-12, 5 + 1e-6])
    assert_array_equal(best_first(scores), [4, 1, 2, 3, 0])


def test_the_projection_is_optimal_for_every_sample():
    X, Y = data()
    model = SNMF(5, keep="projection", random_state=0).fit(X, Y)
    U = model.components_.T
    assert U.shape == (7, 5)
    assert kkt_residual(U.T @ U, U.T @ X.T, model.transform(X).T).max() < 1e-8


def test_a_ranking_is_nested_and_a_projection_is_not():
    X, Y = data()
    assert SNMF().nested
    assert not SNMF(keep="projection").nested
    whole = SNMF(7, random_state=0).fit(X, Y).transform(X)
    for r in range(1, 8):
        Z = SNMF(r, random_state=0).fit(X, Y).transform(X)
        assert_array_equal(Z, whole[:, :r])


@both_ways
def test_sparse_features_give_the_dense_reduction(keep):
    X, Y = samples_without_labels_or_features()
    model = SNMF(3, keep=keep, random_state=0)
    dense, sparse = clone(model).fit(X, Y), clone(model).fit(csr_array(X), Y)
    assert_allclose(dense.components_, sparse.components_, atol=1e-10)
    assert_allclose(dense.objective_, sparse.objective_)
    assert_array_equal(dense.ranking_, sparse.ranking_)
    assert_allclose(dense.transform(X), sparse.transform(csr_array(X)), atol=1e-8)


def test_sparse_features_are_never_made_dense(monkeypatch):
    def refuse(*_, **__):
        raise AssertionError("made dense")

    X, Y = data()
    for form in ("csr_array", "csc_array"):
        monkeypatch.setattr(f"scipy.sparse.{form}.toarray", refuse)
        monkeypatch.setattr(f"scipy.sparse.{form}.todense", refuse)
    SNMF(2, random_state=0).fit(csr_array(X), Y)
    SNMF(2, keep="projection", random_state=0).fit_transform(csr_array(X), Y)


@both_ways
def test_a_second_fit_a_clone_and_a_copy_give_the_same_bits(keep):
    X, Y = data()
    model = SNMF(3, keep=keep, random_state=0).fit(X, Y)
    first = model.transform(X)
    assert_array_equal(pickle.loads(pickle.dumps(model)).transform(X), first)
    assert_array_equal(clone(model).fit(X, Y).transform(X), first)
    assert_array_equal(model.fit(X, Y).transform(X), first)


def test_another_seed_gives_other_parts():
    X, Y = data()
    one, other = (SNMF(gamma=0, lam=0, random_state=s).fit(X, Y) for s in (0, 1))
    assert not np.allclose(one.components_, other.components_)


def test_the_cap_on_sweeps_is_kept_without_a_warning():
    X, Y = data()
    assert SNMF(max_iter=2, random_state=0).fit(X, Y).n_iter_ == 2


@both_ways
def test_the_reduced_features_are_named_after_the_method(keep):
    X, Y = data()
    names = SNMF(2, keep=keep, random_state=0).fit(X, Y).get_feature_names_out()
    assert list(names) == ["snmf0", "snmf1"]


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ({"n_components": 8}, "n_components must be in 1..7"),
        ({"keep": "all"}, "keep must be one of features, projection, got 'all'"),
        ({"gamma": -1}, "gamma must be a number from 0 on, got -1"),
        ({"lam": np.nan}, "lam must be a number from 0 on, got nan"),
        ({"n_parts": 0}, "n_parts must be a whole number from 1 on, got 0"),
        ({"n_parts": 3, "keep": "projection"}, "n_parts must be None with keep="),
        ({"max_iter": 0}, "max_iter must be a whole number from 1 on, got 0"),
        ({"tol": -1}, "tol must be a number from 0 on, got -1"),
    ],
)
def test_an_impossible_setting_is_refused_in_one_sentence(setting, message):
    X, Y = data()
    with pytest.raises(ValueError, match=message):
        SNMF(**setting).fit(X, Y)


@both_ways
@pytest.mark.parametrize("form", [np.asarray, csr_array])
def test_negative_features_are_refused_by_fit_and_transform(keep, form):
    X, Y = data()
    model = SNMF(2, keep=keep, random_state=0).fit(X, Y)
    X[0, 0] = -1
    message = "passed to SNMF, which needs features of 0 or more"
    with pytest.raises(ValueError, match=message):
        model.transform(form(X))
    with pytest.raises(ValueError, match=message):
        model.fit(form(X), Y)


# ---------------------------------------------------------------- what the paper finds


def full_ends(model, relevant):
    """In how many columns of W the relevant features fill one end of the order."""
    ends = 0
    for part in model.components_:
        order = np.argsort(part, kind="stable")
        six = len(relevant)
        ends += any(set(end) == set(relevant) for end in (order[:six], order[-six:]))
    return ends


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_planted_features_fill_an_end_of_the_columns_and_lead_the_ranking(seed):
    X, Y, relevant = planted(800, 2000, seed=seed)
    model = SNMF(6, random_state=seed).fit(X, Y)
    assert full_ends(model, relevant) == 4
    assert set(model.ranking_[:6]) == set(relevant)
    plain = SNMF(6, gamma=0, lam=0, max_iter=30, random_state=seed).fit(X, Y)
    assert full_ends(plain, relevant) == 0
    assert set(plain.ranking_[:6]) != set(relevant)


def test_both_ends_of_every_column_hold_the_features_of_high_fisher_score():
    X, Y, _ = chance(seed=0)
    model = SNMF(2, random_state=0).fit(X, Y)
    scores = fisher_scores(X, Y)
    assert model.components_.shape == (2, 1000)
    for part in model.components_:
        from_middle = np.abs(rankdata(part) - 500.5)
        assert spearmanr(from_middle, scores).statistic > 0.9
    plain = SNMF(2, gamma=0, lam=0, random_state=0).fit(X, Y)
    for part in plain.components_:
        from_middle = np.abs(rankdata(part) - 500.5)
        assert abs(spearmanr(from_middle, scores).statistic) < 0.3


@pytest.mark.real
def test_real_text_is_reduced_both_ways(real_data):
    arts = loadmat(real_data / "lamda" / "arts.mat")
    X, Y = csr_array(arts["train_data"]), arts["train_target"].T > 0
    for keep in ("features", "projection"):
        model = SNMF(26, keep=keep, max_iter=20, random_state=0).fit(X, Y)
        rounding = 1e-12 * (X.data**2).sum()
        assert np.diff(model.objective_).max() <= rounding
        assert np.isfinite(model.transform(X)).all()
