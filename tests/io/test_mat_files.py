"""Matrices in files of MATLAB, against SciPy."""

import io

import numpy as np
import pytest
from scipy.io import savemat

from jaxeager.errors import InvalidArgumentError
from jaxeager.io.mat_files import numbers_in

KINDS = ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float32",
         "float64")  # fmt: skip


@pytest.mark.parametrize("packed", [False, True])
def test_matrices_of_every_kind_are_read(tmp_path, packed):
    wanted = {kind: np.arange(6).reshape(2, 3).astype(kind) for kind in KINDS}
    wanted |= {"one": np.array([[7]], "uint8"), "deep": np.ones((2, 2, 2)), "l" * 31: np.eye(2)}
    others = {"text": "words", "cells": np.array([1, "a"], object), "j": np.array([1j])}
    path = tmp_path / "numbers.mat"
    savemat(path, {**others, **wanted}, do_compression=packed)
    for name, matrix in wanted.items():
        found = numbers_in(path, name)
        assert found.dtype == matrix.dtype
        np.testing.assert_array_equal(found, matrix)
    for name in (*others, "none"):
        with pytest.raises(InvalidArgumentError, match=rf"has no matrix of numbers '{name}'"):
            numbers_in(path, name)


def test_other_files_than_those_of_matlab_are_refused(tmp_path):
    path = tmp_path / "x.mat"
    for data in (b"", b"MATLAB", bytes(500)):
        path.write_bytes(data)
        with pytest.raises(InvalidArgumentError, match=r"x\.mat is not a file of MATLAB 5"):
            numbers_in(path, "labels")


def test_lengths_that_are_not_there_and_bombs(tmp_path):
    path, out = tmp_path / "x.mat", io.BytesIO()
    savemat(out, {"labels": np.zeros((1, 30 << 20), "uint8")}, do_compression=True)
    path.write_bytes(out.getvalue())
    with pytest.raises(InvalidArgumentError, match=r"x\.mat is damaged: .*unpacks to too many"):
        numbers_in(path, "labels")
    out = io.BytesIO()
    savemat(out, {"labels": np.ones((1, 9), "uint8")})
    data = bytearray(out.getvalue())
    data[132:136] = (2**31).to_bytes(4, "little")
    path.write_bytes(data)
    with pytest.raises(InvalidArgumentError, match=r"2147483648 bytes should follow"):
        numbers_in(path, "labels")
