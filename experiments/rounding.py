"""Measure how much of the derived tolerance rounding uses up in attention, in four precisions.

A member is one size, n tokens of width d, with normal draws: attention of PyTorch and of the package against float64,
with queries as drawn and eight times as long, whose scores reach about 40 to each side.
"""

import torch
from attnbook import check
from attnbook.attention import attention

SIZES = [(n, d) for n in (1, 4, 16, 64, 256, 1024, 4096) for d in (8, 64, 256)]
MEMBERS = range(len(SIZES))
FORMATS = (torch.float64, torch.float32, torch.bfloat16, torch.float16)
SIDES = {
    "PyTorch": lambda *tokens: torch.nn.functional.scaled_dot_product_attention(*(x[None] for x in tokens))[0],
    "package": attention,
}


def member(seed):
    """The largest error as a share of the tolerance, for each precision and each side, at both lengths of queries."""
    n, d = SIZES[seed]
    generator = torch.Generator().manual_seed(seed)
    drawn = torch.randn(3, n, d, dtype=torch.float64, generator=generator)
    return {
        str(dtype)[6:]: {
            name: [share(attend, dtype, drawn, longer) for longer in (1, 8)] for name, attend in SIDES.items()
        }
        for dtype in FORMATS
    }


def share(attend, dtype, drawn, longer):
    """The largest error over what `check.equal` allows for two arrays of this precision."""
    Q, K, V = (longer * drawn[0]).to(dtype), drawn[1].to(dtype), drawn[2].to(dtype)
    exact = reference(Q, K, V)
    error = (attend(Q, K, V).double() - exact).abs().max()
    return float(error / check.tolerance(dtype, min(Q.shape[1], check.LONGEST), float(exact.abs().max())))


def reference(Q, K, V):
    """Attention of the same numbers in float64, written out."""
    Q, K, V = Q.double(), K.double(), V.double()
    return torch.softmax(Q @ K.mT / Q.shape[1] ** 0.5, dim=-1) @ V


def summary(results):
    """The largest share of each precision and side, at both lengths of queries."""
    return {
        dtype: {name: [max(r[dtype][name][i] for r in results) for i in (0, 1)] for name in SIDES}
        for dtype in results[0]
    }
