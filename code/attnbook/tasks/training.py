"""What every small training problem shares: a start and a descent."""

from collections.abc import Callable, Iterable

import torch

from ..arrays import require_int, require_number

__all__ = ["fit", "weights"]


def weights(generator: torch.Generator, rows: int, columns: int) -> torch.Tensor:
    """A trainable matrix (rows, columns) with independent N(0, 1/rows) entries, so that x W keeps the variance of x.

    Raises ``ValueError`` unless both sizes are whole numbers ≥ 1.

    Source: LeCun, Bottou, Orr and Müller (1998), "Efficient BackProp", section 4.6.

    >>> weights(torch.Generator(), 3, 2).shape
    torch.Size([3, 2])
    """
    rows, columns = require_int("rows", rows), require_int("columns", columns)
    return (torch.randn(rows, columns, generator=generator) / rows**0.5).requires_grad_()


def fit(loss: Callable[[], torch.Tensor], parameters: Iterable[torch.Tensor], *, steps: int, lr: float) -> list[float]:
    """Minimise ``loss()`` by plain gradient descent: θ ← θ − lr · ∂loss/∂θ. Returns the loss before each step.

    Raises ``ValueError`` as soon as the loss is not finite, with the step at which that happened.

    >>> x = torch.tensor([1.0], requires_grad=True)
    >>> fit(lambda: (x**2).sum(), [x], steps=2, lr=0.5)
    [1.0, 0.0]
    """
    curve = []
    optimiser = torch.optim.SGD(parameters, lr=require_number("lr", lr, least=0))
    for step in range(require_int("steps", steps, least=0)):
        value = loss()
        if not torch.isfinite(value):
            raise ValueError(f"loss at step {step} is {value.item()}; expected a finite number, try a smaller lr")
        optimiser.zero_grad()
        value.backward()
        optimiser.step()
        curve.append(value.item())
    return curve
