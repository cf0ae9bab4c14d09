"""The law of a score against SciPy's chi law, mpmath's Bessel functions, Fourier inversion and dice."""

import mpmath
import numpy as np
import pytest
from attnbook.scores import coverage, density, row_coverage
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, special, stats

S = np.array([0.0, 0.01, 0.3, 1.0, 2.5, 7.0, 20.0])
BOTH_FORMULAS = [1, 2, 3, 16, 99, 100, 101, 102, 512]


@pytest.mark.parametrize("d_k", [6, 16, 100, 101])
def test_density_inverts_the_characteristic_function_of_a_gamma_difference(d_k):
    for s in S[1:5]:  # E exp(iω(G − G′)) = (1 + ω²)^(−d_k/2)
        wave, _ = integrate.quad(lambda w: (1 + w * w) ** (-d_k / 2), 0, 90, weight="cos", wvar=s, limit=200)
        assert density(s, d_k) == pytest.approx(wave / np.pi, abs=1e-8)


@pytest.mark.parametrize("d_k", BOTH_FORMULAS)
def test_density_agrees_with_mpmath_on_both_sides_of_the_switch(d_k):
    nu = mpmath.mpf(d_k - 1) / 2
    for s in (1e-7, 0.01, 0.5, d_k**0.5, 3 * d_k**0.5, 6 * d_k**0.5):
        exact = mpmath.mpf(s) ** nu * mpmath.besselk(nu, s)
        exact /= 2**nu * mpmath.sqrt(mpmath.pi) * mpmath.gamma(mpmath.mpf(d_k) / 2)
        assert density(s, d_k) == pytest.approx(float(exact), rel=1e-12 if d_k <= 100 else 1e-9)


@given(st.integers(1, 200), st.floats(0.01, 5))
def test_density_changes_smoothly_with_the_dimension(d_k, spread):
    a, b, c = (np.log(density(spread * d**0.5, d) * d**0.5) for d in (d_k, d_k + 1, d_k + 2))
    assert abs(a - 2 * b + c) < 20 / d_k**2


@pytest.mark.parametrize("d_k", BOTH_FORMULAS)
def test_density_has_mass_one_variance_d_and_excess_kurtosis_six_over_d(d_k):
    width = d_k**0.5
    mass, variance, fourth = (
        2 * integrate.quad(lambda s, p=p: density(s, d_k) * s**p, 0, 40 * width, points=[width], limit=200)[0]
        for p in (0, 2, 4)
    )
    assert mass == pytest.approx(1, rel=1e-8)
    assert variance == pytest.approx(d_k, rel=1e-8)
    assert fourth / d_k**2 - 3 == pytest.approx(6 / d_k, abs=1e-7)


@pytest.mark.parametrize("d_k", BOTH_FORMULAS)
def test_density_is_even_peaks_at_zero_and_keeps_the_shape(d_k):
    grid = S.reshape(1, 7)
    np.testing.assert_array_equal(density(-grid, d_k), density(grid, d_k))
    assert density(grid, d_k).shape == (1, 7)
    assert np.shape(density(1, d_k)) == ()
    assert (np.diff(density(S, d_k)) < 0).all()
    peak = np.exp(special.gammaln((d_k - 1) / 2) - special.gammaln(d_k / 2)) / (2 * np.sqrt(np.pi))  # ∞ for d_k = 1
    assert density(0, d_k) == pytest.approx(peak, rel=1e-10)


@pytest.mark.parametrize("d_k", [1, 2, 3, 64, 101, 300])
def test_coverage_is_the_integral_of_the_density(d_k):
    for t in (0.1, 0.5 * d_k**0.5, 2 * d_k**0.5):
        half, _ = integrate.quad(density, 0, t, args=(d_k,), epsabs=1e-12, epsrel=1e-12, limit=200)
        assert coverage(t, d_k) == pytest.approx(2 * half, abs=1e-10)


@pytest.mark.parametrize(("t", "d_k", "m"), [(1, 1, 2), (3, 2, 5), (3, 3, 9), (20, 64, 512), (90, 1000, 7)])
def test_row_coverage_averages_over_the_length_of_the_query(t, d_k, m):
    def inside(length):
        return (2 * stats.norm.cdf(t / length) - 1) ** m * stats.chi.pdf(length, d_k)

    total, _ = integrate.quad(inside, 1e-12, d_k**0.5 + 12, points=[d_k**0.5], epsabs=1e-11, limit=400)
    assert row_coverage(t, d_k, m) == pytest.approx(total, abs=1e-9)


@pytest.mark.parametrize(("d_k", "m", "t"), [(1, 3, 0.5), (3, 4, 2.0), (16, 5, 8.0)])
def test_coverage_agrees_with_dice(d_k, m, t):
    rng, N = np.random.default_rng(0), 100_000
    q, k = rng.standard_normal((N, d_k)), rng.standard_normal((m, N, d_k))
    hit = np.abs(np.einsum("nd,mnd->mn", q, k)) <= t
    for measured, p in ((hit[0].mean(), coverage(t, d_k)), (hit.all(0).mean(), row_coverage(t, d_k, m))):
        assert abs(measured - p) < 6 * np.sqrt(p * (1 - p) / N)


@settings(max_examples=12)
@given(st.integers(1, 300), st.integers(1, 40), st.floats(0.3, 4))
def test_row_coverage_grows_with_t_and_falls_with_m(d_k, m, spread):
    t = spread * d_k**0.5
    p = row_coverage(t, d_k, m)
    assert 0 < p < 1
    assert row_coverage(1.1 * t, d_k, m) > p > row_coverage(t, d_k, m + 1)
    assert p >= coverage(t, d_k) ** m - 1e-10  # keys share the query: staying inside together is likelier
    assert row_coverage(t, d_k, 1) == coverage(t, d_k)


def test_coverage_at_the_limits():
    for d_k in (1, 64, 4096):
        assert coverage(0, d_k) == row_coverage(0, d_k, 5) == 0
        assert row_coverage(60 * d_k, d_k, 5) == pytest.approx(1, abs=1e-10)
    assert coverage(1000 * 1.5, 10**6) == pytest.approx(special.erf(1.5 / np.sqrt(2)), abs=1e-5)  # normal law


@pytest.mark.parametrize("d_k", [1, 2, 100])
def test_density_vanishes_at_infinity(d_k):
    np.testing.assert_array_equal(density([np.inf, -np.inf], d_k), [0, 0])


@pytest.mark.parametrize(
    ("t", "d_k", "m", "exact"),
    [(1e-3, 1, 100, 2.96399856188536e-4), (0.1, 2, 10_000, 3.14215018660377e-4), (1.0, 1, 10**6, 0.158910812441052)],
)
def test_row_coverage_of_a_small_threshold_and_many_keys(t, d_k, m, exact):
    assert row_coverage(t, d_k, m) == pytest.approx(exact, rel=1e-6)  # exact: mpmath with 30 digits
