"""Translate three- and four-word sentences into English, from a language that needs word order and one that does not.

In the Chinese half only the order says who does what to whom: 猫 喜欢 鱼 and 鱼 喜欢 猫 are the same three words.
In the Latin half the endings say it: *felis amat piscem* and *piscem amat felis* mean the same, in any order.
A translator whose encoder sees no positions, and hides no word from another, can therefore master one half and must
fail in the other.

The model is one encoder and one decoder layer of Vaswani et al. (2017), as torch provides them, in float64 so that
rounding cannot decide between two words.
"""

import itertools
from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import nn

from ..arrays import brief, one_of, require_flag, require_int, shape_of
from .training import descend

__all__ = ["Translator", "correct", "loss_per_sentence", "sentences", "train_translator", "translate", "words_to_ids"]


class Noun(NamedTuple):
    """A noun in both languages that are translated; in Latin its ending says what it does in the sentence."""

    chinese: str
    latin_subject: str
    latin_object: str


class Verb(NamedTuple):
    """A verb in both languages that are translated."""

    chinese: str
    latin: str


NOUNS = {  # by their English word, as the verbs are
    "cat": Noun("猫", latin_subject="felis", latin_object="felem"),
    "dog": Noun("狗", latin_subject="canis", latin_object="canem"),
    "bird": Noun("鸟", latin_subject="avis", latin_object="avem"),
    "fish": Noun("鱼", latin_subject="piscis", latin_object="piscem"),
    "mat": Noun("垫子", latin_subject="storea", latin_object="stoream"),
}
VERBS = {
    "likes": Verb("喜欢", latin="amat"),
    "sees": Verb("看见", latin="videt"),
}
PAD, START, END = "", "<start>", "<end>"
PLACES = 8  # the longest sentence that has positions


def sentences(language: str) -> list[tuple[list[str], list[str]]]:
    """Every sentence of one language with its translation: a list of (source words, English words).

    ``"Chinese"`` has 60: subject, verb, object, and "A 坐在 B 上" for "A sits on B". ``"Latin"`` has 40, each listed in
    one of its six orders.

    Raises ``ValueError`` for any other language.

    >>> sentences("Latin")[0]
    (['felis', 'amat', 'canem'], ['cat', 'likes', 'dog'])
    """
    one_of("language", language, "Chinese", "Latin")
    pairs = []
    for a, b in itertools.permutations(NOUNS, 2):
        for verb in VERBS:
            if language == "Chinese":
                source = [NOUNS[a].chinese, VERBS[verb].chinese, NOUNS[b].chinese]
            else:
                source = [NOUNS[a].latin_subject, VERBS[verb].latin, NOUNS[b].latin_object]
            pairs.append((source, [a, verb, b]))
        if language == "Chinese":
            pairs.append(([NOUNS[a].chinese, "坐在", NOUNS[b].chinese, "上"], [a, "sits", "on", b]))
    return pairs


SOURCE = [PAD, *sorted({w for language in ("Chinese", "Latin") for words, _ in sentences(language) for w in words})]
ENGLISH = [PAD, START, END, *sorted([*NOUNS, *VERBS, "sits", "on"])]


def words_to_ids(rows: Sequence[Sequence[str]], vocabulary: Sequence[str] = SOURCE) -> torch.Tensor:
    """Numbers of words, shape (len(rows), longest row); shorter rows are filled up with padding, number 0.

    Raises ``ValueError`` if a word is not in the vocabulary, or there are no rows.

    >>> words_to_ids([["felis", "amat", "canem"], ["felis"]]).shape
    torch.Size([2, 3])
    """
    try:
        rows = [list(row) for row in rows]
    except TypeError:
        raise TypeError(f"rows = {brief(rows)}; expected a list of lists of words") from None
    if not rows or not max(map(len, rows)):
        raise ValueError("rows is empty; expected at least one list of words")
    if unknown := sorted({str(word) for row in rows for word in row if word not in vocabulary}):
        raise ValueError(f"unknown words {unknown}; expected words of {[w for w in vocabulary if w]}")
    longest = max(map(len, rows))
    return torch.tensor([[vocabulary.index(w) for w in row] + [0] * (longest - len(row)) for row in rows])


class Translator(nn.Module):
    """One encoder layer, one decoder layer; positions in the source only if asked for, in the target always.

    Parameters
    ----------
    source_positions : bool
        Add a learned vector per position to the source words.
    d, heads : int
        Width of a token, a multiple of the number of heads.

    Raises ``ValueError`` for another width or kind.
    """

    def __init__(self, source_positions: bool = False, d: int = 32, heads: int = 4) -> None:
        super().__init__()
        heads = require_int("heads", heads)
        d = require_int("d", d, multiple=heads)
        self.source_positions = require_flag("source_positions", source_positions)
        self.source, self.target = nn.Embedding(len(SOURCE), d), nn.Embedding(len(ENGLISH), d)
        self.source_place, self.target_place = nn.Embedding(PLACES, d), nn.Embedding(PLACES, d)
        self.encoder = nn.TransformerEncoderLayer(d, heads, 2 * d, dropout=0.0, batch_first=True)
        self.decoder = nn.TransformerDecoderLayer(d, heads, 2 * d, dropout=0.0, batch_first=True)
        self.words = nn.Linear(d, len(ENGLISH))
        self.double()

    def read(self, ids: torch.Tensor, padding: torch.Tensor, causal: bool = False) -> torch.Tensor:
        """Encoder: word numbers (batch, m) → memory (batch, m, d). ``padding`` is True where nothing may look."""
        X = self.source(ids)
        if self.source_positions:
            require_int("length of a row", ids.shape[1], most=PLACES)
            X = X + self.source_place.weight[: ids.shape[1]]
        mask = torch.ones(ids.shape[1], ids.shape[1], dtype=torch.bool).triu(1) if causal else None
        return self.encoder(X, src_mask=mask, src_key_padding_mask=padding)

    def logits(self, target: torch.Tensor, memory: torch.Tensor, padding: torch.Tensor) -> torch.Tensor:
        """Decoder: the prefix (batch, n) and the memory → a score for every next English word (batch, n, words)."""
        n = target.shape[1]
        X = self.target(target) + self.target_place.weight[:n]
        mask = torch.ones(n, n, dtype=torch.bool).triu(1)
        return self.words(self.decoder(X, memory, tgt_mask=mask, memory_key_padding_mask=padding))

    def loss(self, ids: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
        """Teacher forcing: −ln p of every English word given the right words before it, shape (batch·(n − 1),)."""
        padding = ids == 0
        logits = self.logits(target[:, :-1], self.read(ids, padding), padding)
        return nn.functional.cross_entropy(
            logits.flatten(0, 1), target[:, 1:].flatten(), ignore_index=0, reduction="none"
        )


def train_translator(seed: int, *, source_positions: bool, steps: int = 200) -> Translator:
    """Train a :class:`Translator` on both languages, the Latin half in all its orders; about a second.

    Adam (Kingma and Ba 2015), learning rate 0.003, 64 sentences a step, as many Chinese as Latin ones on average.

    Raises ``ValueError`` unless ``seed`` and ``steps`` are whole numbers ≥ 0.
    """
    seed = require_int("seed", seed, least=0, most=2**64 - 1)
    with torch.random.fork_rng():
        torch.manual_seed(seed)  # the constructors of torch.nn draw from the global generator
        model = Translator(source_positions)
    latin = [(list(order), english) for words, english in sentences("Latin") for order in itertools.permutations(words)]
    pairs = 4 * sentences("Chinese") + latin
    ids = words_to_ids([words for words, _ in pairs])
    target = _english_ids(pairs)
    generator = torch.Generator().manual_seed(seed)

    def loss():
        batch = torch.randint(len(pairs), (64,), generator=generator)
        return model.loss(ids[batch], target[batch]).mean()

    descend(torch.optim.Adam, model.parameters(), loss, steps=steps, lr=0.003)
    return model


@torch.no_grad()
def loss_per_sentence(model: Translator, pairs: Sequence[tuple[list[str], list[str]]]) -> float:
    """−ln p of the whole right translation, in nats, averaged over a list of (source words, English words).

    Raises ``ValueError`` for a word that is in no sentence.
    """
    try:
        pairs = [(list(words), list(english)) for words, english in pairs]
    except (TypeError, ValueError):
        raise TypeError(f"pairs = {brief(pairs)}; expected a list of (source words, English words)") from None
    ids, target = words_to_ids([words for words, _ in pairs]), _english_ids(pairs)
    require_int("length of a translation", target.shape[1] - 1, most=PLACES)
    _visible(ids == 0)
    return _translator(model).loss(ids, target).sum().item() / len(pairs)


@torch.no_grad()
def translate(
    model: Translator, rows: Sequence[Sequence[str]], *, padding: torch.Tensor | None = None, causal: bool = False
) -> list[str]:
    """Greedy decoding: five times the likeliest next word. Returns the words before the end, one string per row.

    Parameters
    ----------
    model : Translator
    rows : list of lists of words
        The empty string is padding, which may stand anywhere.
    padding : boolean tensor (len(rows), m), optional
        True where no token may look. The places of the empty words unless given.
    causal : bool
        Hide from each source word the words that come after it.

    Raises ``ValueError`` for a word that is in no sentence, and where a token could look at nothing.
    """
    ids = words_to_ids(rows)
    padding = ids == 0 if padding is None else torch.as_tensor(padding)
    if padding.dtype != torch.bool or padding.shape != ids.shape:
        raise ValueError(
            f"padding has dtype {padding.dtype} and shape {shape_of(padding)}; expected booleans {shape_of(ids)}"
        )
    # If causal, the first word sees itself alone, and every other word sees the first one too.
    _visible(padding[:, :1] if require_flag("causal", causal) else padding)
    memory, target = _translator(model).read(ids, padding, causal), torch.full((len(ids), 1), ENGLISH.index(START))
    for _ in range(5):  # the longest translation, "cat sits on dog", has four words and an end
        best = model.logits(target, memory, padding)[:, -1].argmax(dim=-1, keepdim=True)
        target = torch.cat([target, best], dim=1)
    words = [[ENGLISH[i] for i in row[1:]] for row in target.tolist()]
    return [" ".join(row[: row.index(END)] if END in row else row) for row in words]


def correct(model: Translator, pairs: Sequence[tuple[list[str], list[str]]], order: Sequence[int] | None = None) -> int:
    """Count the pairs (source words, English words) whose source, put into ``order``, the model translates rightly."""
    sources = [[words[i] for i in (range(len(words)) if order is None else order)] for words, _ in pairs]
    return sum(got == " ".join(english) for got, (_, english) in zip(translate(model, sources), pairs, strict=True))


def _english_ids(pairs):
    """Return the numbers of the English words of all pairs, between a start and an end."""
    return words_to_ids([[START, *english, END] for _, english in pairs], ENGLISH)


def _visible(padding):
    """Refuse padding that hides a whole row: a token there could look at nothing."""
    if bool(padding.all(dim=1).any()):
        raise ValueError("padding hides all that a token may look at; expected a word in every row")


def _translator(model):
    """Return the model; refuse whatever is no :class:`Translator`."""
    if not isinstance(model, Translator):
        raise TypeError(f"model = {brief(model)}; expected a Translator")
    return model
