r"""Two limits of a recurrent state, as the ink of a sentence: how far it reaches, and how much its answers carry."""

from typing import Any

import numpy as np
from attnbook.arrays import require_int
from attnbook.attention import attention_weights
from matplotlib.patches import Rectangle

from ..kit.figure import Ask, Live, require_one_of, require_within
from ..kit.style import PALETTE, Picture, figure, picture
from .shuffle import tokens

__all__ = ["inks"]

MOST = 16  # words of a sentence, numbers of a state, and questions
LEAST = 0.5  # the smallest ρ
LEAD = 5.0  # by how much the key that a query looks for is ahead in score
MODELS = ("recurrent", "gated", "attention")
ROWS = ("reach", "both")


def inks(
    text: str,
    *,
    rho: float = 0.8,
    size: int = 4,
    questions: int = MOST,
    model: str = "recurrent",
    rows: str = "both",
    ask: Ask = None,
    label: str = "inks",
) -> Live:
    r"""Draw a sentence twice: in the ink of the gradient that reaches a word, and in the ink R² of what answers carry.

    A word t is one number x_t, and the x_t are uncorrelated with mean 0 and variance 1. Each model is asked the same
    T = min(questions, n) questions, "which number was word t?" for the first T words, and each of its answers is one
    number. The answers y = Mx, M (T, n), are linear in the words. A linear reader of all T answers recovers word t with
    R²_t = M_tᵀ (M Mᵀ)⁺ M_t, and Σ R²_t = rank M ≤ T.

    "recurrent" keeps h_t = ρ C h_{t−1} + e_1 x_t for the cyclic shift C of d_h numbers: the state is a ring; each step
    turns it by one, multiplies it by ρ, and adds the new word to its first number. So ‖∂h_n/∂x_t‖ = ρ^(n−t), words
    whose positions differ by a multiple of d_h share a number, and an answer is the number that holds the word:
    rank M = min(T, d_h). The state is written before the questions are known.

    "gated" is the same ring with a gate that knows the questions: a word that nobody will ask for leaves the state as
    it is. Again rank M = min(T, d_h), but the words that are asked for share the numbers among themselves.

    "attention" keeps all words. The query for word t scores it LEAD above the others, y_t = Σ_j a_tj x_j, and
    rank M = T. Its influence is the length of a column of M, ‖∂y/∂x_t‖.

    Parameters
    ----------
    text : str
        One to sixteen words; a Chinese character is a word, and words after the sixteenth are left out.
    rho : float
        ρ, from 0.5 to 1.
    size : int
        d_h, from 1 to 16.
    questions : int
        From 1 to 16; as many as there are words if it is larger.
    model : {"recurrent", "gated", "attention"}
        Attention has neither ρ nor d_h.
    rows : {"reach", "both"}
        Whether the figure shows both inks, or the first alone, without numbers and with a question for every word.
    ask, label : optional
        A question before the answers, and the id on the page: as ``Live`` takes them.

    Raises
    ------
    ValueError
        If the text is no text, or ρ, the size, the number of questions, the model or the rows are not as above.

    Source: Jaeger (2001) for the budget Σ R² ≤ d_h.

    >>> inks("the cat sat down", rho=1, size=2).compute()["recovery"]
    array([0.5, 0.5, 0.5, 0.5])
    >>> one = {"questions": 1, "rho": 1, "size": 2}
    >>> [round(float(inks("the cat sat", model=m, **one).compute()["spent"]), 9) for m in ("recurrent", "attention")]
    [1.0, 1.0]
    """
    state = {"model": model, "text": text, "rho": float(rho), "size": size, "questions": questions, "rows": rows}
    return Live("inks", state, compute=compute, check=check, still=still, ask=ask, label=label)


def check(model: str, text: str, rho: float, size: int, questions: int, rows: str) -> None:
    """Raise ``ValueError`` unless the state can be drawn."""
    if not isinstance(text, str) or any("\ud800" <= letter <= "\udfff" for letter in text):
        raise ValueError(f"text = {text!r}; expected a sentence")
    require_within("rho", rho, LEAST, 1)
    require_int("size", size, most=MOST)
    require_int("questions", questions, most=MOST)
    require_one_of("model", model, MODELS)
    require_one_of("rows", rows, ROWS)


def ring(n: int, rho: float, size: int, written: int) -> np.ndarray:
    """Return ∂h_n/∂x, (size, n): the state after n words, of which only the first ``written`` are written."""
    W = rho * np.roll(np.eye(size), 1, axis=0)
    H = np.zeros((size, n))
    for t in range(written):
        H = W @ H
        H[0, t] += 1
    return H


def compute(model: str, text: str, rho: float, size: int, questions: int, rows: str) -> dict[str, Any]:
    """Return the words, how strongly the model depends on each, and R² of each.

    Also how many questions are asked, of how many numbers, the box of each word in the bar of answers, and Σ R². The
    mirror of ``compute`` in inks.js.
    """
    words = tokens(text, MOST)
    n = len(words)
    asked = n if rows == "reach" else min(questions, n)
    if model == "attention":
        M = attention_weights(LEAD * np.eye(n)[:asked], np.eye(n), scale=1)
        influence = np.linalg.norm(M, axis=0)
        kept, shared = n, asked
    else:
        H = ring(n, rho, size, written=asked if model == "gated" else n)
        holders = abs(H[:, :asked]).argmax(axis=0)  # the number of the state that holds each word asked for
        M = H[np.unique(holders)]
        influence = np.linalg.norm(H, axis=0)
        kept, shared = size, size
    recovery = np.einsum("it,ij,jt->t", M, np.linalg.pinv(M @ M.T, hermitian=True), M)
    return {
        "words": words,
        "influence": influence,
        "recovery": recovery,
        "asked": asked,
        "kept": kept,
        "box": np.arange(n) % shared,
        "spent": recovery.sum(),
    }


def example() -> Live:
    """Return a figure in which everything can be moved: the generic tests start from it."""
    return inks("The keys to the old cabinet in the hall of the museum are", questions=6)


def sample(rng: np.random.Generator) -> dict[str, Any]:
    """Draw a state; half of them are extreme.

    Ρ, d_h and the questions at their bounds, no word or too many, signs and unusual spaces.
    """
    edge = rng.random() < 0.5
    words = ["a", "😀", "猫狗", "", "\x85", "-"] if edge else ["the", "keys", "to", "cabinet", "are", "猫"]
    text = " ".join(str(word) for word in rng.choice(words, rng.choice([0, 1, 24]) if edge else rng.integers(1, 17)))
    rho = float(rng.choice([0.5, 1.0]) if edge else np.round(rng.uniform(0.5, 1), 2))
    size, questions = (int(x) for x in (rng.choice([1, 16], 2) if edge else rng.integers(1, 17, 2)))
    model, rows = str(rng.choice(MODELS)), str(rng.choice(ROWS))
    return {"model": model, "text": text, "rho": rho, "size": size, "questions": questions, "rows": rows}


def still(state: dict, asking: bool) -> Picture:
    """Draw the sentence, eight words to a line, and if both inks are shown, again, with the bar of answers.

    The inks are alike while they are asked for.
    """
    result = compute(**state)
    lines = -(-len(result["words"]) // 8)
    depends = "the answers depend" if state["model"] == "attention" else "the last state depends"
    if state["rows"] == "reach":
        fig, ax = figure(width=6.4, height=0.4 * lines + 0.5)
        draw_words(ax, f"How strongly {depends} on each word", result, "influence", asking, numbers=False)
        return picture(fig, described(state, result, asking))
    fig, axes = figure(3, 1, width=6.4, height=0.8 * lines + 1.7, height_ratios=[lines, lines, 0.7])
    draw_words(axes[0], f"A. How strongly {depends} on each word", result, "influence", asking)
    draw_words(axes[1], "B. How well the answers give back each word, R²", result, "recovery", asking)
    draw_answers(axes[2], result, asking)
    return picture(fig, described(state, result, asking))


def draw_words(ax: Any, title: str, result: dict, row: str, asking: bool, numbers: bool = True) -> None:
    """Draw the words in the ink of one row of the result; those that are asked for are underlined."""
    words = result["words"]
    ax.set(xlim=(-0.5, 7.5), ylim=(-(-len(words) // 8) - 0.4, -0.5))
    ax.set_axis_off()
    ax.set_title(title, loc="left")
    for t, (word, amount) in enumerate(zip(words, result[row], strict=True)):
        shown = word if len(word) < 11 else f"{word[:9]}…"
        ink = 0.5 if asking else 0.07 + 0.93 * amount
        ax.text(t % 8, t // 8, shown, ha="center", alpha=ink, weight="bold")
        if numbers:
            ax.text(t % 8, t // 8 + 0.35, "?" if asking else f"{amount:.2f}", ha="center")
        if row == "recovery" and t < result["asked"]:
            ax.plot([t % 8 - 0.3, t % 8 + 0.3], [t // 8 + 0.1] * 2, color="#000000", linewidth=1)


def draw_answers(ax: Any, result: dict, asking: bool) -> None:
    """Draw a box for each answer, filled by the words that it gives back, and dashed if it repeats another answer."""
    asked, boxes = result["asked"], result["asked"]
    filled = np.arange(len(result["words"]), dtype=float)
    ax.set(xlim=(-0.1, boxes + 0.1), ylim=(-0.1, 1.1))
    ax.set_axis_off()
    spent = "?" if asking else f"{result['spent']:.2f}"
    ax.set_title(f"{asked} {'answer' if asked == 1 else 'answers'}, one number each: R² adds up to {spent}", loc="left")
    pieces = [] if asking else zip(result["box"], result["recovery"], strict=True)
    for box, width in pieces:
        if width > 0:
            later = filled[box] > box
            ax.add_patch(Rectangle((filled[box], 0), width, 1, facecolor=(PALETTE["blue"], 0.35 if later else 0.8)))
            filled[box] += width
    for box in range(boxes):
        line = ":" if box >= result["kept"] else "-"
        ax.add_patch(Rectangle((box + 0.03, 0), 0.94, 1, fill=False, edgecolor="#000000", linestyle=line))


def described(state: dict, result: dict, asking: bool) -> str:
    """Say in words what the picture shows."""
    how = {
        "recurrent": f"a recurrent state of {state['size']} numbers, ρ = {state['rho']:.2f}",
        "gated": f"a gated state of {state['size']} numbers, ρ = {state['rho']:.2f}",
        "attention": "attention",
    }
    alt = f"The sentence “{' '.join(result['words'])}”. {how[state['model']].capitalize()}"
    alt += f" is asked for the first {result['asked']} words."
    if asking:
        return f"{alt} The ink of each word is for you to predict."
    rows = (", ".join(f"{amount:.2f}" for amount in result[row]) for row in ("influence", "recovery"))
    influence, recovery = rows
    alt = f"{alt} Dependence on each word: {influence}."
    return alt if state["rows"] == "reach" else f"{alt} R²: {recovery}."
