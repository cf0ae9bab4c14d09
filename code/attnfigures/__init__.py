"""The figures of *Attention and Order*; they draw what the functions of :mod:`attnbook` compute.

:mod:`static` holds the drawings, one module a chapter; :mod:`explore` shows one of several by a control; :mod:`live`
holds the figures that compute in the page, and :mod:`kit` what figures share. This package depends on ``attnbook``, and
never the other way round.
"""
