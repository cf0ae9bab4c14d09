"""What every small training problem shares: random numbers, a start and a descent."""

from collections.abc import Callable, Iterable

import torch

from ..arrays import brief, require_int, require_number, shape_of

__all__ = ["fit", "weights"]


def require_generator(generator: torch.Generator) -> torch.Generator:
    """Return ``generator`` if torch can draw with it; NumPy's and whole numbers are refused."""
    if not isinstance(generator, torch.Generator):
        raise TypeError(f"generator = {brief(generator)}; expected a torch.Generator, such as torch.Generator()")
    return generator


def weights(generator: torch.Generator, rows: int, columns: int) -> torch.Tensor:
    """A trainable matrix (rows, columns) with independent N(0, 1/rows) entries, so that x W keeps the variance of x.

    Raises ``ValueError`` unless both sizes are whole numbers ≥ 1.

    Source: LeCun, Bottou, Orr and Müller (1998), "Efficient BackProp", section 4.6.

    >>> weights(torch.Generator(), 3, 2).shape
    torch.Size([3, 2])
    """
    rows, columns = require_int("rows", rows), require_int("columns", columns)
    return (torch.randn(rows, columns, generator=require_generator(generator)) / rows**0.5).requires_grad_()


def fit(loss: Callable[[], torch.Tensor], parameters: Iterable[torch.Tensor], *, steps: int, lr: float) -> list[float]:
    """Minimise ``loss()`` by plain gradient descent: θ ← θ − lr · ∂loss/∂θ. Returns the loss before each step.

    ``parameters`` may also be groups of them with a learning rate each, as torch's optimisers take them.

    Raises ``ValueError`` as soon as the loss is not finite, with the step at which that happened, or if a parameter is
    not finite at the end, and ``TypeError`` for a loss or parameters without a gradient.

    >>> x = torch.tensor([1.0], requires_grad=True)
    >>> fit(lambda: (x**2).sum(), [x], steps=2, lr=0.5)
    [1.0, 0.0]
    """
    return descend(torch.optim.SGD, parameters, loss, steps=steps, lr=lr)


def descend(
    rule: Callable[..., torch.optim.Optimizer],
    parameters: Iterable[torch.Tensor],
    loss: Callable[[], torch.Tensor],
    *,
    steps: int,
    lr: float,
) -> list[float]:
    """Minimise ``loss()`` by another ``rule`` than that of :func:`fit`, which says what is returned and refused."""
    steps, lr = require_int("steps", steps, least=0), require_number("lr", lr, least=0)
    try:
        optimiser = rule(parameters, lr=lr)
        every = [theta for group in optimiser.param_groups for theta in group["params"]]
    except (TypeError, ValueError, KeyError):
        every = [None]
    if not all(getattr(theta, "requires_grad", False) for theta in every):
        raise TypeError(f"parameters = {brief(parameters)}; expected tensors that require gradients")
    for group in optimiser.param_groups:
        require_number("lr of a group", group["lr"], least=0)
    curve = []
    for step in range(steps):
        value = loss()
        if shape_of(value) != () or not getattr(value, "requires_grad", False):
            raise TypeError(f"loss() = {brief(value)}; expected a number that depends on the parameters")
        if not torch.isfinite(value):
            raise ValueError(f"loss at step {step} is {value.item()}; expected a finite number, try a smaller lr")
        optimiser.zero_grad()
        value.backward()
        if all(theta.grad is None for theta in every):
            raise TypeError(f"loss() = {brief(value)}; expected a number that depends on the parameters")
        optimiser.step()
        curve.append(value.item())
    if not all(bool(torch.isfinite(theta).all()) for theta in every):
        raise ValueError(f"parameters after {steps} steps are not finite; expected numbers, try a smaller lr")
    return curve
