"""Drawings of the chapter "Equivariance and invariance"."""

from collections.abc import Sequence

import numpy as np
from attnbook.attention import attention_weights, scores

from ..kit.style import PALETTE, Picture, canvas, figure, heatmap, ink, number, picture, tiles
from ..kit.validate import arrangement, each, numbers, texts

__all__ = ["WORDS", "draw_errors", "draw_patterns", "draw_rounding", "draw_shuffled"]

#: The sentence that the figure shuffles.
WORDS = ["cat", "sits", "on", "mat"]
QUERIES = np.array([[1.2, -0.4], [-0.6, 1.0], [0.3, 0.8], [-1.1, -0.7]])  # one row per word, in the order of WORDS
KEYS = np.array([[-0.9, 0.5], [0.8, 1.1], [-0.3, -1.2], [1.0, -0.6]])
VALUES = np.array([[2.0, -1.0], [-1.0, 0.5], [0.5, 1.5], [-2.0, 1.0]])
CELL = 28, 17  # width and height of a cell of a matrix, in points
LEVELS = 5  # shades of each colour: few, so that a frame stays small


def draw_shuffled(perm: Sequence[int]) -> Picture:
    """Draw queries, keys, scores, weights, values, outputs and their mean for four words in the order ``perm``.

    The rows of the cat, and its columns of S and A, are outlined.
    """
    perm = arrangement("perm", perm, len(WORDS))
    words, Q, K, V = [WORDS[i] for i in perm], QUERIES[perm], KEYS[perm], VALUES[perm]
    A, cat = attention_weights(Q, K), perm.index(0)
    Y = A @ V
    mean = Y.mean(axis=0)
    fig, ax = canvas(296, 294)  # narrow: read on a phone
    for name, M, x, y, limit in (
        ("Q", Q, 32, 24, 2), ("K", K, 118, 24, 2), ("V", V, 204, 24, 2),
        ("S", scores(Q, K), 32, 128, 1), ("A", A, 182, 128, 1),
        ("Y = AV", Y, 32, 222, 2), ("mean of Y", mean[None], 182, 222, 2),
    ):  # fmt: skip
        square = name in "SA"
        ax.text(x, y - (17 if square else 5), name)
        _matrix(ax, M, x, y, limit, digits=2 if name == "A" else 1)
        for j, word in enumerate(words if square else []):
            ax.text(x + (j + 0.5) * CELL[0], y - 4, word, ha="center")
        for i, word in enumerate(words if len(M) == 4 and name not in "KV" else []):
            ax.text(x - 4, y + i * CELL[1] + 12, word, ha="right")
        if len(M) == 4:
            _outline(ax, x, y + cat * CELL[1], M.shape[1], 1)
        if square:
            _outline(ax, x + cat * CELL[0], y, 1, 4)
    rows = "; ".join(f"{word} {y[0]:.1f}, {y[1]:.1f}" for word, y in zip(words, Y.round(1) + 0.0, strict=True))
    return picture(
        fig, f"Order {' '.join(words)}. Rows of Y, from the top: {rows}. Their mean: {mean[0]:.1f}, {mean[1]:.1f}."
    )


def _outline(ax, x, y, columns, rows):
    """Draw a frame around ``columns`` × ``rows`` cells from (x, y) on."""
    w, h = columns * CELL[0], rows * CELL[1]
    ax.plot([x, x + w, x + w, x, x], [y, y, y + h, y + h, y], color="black", linewidth=1.2, clip_on=False)


def _matrix(ax, M, x, y, limit, digits=1):
    """Write the numbers of ``M`` into cells from (x, y) on, dark if positive, hatched if not; one path per shade."""
    w, h = CELL
    shades = {}
    for (i, j), value in np.ndenumerate(M):
        value = round(value, digits) + 0.0  # no "-0.0"
        ax.text(x + (j + 0.5) * w, y + i * h + 12, number(value, digits), ha="center")
        level = int(np.ceil(LEVELS * min(abs(value) / limit, 1)))
        shades.setdefault(float(np.sign(value)) * level / LEVELS, []).append((x + j * w, y + i * h))
    for share, corners in shades.items():
        tiles(ax, corners, w, h, ink(ax, corners, w, h, share, clip=False), clip=False)


def draw_errors(follows: np.ndarray, stands: np.ndarray) -> Picture:
    """Draw histograms, on a logarithmic axis, of the errors of equivariance and invariance over many permutations."""
    follows, stands = numbers("follows", follows, "n", least=0), numbers("stands", stands, "n", least=0)
    fig, ax = figure(height=2.3)
    bins = np.linspace(-17, 1, 55)
    for errors, name, color, hatch in (
        (follows, "f(PX) − P f(X)", "blue", None),
        (stands, "f(PX) − f(X)", "orange", "////"),
    ):
        ax.hist(np.log10(errors[errors > 0]), bins, color=PALETTE[color], hatch=hatch, edgecolor="none", label=name)
    ax.set_xticks(
        range(-16, 1, 4),
        [f"10{''.join('⁻⁰¹²³⁴⁵⁶⁷⁸⁹'['-0123456789'.index(c)] for c in str(e))}" for e in range(-16, 1, 4)],
    )
    ax.set(xlabel="largest difference", ylabel="permutations", xlim=(-17, 1))
    ax.legend(loc="upper center")
    return picture(
        fig,
        f"Two heaps. The differences from P f(X) are at most {np.max(follows):.1e}; the differences from f(X) lie "
        f"between {np.min(stands):.2f} and {np.max(stands):.2f}.",
    )


def draw_patterns(words: list[str], A: np.ndarray, other_words: list[str], B: np.ndarray) -> Picture:
    """Draw two weight matrices side by side, with words at the margins."""
    n = len(texts("words", words))
    A, B = (numbers(name, M, n, n, least=0, most=1, fit="words") for name, M in (("A", A), ("B", B)))
    texts("other_words", other_words, n, "words")
    fig, axes = figure(1, 2, width=4.4, height=2.4)
    for ax, labels, M in zip(axes, (words, other_words), (A, B), strict=True):
        heatmap(ax, M, rows=labels, columns=labels, limit=1.0)
        ax.set_title(" ".join(labels))
    rows = [f"from {word}: {', '.join(f'{w:.2f}' for w in row)}" for word, row in zip(words, A, strict=True)]
    return picture(
        fig,
        f"Two tables of weights. Left, in the order {' '.join(words)}: {'; '.join(rows)}. Right, in the order "
        f"{' '.join(other_words)}: the same numbers with rows and columns rearranged.",
    )


def draw_rounding(sizes: Sequence[int], errors: dict[str, np.ndarray], allowed: dict[str, np.ndarray]) -> Picture:
    """Draw measured rounding differences and the derived tolerance against the number of tokens, in two precisions.

    ``errors`` and ``allowed`` map a dtype to one number per size.
    """
    numbers("sizes", sizes, "n", least=1, whole=True)
    each("errors", errors, len(sizes), fit="sizes", entries=2, least=0)
    if set(each("allowed", allowed, len(sizes), fit="sizes", entries=2, above=0)) != set(errors):
        raise ValueError(f"allowed has {[*allowed]}; expected those of errors, {[*errors]}")
    fig, ax = figure(height=2.8)
    alt = []
    for dtype, color, marker in zip(errors, ("blue", "orange"), "os", strict=False):
        name = str(dtype).rpartition(".")[2]
        ax.loglog(sizes, errors[dtype], marker, color=PALETTE[color], label=f"{name}, measured")
        ax.loglog(sizes, allowed[dtype], "--", color=PALETTE[color], label=f"{name}, allowed")
        alt.append(f"{name}: measured up to {max(errors[dtype]):.1e}, allowed up to {max(allowed[dtype]):.1e}")
    ax.axhline(1e-6, color=PALETTE["grey"], linestyle=":")
    ax.set(xlabel="tokens n", ylabel="largest difference", xticks=sizes, xticklabels=sizes)
    ax.minorticks_off()
    ax.legend(loc="center right")
    return picture(fig, f"Differences against n from {sizes[0]} to {sizes[-1]}. {'; '.join(alt)}.")
