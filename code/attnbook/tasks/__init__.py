"""Small training problems: seeded, drawn by the generator they are given, seconds of CPU; one module per problem."""

from .copying import copy_task, recall_task
from .genesis import genesis
from .lookup import lookup_task
from .order import encoder_weights, order_task, previous_task, read_out, train
from .training import fit, weights
from .translation import Translator, loss_per_sentence, sentences, train_translator, translate

__all__ = [
    "Translator",
    "copy_task",
    "encoder_weights",
    "fit",
    "genesis",
    "lookup_task",
    "loss_per_sentence",
    "order_task",
    "previous_task",
    "read_out",
    "recall_task",
    "sentences",
    "train",
    "train_translator",
    "translate",
    "weights",
]
