"""The exact law of a score s = q·k when q, k ∈ R^{d_k} have independent standard normal entries.

Three faces of one distribution:

* given q, the score is N(0, ‖q‖²), and ‖q‖² is chi-square with d_k degrees of freedom (a normal of random width);
* s = G − G′ with G, G′ independent Gamma(d_k/2, 1), because q·k = (‖q+k‖² − ‖q−k‖²)/4;
* its density is |s|^ν K_ν(|s|) / (2^ν √π Γ(d_k/2)) with ν = (d_k − 1)/2 and K the modified Bessel function.

Mean 0, variance d_k, excess kurtosis 6/d_k. It is a symmetric variance-gamma distribution:
Madan and Seneta (1990); Kotz, Kozubowski and Podgórski (2001), section 4.1. Needs SciPy, on the CPU.
"""

import math

import numpy as np
from numpy.typing import ArrayLike

from .arrays import as_numpy, require_int, require_number

__all__ = ["coverage", "density", "row_coverage"]


def density(s: ArrayLike, d_k: int) -> np.ndarray:
    """f(s) = |s|^ν K_ν(|s|) / (2^ν √π Γ(d_k/2)), ν = (d_k − 1)/2: the density of q·k at ``s``, any shape.

    At s = 0 the value is Γ(ν) / (2 √π Γ(d_k/2)); for d_k = 1 it is ``inf``: near 0 the density grows like −ln |s|/π.

    Raises ``ValueError`` unless ``d_k`` is a whole number from 1 to 10⁶, and if ``s`` has a NaN.

    >>> round(float(density(0.0, 2)), 6)
    0.5
    """
    from scipy import special, stats

    d_k = require_int("d_k", d_k, most=10**6)
    s = np.minimum(
        np.abs(as_numpy("s", s, infinite=(-math.inf, math.inf))), 1e6
    )  # f(10⁶) is 0; the Bessel factor is NaN beyond 10⁹
    if d_k > 100:  # the Bessel factor overflows although the product is finite: average the normals of random width
        x, weights = special.roots_legendre(200)
        width = 10 * math.sqrt(2 * d_k)  # ten standard deviations of ‖q‖² to each side of its mean d_k
        r = np.maximum(d_k + width * x, 1e-12)
        weights = weights * width * stats.chi2.pdf(r, d_k)
        return np.sum(weights * stats.norm.pdf(s[..., None], scale=np.sqrt(r)), axis=-1)
    nu = (d_k - 1) / 2
    constant = nu * math.log(2) + 0.5 * math.log(math.pi) + special.gammaln(d_k / 2)
    at_zero = math.exp(special.gammaln(nu) + nu * math.log(2) - math.log(2) - constant) if nu else math.inf
    with np.errstate(divide="ignore", invalid="ignore"):
        log_f = nu * np.log(s) + np.log(special.kve(nu, s)) - s - constant
        return np.where(np.isfinite(log_f), np.exp(log_f), at_zero)


def coverage(t: float, d_k: int) -> float:
    """P(|q·k| ≤ t) = ∫ erf(t/√(2r)) χ²_{d_k}(r) dr for a threshold t ≥ 0; absolute error below 1e-10.

    Raises ``ValueError`` unless ``t`` ≥ 0 and ``d_k`` is a whole number from 1 to 10⁶.

    >>> round(coverage(2.0, 64), 3)
    0.2
    """
    return row_coverage(t, d_k, 1)


def row_coverage(t: float, d_k: int, m: int) -> float:
    """P(all m scores of one query lie in [−t, t]) = ∫ erf(t/√(2r))^m χ²_{d_k}(r) dr.

    The m keys are independent but share the query, so the scores are dependent: the power stands inside the integral.

    Raises ``ValueError`` unless ``t`` ≥ 0 and ``d_k`` and ``m`` are whole numbers from 1 to 10⁶.

    >>> round(row_coverage(24.0, 64, 10), 3)
    0.968
    """
    from scipy import special, stats

    d_k = require_int("d_k", d_k, most=10**6)
    m = require_int("m", m, most=10**6)
    t = require_number("t", t, least=0)
    # In x = ln r the integrand is smooth and dies off at both ends, so the trapezoidal rule converges exponentially.
    x = np.linspace(math.log(stats.chi2.ppf(1e-18, d_k)), math.log(stats.chi2.isf(1e-18, d_k)), 4001)
    r = np.exp(x)
    weights = stats.chi2.pdf(r, d_k) * r * (x[1] - x[0])
    return float(np.sum(weights * special.erf(t / np.sqrt(2 * r)) ** m))
