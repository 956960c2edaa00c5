"""Identity: the original features, against which every reduction is measured."""

from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data


class Identity(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    """Keep the features as they are, dense or sparse ("ORI" in the papers).

    Examples
    --------
    >>> Identity().fit_transform([[1.0, 2.0], [3.0, 4.0]])
    array([[1., 2.],
           [3., 4.]])
    """

    nested = False
    reduces = False

    def fit(self, X, Y=None):
        """Learn nothing but the number of features; Y is not used."""
        validate_data(self, X, accept_sparse="csr")
        return self

    def transform(self, X):
        """X itself."""
        check_is_fitted(self)
        return validate_data(self, X, reset=False, accept_sparse="csr")

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.requires_fit = False
        return tags
