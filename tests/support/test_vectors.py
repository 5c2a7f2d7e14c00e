"""Vectors with other factors count as equal, wrong ones do not."""

import numpy as np
import pytest

from tests.support import compare, vectors

RNG = np.random.default_rng(4)
X = RNG.standard_normal((2, 4, 3)) + 1j * RNG.standard_normal((2, 4, 3))
HERMITIAN = X @ np.swapaxes(X.conj(), -1, -2)


def check(name, found, expected):
    for got, want in zip(vectors.aligned(name, found, expected), expected, strict=True):
        compare.assert_close(got, want, "complex128", name)


@pytest.mark.parametrize("full", [False, True])
def test_singular_vectors(full):
    u, s, vh = np.linalg.svd(X, full_matrices=full)
    phases = np.exp(1j * RNG.uniform(0, 6, (2, 1, 3)))
    other = u.copy()
    other[..., :3] *= phases
    if full:
        other[..., 3:] *= -1
    rows = vh * np.swapaxes(phases.conj(), -1, -2)
    check("svd", [other, s, rows], [u, s, vh])
    with pytest.raises(AssertionError, match="off by"):
        check("svd", [other, s, vh], [u, s, vh])  # factors that do not fit together
    with pytest.raises(AssertionError, match="off by"):
        check("svd", [other + 0.1, s, rows], [u, s, vh])


def test_eigenvectors():
    w, v = np.linalg.eigh(HERMITIAN)
    check("eigh", [w, v * np.exp(1j * RNG.uniform(0, 6, (2, 1, 4)))], [w, v])
    with pytest.raises(AssertionError, match="off by"):
        check("eigh", [w, v[..., ::-1]], [w, v])
