"""Live figures: the reader drags, types and shuffles, and the page computes at once, with no kernel.

    hull(values, keys, query)        softmax as a point in the convex hull of the values
    springs(values, output)          the one query that has a given output, and the weights as springs
    squeeze(points, angle)           points rebuilt from one number each, and the error that no line avoids
    triangle(scores)                 softmax of three scores as a point in the triangle of all weights
    strings(first, second)           two shuffles in a row as strings that cross, and both in one
    clock(query, key)                a rotary encoding as clocks: one face for each pair of coordinates
    similarity(row, other)           how alike two rows of a sinusoidal table are, and what direction needs
    crowd(keys, factor)              how many keys a query looks at as a text grows, and a factor on its scores
    windows(layers, window)          which inputs reach an output through a stack of windows, and what sinks add
    memory(train, test)              rotary pairs beyond the length of training, and the ways to keep them inside
    trace(Q, K, V)                   the six tables of attention, and the sum behind any one number
    mirror(sentence)                 two trained encoders, one without positions, answer a sentence and its mirror
    ablation(sentence, heads)        six heads of a trained encoder, which can be switched off
    decay(w, bias, score)            a gradient against the steps back: an RNN, an LSTM and attention
    inks(text)                       how far a recurrent state reaches back, and how much it holds, as the ink of words
    heads(K, queries)                what two heads tell apart in the sentence "cat sees dog", and one does not
    star(words, V, K, query)         five weights that change while their output stays where it is
    walkers(d_k, power)              sixteen scores as walks, their softmax, and the gradient of 200 queries
    spread(query, temperature)       the scores of a query of any length, and softmax at any temperature
    twins(scale, start, step)        a run without a scale that is the run with one, by its start and its step
    stabiliser(mask, order)          the orders of four tokens that leave a mask alone, and the masks that they make
    conjugation(rows, columns)       a table of scores in another order of queries and of keys, and its diagonal
    restore(words, order)            four cards that are shuffled and put back, by the list and by its inverse
    shuffle(text)                    the words of a sentence in another order, and what attention makes of them

A figure is a Python module and a file of JavaScript of the same name. The JavaScript has ``compute(state)``, a pure
function, and ``render``, which draws what it returns; the module has the same ``compute``, made of the functions of
this package, and a still, which is what paper and a page without script show. ``figure`` joins the two.
"""

from .ablation import ablation
from .clock import clock
from .conjugation import conjugation
from .crowd import crowd
from .decay import decay
from .figure import Live
from .heads import heads
from .hull import hull
from .inks import inks
from .memory import memory
from .mirror import mirror
from .restore import restore
from .shuffle import shuffle
from .similarity import similarity
from .spread import spread
from .springs import springs
from .squeeze import squeeze
from .stabiliser import stabiliser
from .star import star
from .strings import strings
from .trace import trace
from .triangle import triangle
from .twins import twins
from .walkers import walkers
from .windows import windows

__all__ = [
    "Live",
    "ablation",
    "clock",
    "conjugation",
    "crowd",
    "decay",
    "heads",
    "hull",
    "inks",
    "memory",
    "mirror",
    "restore",
    "shuffle",
    "similarity",
    "spread",
    "springs",
    "squeeze",
    "stabiliser",
    "star",
    "strings",
    "trace",
    "triangle",
    "twins",
    "walkers",
    "windows",
]
