"""The mathematics of *Attention and Order*, written once for NumPy arrays and PyTorch tensors.

The laws, in the order of the chapters: :mod:`recurrent`, :mod:`attention` (the formula), :mod:`scores` (the exact law
of q·k), :mod:`simplex`, :mod:`permutations` (the group that acts on tokens), :mod:`layers`, :mod:`positional` and
:mod:`length`; :mod:`arrays` reads their arguments. They need NumPy and array-api-compat, a few functions SciPy too.

Around them: :mod:`check`, the assertion that every chapter uses; :mod:`audit`, the laws run on your own attention;
:mod:`tasks`, small trainings, which need PyTorch; :mod:`results`, what experiments measured.
"""

__version__ = "0.1.0"
