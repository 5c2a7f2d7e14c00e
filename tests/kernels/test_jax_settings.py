"""JAX's own settings: the package runs under each, in a separate process."""

import os
import subprocess
import sys
from pathlib import Path

import jax
import pytest

import jaxeager as paddle
from jaxeager.errors import NonFiniteError
from tests.support import core_program

ROOT = Path(__file__).resolve().parents[2]

SETTINGS = {
    "rank promotion": {"JAX_NUMPY_RANK_PROMOTION": "raise"},
    "dtype promotion": {"JAX_NUMPY_DTYPE_PROMOTION": "strict"},
    "transfer guard": {  # the core program reads its own results
        "JAX_TRANSFER_GUARD_HOST_TO_DEVICE": "disallow",
        "JAX_TRANSFER_GUARD_DEVICE_TO_DEVICE": "disallow",
    },
    "nans": {"JAX_DEBUG_NANS": "1"},
    "infs": {"JAX_DEBUG_INFS": "1"},
    "no jit": {"JAX_DISABLE_JIT": "1"},
    "tracer leaks": {"JAX_CHECK_TRACER_LEAKS": "1"},
    "matmul precision": {"JAX_DEFAULT_MATMUL_PRECISION": "highest"},
    "log of compiles": {"JAX_LOG_COMPILES": "1"},
    "default bits": {"JAX_DEFAULT_DTYPE_BITS": "32"},
    "other keys": {"JAX_DEFAULT_PRNG_IMPL": "rbg"},
    "typed keys": {"JAX_ENABLE_CUSTOM_PRNG": "1"},
    "threefry": {"JAX_THREEFRY_PARTITIONABLE": "0"},
    "garbage": {"JAX_ARRAY_GARBAGE_COLLECTION_GUARD": "log"},
    "x64 off": {"JAXEAGER_ENABLE_X64": "0"},
    "x64 off by JAX": {"JAX_ENABLE_X64": "0"},
}
DEVICES = {"XLA_FLAGS": "--xla_force_host_platform_device_count=4", "JAX_PLATFORMS": "cpu"}
THIRD = "import jax; jax.config.update('jax_default_device', jax.devices()[2])"


def run_core(settings: dict[str, str], code: str = "") -> None:
    """Run the core program under settings; an AssertionError shows how it ended."""
    flags = " ".join([os.environ.get("XLA_FLAGS", ""), settings.get("XLA_FLAGS", "")]).strip()
    environment = os.environ | settings | {"PYTHONPATH": str(ROOT), "XLA_FLAGS": flags}
    command = [sys.executable, core_program.__file__, code]
    finished = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert finished.returncode == 0, finished.stderr[-3000:]
    parts = [part.__name__ for part in core_program.PARTS]
    assert finished.stdout.split() == parts


def test_the_core_runs_under_strict_settings():
    strict = SETTINGS["rank promotion"] | SETTINGS["dtype promotion"] | SETTINGS["transfer guard"]
    run_core(strict | SETTINGS["matmul precision"])


@pytest.mark.deep
def test_the_core_runs_with_other_defaults_on_another_device():
    run_core(SETTINGS["x64 off"] | SETTINGS["other keys"] | DEVICES, THIRD)


SETTINGS["four devices"] = DEVICES


@pytest.mark.deep
@pytest.mark.parametrize("name", SETTINGS)
def test_the_core_runs_under_each_setting(name):
    run_core(SETTINGS[name])


@pytest.mark.deep
def test_the_core_runs_on_another_default_device():
    run_core(DEVICES, THIRD)


# ---- the findings


@pytest.mark.filterwarnings("ignore")
def test_an_op_that_makes_nan_is_named_when_jax_looks_for_it():
    x = paddle.to_tensor([0.0, 1.0], stop_gradient=False)
    with jax.debug_nans(True):
        with pytest.raises(NonFiniteError, match=r"^\(PreconditionNotMet\) log: invalid value"):
            paddle.log(x - 1.0)
        assert paddle.log(x + 1.0).shape == [2]
        y = paddle.sqrt(x * 0.0).sum()
        with pytest.raises(NonFiniteError, match="scale_grad: invalid value") as caught:
            y.backward()
    assert isinstance(caught.value, FloatingPointError)
    assert x.grad is None


@pytest.mark.filterwarnings("ignore")
def test_an_op_that_makes_inf_is_named_when_jax_looks_for_it():
    x = paddle.to_tensor([1.0])
    with jax.debug_infs(True), pytest.raises(NonFiniteError, match=r"invalid value \(inf\)"):
        x / 0.0


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "call",
    [
        lambda x: paddle.empty([3]),
        lambda x: paddle.where(x > 0, paddle.log(x + 1), x),
        lambda x: paddle.nanmean(x),
        lambda x: paddle.nn.functional.max_pool2d(x.reshape([1, 1, 2, 2]), 2, 2, 1),
        lambda x: paddle.nn.functional.cross_entropy(
            x.reshape([2, 2]), paddle.to_tensor([0, -100])
        ),
        lambda x: paddle.cummax(x)[0],
        lambda x: (x * 0).norm().backward(),
    ],
)
def test_debug_nans_does_not_raise_for_nan_inside_the_package(call):
    x = paddle.to_tensor([0.0, 1.0, 2.0, 3.0], stop_gradient=False)
    with jax.debug_nans(True):
        call(x)


# ---- settings for a while


@pytest.mark.parametrize(
    "setting",
    [
        lambda: jax.numpy_rank_promotion("raise"),
        lambda: jax.numpy_dtype_promotion("strict"),
        lambda: jax.transfer_guard("disallow"),
    ],
)
def test_a_setting_in_a_with_statement(setting):
    with setting():
        x = paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]], stop_gradient=False)
        y = (x + paddle.to_tensor([1.0, 2.0])) * 2 + x.astype("float64").sum().astype("float32")
        y[[0, 1], [1, 0]].sum().backward()
        assert paddle.rand([2]).shape == [2]
    assert x.grad.tolist() == [[2.0, 4.0], [4.0, 2.0]]


def test_the_default_device_of_jax_is_where_new_tensors_go():
    device = jax.devices()[0]
    with jax.default_device(device):
        assert paddle.to_tensor([1.0])._array.devices() == {device}
