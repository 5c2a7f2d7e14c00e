"""The kernels of all rows compile for TPUs, on a machine without one.

The compiler is in the package libtpu, of the version that ``jax[tpu]`` names. It belongs in a
folder of its own on PYTHONPATH, because JAX looks for a TPU wherever it is installed.
"""

import importlib.util

import pytest

from tests.compiled_for.kernels import refused


@pytest.mark.deep
@pytest.mark.skipif(importlib.util.find_spec("libtpu") is None, reason="needs the package libtpu")
@pytest.mark.parametrize("topology", ["v5e:2x2", "v6e:2x2"])
def test_kernels_compile(topology, tmp_path):
    assert refused(topology, tmp_path, []) == {}
