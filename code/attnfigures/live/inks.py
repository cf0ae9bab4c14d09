r"""A state whose words share its numbers: each number has ink for one word, and is divided among those it holds."""

from typing import Any

import numpy as np
from attnbook.arrays import require_int
from attnbook.attention import attention_weights
from matplotlib.patches import Rectangle

from ..kit.figure import Ask, Live, require_one_of, require_sentence, require_within
from ..kit.style import Picture, clipped, figure, picture
from .shuffle import tokens

__all__ = ["inks"]

MOST = 16  # words of a sentence, numbers of a state, and questions
LEAST = 0.5  # the smallest ρ
LEAD = 5.0  # by how much the key that a query looks for is ahead in score
MODELS = ("recurrent", "gated", "attention")


def inks(
    text: str,
    *,
    rho: float = 1.0,
    size: int = 4,
    questions: int = MOST,
    model: str = "recurrent",
    ask: Ask = None,
    label: str = "inks",
) -> Live:
    r"""Draw the words of a sentence in boxes, one for each number of a state, and in the ink R² of what answers carry.

    A word t is one number x_t, and the x_t are uncorrelated with mean 0 and variance 1. Each model is asked the same
    T = min(questions, n) questions, "which number was word t?" for the first T words, and each of its answers is one
    number. The answers y = Mx, M (T, n), are linear in the words. A linear reader of all T answers recovers word t with
    R²_t = M_tᵀ (M Mᵀ)⁺ M_t, and Σ R²_t = rank M ≤ T.

    "recurrent" keeps h_t = ρ C h_{t−1} + e_1 x_t for the cyclic shift C of d_h numbers: the state is a ring; each step
    turns it by one, multiplies it by ρ, and adds the new word to its first number. So words whose positions differ by a
    multiple of d_h share a number, and an answer is the number that holds the word: rank M = min(T, d_h). The state is
    written before the questions are known.

    "gated" is the same ring with a gate that knows the questions: a word that nobody will ask for leaves the state as
    it is. Again rank M = min(T, d_h), but the words that are asked for share the numbers among themselves.

    "attention" keeps all words. The query for word t scores it LEAD above the others, y_t = Σ_j a_tj x_j, and
    rank M = T.

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
    ask, label : optional
        A question before the answers, and the id on the page: as ``Live`` takes them.

    Raises
    ------
    ValueError
        If the text is no text, or ρ, the size, the number of questions or the model are not as above.

    Source: Jaeger (2001) for the budget Σ R² ≤ d_h.

    >>> inks("the cat sat down", size=2).compute()["recovery"]
    array([0.5, 0.5, 0.5, 0.5])
    >>> one = {"questions": 1, "size": 2}
    >>> [round(float(inks("the cat sat", model=m, **one).compute()["spent"]), 9) for m in ("recurrent", "attention")]
    [1.0, 1.0]
    """
    state = {"model": model, "text": text, "rho": float(rho), "size": size, "questions": questions}
    return Live("inks", state, compute=compute, check=check, still=still, ask=ask, label=label)


def check(model: str, text: str, rho: float, size: int, questions: int) -> None:
    """Raise ``ValueError`` unless the state can be drawn."""
    require_sentence("text", text)
    require_within("rho", rho, LEAST, 1)
    require_int("size", size, most=MOST)
    require_int("questions", questions, most=MOST)
    require_one_of("model", model, MODELS)


def ring(n: int, rho: float, size: int, written: int) -> np.ndarray:
    """Return ∂h_n/∂x, (size, n): the state after n words, of which only the first ``written`` are written."""
    W = rho * np.roll(np.eye(size), 1, axis=0)
    H = np.zeros((size, n))
    for t in range(written):
        H = W @ H
        H[0, t] += 1
    return H


def compute(model: str, text: str, rho: float, size: int, questions: int) -> dict[str, Any]:
    """Return the words, R² of each, of how many questions are asked, and Σ R².

    ``boxes`` counts the numbers that are kept, or with attention the answers; ``box`` is that of each word, None for a
    word that is not written. The mirror of ``compute`` in inks.js.
    """
    words = tokens(text, MOST)
    n = len(words)
    asked = min(questions, n)
    written = asked if model == "gated" else n
    boxes = asked if model == "attention" else size
    if model == "attention":
        M = attention_weights(LEAD * np.eye(n)[:asked], np.eye(n), scale=1)
    else:
        H = ring(n, rho, size, written)
        holders = abs(H[:, :asked]).argmax(axis=0)  # the number of the state that holds each word asked for
        M = H[np.unique(holders)]
    recovery = np.einsum("it,ij,jt->t", M, np.linalg.pinv(M @ M.T, hermitian=True), M)
    return {
        "words": words,
        "recovery": recovery,
        "asked": asked,
        "boxes": boxes,
        "box": [t % boxes if t < written else None for t in range(n)],
        "spent": recovery.sum(),
    }


def example() -> Live:
    """Return a figure in which everything can be moved: the generic tests start from it."""
    return inks("The keys to the old cabinet in the hall of the museum are", rho=0.8, questions=6)


def sample(rng: np.random.Generator) -> dict[str, Any]:
    """Draw a state; half of them are extreme.

    Ρ, d_h and the questions at their bounds, no word or too many, signs and unusual spaces.
    """
    edge = rng.random() < 0.5
    words = ["a", "😀", "猫狗", "", "\x85", "-"] if edge else ["the", "keys", "to", "cabinet", "are", "猫"]
    text = " ".join(str(word) for word in rng.choice(words, rng.choice([0, 1, 24]) if edge else rng.integers(1, 17)))
    rho = float(rng.choice([0.5, 1.0]) if edge else np.round(rng.uniform(0.5, 1), 2))
    size, questions = (int(x) for x in (rng.choice([1, 16], 2) if edge else rng.integers(1, 17, 2)))
    return {"model": str(rng.choice(MODELS)), "text": text, "rho": rho, "size": size, "questions": questions}


def still(state: dict, asking: bool) -> Picture:
    """Draw the sentence with what is asked for underlined, and below it a box for each number with its words.

    The inks are alike while they are asked for.
    """
    result = compute(**state)
    words, boxes = [clipped(word) for word in result["words"]], result["boxes"]
    columns = max(1, *(result["box"].count(i) for i in range(boxes)))
    fig, ax = figure(width=6.4, height=0.3 * boxes + 1.1)
    ax.set(xlim=(-0.1, max(8, columns)), ylim=(boxes + 0.1, -2.2))
    ax.set_axis_off()
    for t, word in enumerate(words):
        x, y = t % 8, -1.6 + 0.9 * (t // 8)
        ax.text(x, y, word, weight="bold")
        if t < result["asked"]:
            ax.plot([x, x + 0.9], [y + 0.15] * 2, color="#000000", linewidth=1)
    for i in range(boxes):
        wanted = i in result["box"][: result["asked"]]
        line = "-" if wanted else ":"
        ax.add_patch(Rectangle((0, i + 0.05), columns, 0.9, fill=False, edgecolor="#000000", linestyle=line))
        held = [t for t, box in enumerate(result["box"]) if box == i]
        for place, t in enumerate(held):
            ink = 0.5 if asking else min(1, 0.3 + 0.7 * result["recovery"][t])
            ax.text(place + 0.1, i + 0.5, words[t], va="center", alpha=ink, weight="bold")
    return picture(fig, described(state, result, asking))


def described(state: dict, result: dict, asking: bool) -> str:
    """Say in words what the picture shows."""
    how = {
        "recurrent": f"a recurrent state of {state['size']} numbers",
        "gated": f"a gated state of {state['size']} numbers",
        "attention": "attention",
    }
    alt = f"The sentence “{' '.join(result['words'])}”. {how[state['model']].capitalize()}"
    alt += f" is asked for the first {result['asked']} words."
    if asking:
        return f"{alt} The ink of each word is for you to predict."
    return f"{alt} R²: {', '.join(f'{amount:.2f}' for amount in result['recovery'])}."
