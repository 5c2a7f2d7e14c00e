"""The kernels of all rows, and whole training steps, compile for devices that are not there.

The compilers are in packages of their own: docs/accelerators.md says how to install them. They
belong in folders on PYTHONPATH, because JAX looks for a device wherever they are installed.
"""

import importlib.util

import pytest

from tests.compiled_for.kernels import refused
from tests.compiled_for.steps import compiled_steps
from tests.compiled_for.targets import TARGETS

each_target = pytest.mark.parametrize(
    "target",
    [
        pytest.param(
            name,
            marks=pytest.mark.skipif(
                importlib.util.find_spec(target.package) is None,
                reason=f"needs the package {target.package}",
            ),
        )
        for name, target in TARGETS.items()
    ],
)


@pytest.mark.deep
@each_target
def test_kernels_compile(target, tmp_path):
    assert refused(target, tmp_path, []) == {}


@pytest.mark.deep
@each_target
def test_steps_compile(target):
    """A sharded step takes less memory on each of 4 devices than the whole one takes on one."""
    steps = compiled_steps(target)
    whole = steps["transformer"]
    for name, step in steps.items():
        assert step.kernels > 40, name
        assert (step.messages > 0) is (step.devices > 1), name
        if step.devices > 1:
            assert step.megabytes <= whole.megabytes, name
    assert steps["transformer, ZeRO-3 4"].megabytes < steps["transformer, data 4"].megabytes
