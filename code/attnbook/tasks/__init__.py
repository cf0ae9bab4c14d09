"""Small training problems: seeded, each drawn by its own generator, seconds of CPU; one module per problem.

``heads`` trains nothing: it replaces the heads of a language model, one at a time.
"""

from .agreement import AGREEMENT_WORDS, agreement_task, read_verb, train_agreement
from .comparison import comparison
from .copying import COPY_KINDS, copy_task, train_copying
from .encoder import (
    draw_weights,
    encode,
    letter_windows,
    logits,
    next_letter,
    order_sentences,
    train_letters,
    train_order,
)
from .flag import LayerRule, measure_flag, train_flag
from .genesis import genesis
from .heads import OTHER_TEXTS, head_effects, mean_outputs
from .lookup import lookup_curve, lookup_heads, lookup_task
from .marked import marked_accuracy, marked_tokens, train_marked_head
from .order import encoder_weights, order_task, previous_task, read_out, train
from .recall import RECALL_READERS, attention_reader, recall_task, recurrent_reader, train_recall
from .schemes import SCHEMES, Scheme, measure_scheme, rotary, train_scheme
from .seeds import ahead, with_seeds
from .stack import measure_stack, train_stack
from .training import fit, weights
from .translation import Translator, correct, loss_per_sentence, sentences, train_translator, translate

__all__ = [
    "AGREEMENT_WORDS",
    "COPY_KINDS",
    "OTHER_TEXTS",
    "RECALL_READERS",
    "SCHEMES",
    "LayerRule",
    "Scheme",
    "Translator",
    "agreement_task",
    "ahead",
    "attention_reader",
    "comparison",
    "copy_task",
    "correct",
    "draw_weights",
    "encode",
    "encoder_weights",
    "fit",
    "genesis",
    "head_effects",
    "letter_windows",
    "logits",
    "lookup_curve",
    "lookup_heads",
    "lookup_task",
    "loss_per_sentence",
    "marked_accuracy",
    "marked_tokens",
    "mean_outputs",
    "measure_flag",
    "measure_scheme",
    "measure_stack",
    "next_letter",
    "order_sentences",
    "order_task",
    "previous_task",
    "read_out",
    "read_verb",
    "recall_task",
    "recurrent_reader",
    "rotary",
    "sentences",
    "train",
    "train_agreement",
    "train_copying",
    "train_flag",
    "train_letters",
    "train_marked_head",
    "train_order",
    "train_recall",
    "train_scheme",
    "train_stack",
    "train_translator",
    "translate",
    "weights",
    "with_seeds",
]
