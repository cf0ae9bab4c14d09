"""The mathematics of *Attention and Order*, written once for NumPy arrays and torch tensors.

Read in this order: :mod:`attention` (the formula), :mod:`permutations` (the group that acts on tokens),
:mod:`scores` (the exact law of q·k), :mod:`check` (the assertion every chapter uses),
:mod:`figures` (one style for every picture) and :mod:`explore` (pictures with a control).
"""

from . import needs

__version__ = "0.1.0"

needs.demand()  # before a module below imports what may be missing
needs.explain_early_names()
