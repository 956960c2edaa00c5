"""Multi-class classifiers: one class a sample, decided by two-class learners.

Labels are a matrix Y (n, K) of 0/1 with exactly one 1 in every row. The methods are
in ``oaa``, ``ovo``, ``reliability`` and ``ecoc``; the rest is what they are made of.
"""
