"""Live figures: the reader drags, types and shuffles, and the page computes at once, with no kernel.

    hull(values, keys, query)        softmax as a point in the convex hull of the values
    shuffle(text)                    the words of a sentence in another order, and what attention makes of them

A figure is a Python module and a file of JavaScript of the same name. The JavaScript has ``compute(state)``, a pure
function, and ``render``, which draws what it returns; the module has the same ``compute``, made of the functions of
this package, and a still, which is what paper and a page without script show. ``figure`` joins the two.
"""

from .figure import Live, script, styles
from .hull import hull
from .shuffle import shuffle

__all__ = ["Live", "hull", "script", "shuffle", "styles"]
