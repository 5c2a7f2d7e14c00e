"""Kernels that run on the host where an accelerator's compiler cannot make them."""

import jax
import numpy as np
import pytest

import jaxeager as paddle
from jaxeager.errors import UnimplementedError
from jaxeager.ops.call.host_kernels import HostKernel
from jaxeager.ops.row import ROWS

ON_HOST = {"svd", "svdvals", "lstsq", "pinv", "eig", "eigvals"}


def made_for(*platforms: str) -> HostKernel:
    return HostKernel(jax.jit(lambda x: (x + 1.0, {"double": x * 2.0})), "op", frozenset(platforms))


def test_rows_that_name_a_platform_have_such_kernels():
    assert {name for name, row in ROWS.items() if row.host_on} >= ON_HOST
    x = paddle.to_tensor(np.diag([3.0, 2.0]), stop_gradient=False)
    paddle.linalg.svd(x)[1].sum().backward()
    row = ROWS["svd"]
    for kernels in (row.forward_kernels, row.vjp_kernels):
        assert kernels
        assert all(type(kernel) is HostKernel for kernel in kernels.values())


def test_results_return_to_the_device_of_the_operands():
    device = jax.devices()[-1]
    x = jax.device_put(np.ones(2, "float32"), device)
    for kernel in (made_for("cpu"), made_for("tpu")):
        first, rest = kernel(x)
        assert first.devices() == rest["double"].devices() == {device}
        assert (first.tolist(), rest["double"].tolist()) == ([2.0, 2.0], [2.0, 2.0])


def test_tracing_a_host_kernel_for_its_platform_raises():
    assert jax.jit(made_for("tpu"))(1.0)[0] == 2.0
    with pytest.raises(UnimplementedError, match="op: XLA cannot compile this op for cpu"):
        jax.jit(made_for("cpu"))(1.0)


def test_gradients_of_gradients_run_there_too():
    x = paddle.to_tensor(np.diag([3.0, 2.0]), stop_gradient=False)
    (first,) = paddle.grad(paddle.linalg.svdvals(x).sum(), x, create_graph=True)
    assert first.grad_fn.op.host_on == {"tpu"}
    (second,) = paddle.grad((first * first).sum(), x)
    assert np.isfinite(second.numpy()).all()
