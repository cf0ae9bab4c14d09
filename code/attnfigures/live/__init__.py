"""Live figures: the reader drags, types and shuffles, and the page computes at once, with no kernel.

A figure is a Python module and a file of JavaScript of the same name; ``kit.files.names`` finds them. The JavaScript
has ``compute(state)``, a pure function, and ``render``, which draws what it returns. The module has the same
``compute``, made of the functions of ``attnbook``, and a still, which is what paper and a page without script show.
``kit.figure.Live`` joins the two. ``example`` and ``sample`` give the tests of all figures a figure and states
to try it in.
"""
