"""Small training problems: seeded, drawn by the generator they are given, seconds of CPU; one module per problem."""

from .lookup import lookup_task
from .training import fit, weights

__all__ = ["fit", "lookup_task", "weights"]
