"""Sparsemax against every support, a quadratic solver and autograd; hull membership against the hull's own facets."""

import itertools

import numpy as np
import pytest
import torch
from attnbook.simplex import hull_weights, separating_direction, sparsemax
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.optimize import linprog, minimize
from scipy.spatial import Delaunay

ROWS = arrays(float, st.integers(1, 7), elements=st.floats(-20, 20, width=32))


def nearest_by_enumeration(s):
    """Project on the plane of every face and keep the nearest result that lies on the face."""
    best, nearest = np.inf, None
    for k in range(1, len(s) + 1):
        for face in map(list, itertools.combinations(range(len(s)), k)):
            a = np.zeros(len(s))
            a[face] = s[face] + (1 - s[face].sum()) / k
            if a.min() >= 0 and (distance := ((a - s) ** 2).sum()) < best:
                best, nearest = distance, a
    return nearest


# --- sparsemax ----------------------------------------------------------------------------------------------------


@given(ROWS)
def test_sparsemax_is_the_nearest_point_of_all_faces(s):
    np.testing.assert_allclose(sparsemax(s), nearest_by_enumeration(s), atol=1e-13)


@pytest.mark.parametrize(("m", "seed"), [(2, 0), (5, 1), (12, 2), (40, 3)])
def test_sparsemax_agrees_with_a_quadratic_solver(m, seed):
    s = 2 * np.random.default_rng(seed).normal(size=m)
    sums = {"type": "eq", "fun": lambda a: a.sum() - 1}
    found = minimize(
        lambda a: ((a - s) ** 2).sum(),
        np.full(m, 1 / m),
        jac=lambda a: 2 * (a - s),
        bounds=[(0, 1)] * m,
        constraints=sums,
        options={"ftol": 1e-15},
    )
    np.testing.assert_allclose(sparsemax(s), found.x, atol=1e-6)


@given(ROWS, st.floats(-50, 50), st.randoms())
def test_sparsemax_is_a_distribution_shift_invariant_and_equivariant(s, c, random):
    a = sparsemax(s)
    assert a.min() >= 0
    assert a.sum() == pytest.approx(1, abs=1e-13)
    np.testing.assert_allclose(sparsemax(s + c), a, atol=1e-12)
    perm = random.sample(range(len(s)), len(s))
    np.testing.assert_allclose(sparsemax(s[perm]), a[perm], atol=1e-14)
    assert (a[np.argsort(s)] == np.sort(a)).all()


def test_sparsemax_of_points_of_the_simplex_and_known_rows():
    for m in (1, 2, 6):
        a = np.random.default_rng(m).dirichlet(np.ones(m))
        np.testing.assert_allclose(sparsemax(a), a, atol=1e-15)
    np.testing.assert_allclose(sparsemax([1, 0.8, -1]), [0.6, 0.4, 0], atol=1e-15)
    np.testing.assert_array_equal(sparsemax([5, 0, 0]), [1, 0, 0])
    np.testing.assert_array_equal(sparsemax([3, 3, 3, 3]), [0.25] * 4)
    for t in (-2.0, -0.4, 0.0, 0.7, 1.5):  # two scores: a straight line between two flat ends
        assert sparsemax([t, 0])[0] == pytest.approx(min(max((t + 1) / 2, 0), 1), abs=1e-15)


def test_sparsemax_treats_minus_infinity_as_a_deleted_key():
    s = np.array([0.3, -np.inf, 0.1, -np.inf, 0.9])
    seen = np.isfinite(s)
    np.testing.assert_allclose(sparsemax(s)[seen], sparsemax(s[seen]), atol=1e-16)
    assert (sparsemax(s)[~seen] == 0).all()
    x = torch.tensor(s, requires_grad=True)
    (sparsemax(x) * torch.arange(5.0)).sum().backward()
    assert torch.isfinite(x.grad).all()


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_sparsemax_works_on_batches_in_both_libraries(dtype):
    S = torch.randn(3, 2, 5, generator=torch.Generator().manual_seed(0), dtype=dtype)
    A = sparsemax(S)
    assert A.dtype == dtype
    np.testing.assert_allclose(A.numpy(), sparsemax(S.numpy()), atol=4 * torch.finfo(dtype).eps)
    for i, j in np.ndindex(3, 2):
        np.testing.assert_allclose(A[i, j], nearest_by_enumeration(S[i, j].double().numpy()), atol=1e-6)


@pytest.mark.parametrize("seed", range(6))
def test_the_jacobian_of_sparsemax_is_a_projection_on_the_support(seed):
    s = torch.tensor(2 * np.random.default_rng(seed).normal(size=6))
    e = (sparsemax(s) > 0).double()
    J = torch.autograd.functional.jacobian(sparsemax, s)
    torch.testing.assert_close(J, torch.diag(e) - torch.outer(e, e) / e.sum(), atol=1e-14, rtol=0)
    h = 1e-6
    differences = torch.stack([(sparsemax(s + h * d) - sparsemax(s - h * d)) / (2 * h) for d in torch.eye(6).double()])
    torch.testing.assert_close(J, differences.T, atol=1e-8, rtol=0)


# --- hulls --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("m", "d_v", "seed"), [(4, 2, 0), (9, 2, 1), (8, 3, 2), (14, 4, 3)])
def test_membership_agrees_with_a_triangulation(m, d_v, seed):
    rng = np.random.default_rng(seed)
    V, points = rng.normal(size=(m, d_v)), 0.6 * rng.normal(size=(80, d_v))
    points += V.mean(axis=0)
    inside = Delaunay(V).find_simplex(points) >= 0
    assert 0 < inside.sum() < 80
    for y, within in zip(points, inside, strict=True):
        assert (hull_weights(y, V) is not None) == within
        w = separating_direction(y, V)
        assert (w is None) == within
        if w is not None:
            assert np.abs(w).max() <= 1 + 1e-12
            assert w @ y > (V @ w).max()


def test_the_gap_of_the_direction_is_the_distance_in_the_one_norm():
    rng = np.random.default_rng(4)
    for m, d_v in [(3, 2), (6, 3), (5, 1)]:
        V, y = rng.normal(size=(m, d_v)), 5 + rng.normal(size=d_v)
        # min Σ(p + q) over a, p, q ≥ 0 with aᵀV + p − q = y and Σa = 1
        equations = np.block([[V.T, np.eye(d_v), -np.eye(d_v)], [np.ones((1, m)), np.zeros((1, 2 * d_v))]])
        primal = linprog(np.r_[np.zeros(m), np.ones(2 * d_v)], A_eq=equations, b_eq=np.append(y, 1))
        w = separating_direction(y, V)
        assert w @ y - (V @ w).max() == pytest.approx(primal.fun, abs=1e-9)


def test_corners_edges_and_a_single_value():
    square = np.array([[0, 0], [0, 1], [1, 0], [1, 1.0]])
    for corner, value in enumerate(square):
        np.testing.assert_allclose(hull_weights(value, square), np.eye(4)[corner], atol=1e-12)
    np.testing.assert_allclose(hull_weights([0.5, 0], square) @ square, [0.5, 0], atol=1e-12)
    # the solver's tolerance lies between 1e-9 and 1e-6
    for step, inside in [(1e-12, True), (1e-9, True), (1e-6, False), (1e-4, False), (0.1, False)]:
        assert (hull_weights([0.5, -step], square) is not None) == inside
        assert (separating_direction([0.5, -step], square) is None) == inside
    np.testing.assert_array_equal(hull_weights([0.0, 0.0], [[0, 0]]), [1])  # no size to divide by
    np.testing.assert_array_equal(hull_weights([2.0, 3.0], [[2, 3]]), [1])
    assert hull_weights([2.0, 3.1], [[2, 3]]) is None


def test_tensors_are_accepted():
    V = torch.tensor([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    np.testing.assert_allclose(hull_weights(torch.tensor([0.25, 0.25]), V), [0.5, 0.25, 0.25], atol=1e-12)
