"""Give numpy and torch other seeds. The source of this file is the first cell of a chapter that is run again."""

book_draws_again = [True]  # whether the seeds of the present cell are changed


def install_other_seeds(draw):
    """Mix ``draw``, the number of a run, into every whole seed.

    Generators made with the same seed still draw the same numbers, so a comparison on equal draws stays one.
    """
    import numpy as np
    import torch

    default_rng = np.random.default_rng
    manual_seed = torch.manual_seed

    def mixed(seed):
        return np.random.SeedSequence([draw, *np.atleast_1d(seed).tolist()])

    def other(seed):
        return int(mixed(seed).generate_state(1, np.uint64)[0] >> 1) if book_draws_again[0] else seed

    class Generator(torch.Generator):
        def manual_seed(self, seed):
            return super().manual_seed(other(seed))

    def other_rng(seed=None):
        whole = isinstance(seed, (int, np.integer, list, tuple))
        return default_rng(mixed(seed) if whole and book_draws_again[0] else seed)

    np.random.default_rng = other_rng
    torch.Generator = Generator
    torch.manual_seed = torch.random.manual_seed = lambda seed: manual_seed(other(seed))
