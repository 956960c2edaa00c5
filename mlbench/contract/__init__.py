"""What mlbench asks of a reducer or a classifier, as checks that say what is wrong.

>>> from mlbench.contract import assert_keeps_contract
>>> from mlbench.reducers.mddm import MDDM
>>> assert_keeps_contract(MDDM())
"""

from mlbench.contract.examine import assert_keeps_contract, examine
from mlbench.contract.finding import Finding
from mlbench.contract.lookup import Named, methods_named

__all__ = ["Finding", "Named", "assert_keeps_contract", "examine", "methods_named"]
