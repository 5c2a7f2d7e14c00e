"""The programs that gave wrong numbers or poor messages in November 2026, with their right values.

Their families are tested in the rooms they belong to: sums of 16-bit floats in
ops/rules/test_wide_sums.py, subnormal numbers in ops/test_subnormals.py, long axes in
ops/test_long_axes.py, gradients of some rows in optimizer/test_row_gradients.py, marked functions
in jit/, open sizes in jit/saved_model/test_open_arithmetic.py, threads in
optimizer/test_other_threads.py, untrusted ports and damaged files in distributed/ and formats/.
"""

import numpy as np
import pytest

import jaxeager as paddle
from jaxeager import nn
from jaxeager.jit import to_static

F = nn.functional
HALVES = ("bfloat16", "float16")


def near(found, right, dtype):
    """Return whether numbers are within two units in the last place of a 16-bit dtype."""
    eps = {"bfloat16": 2**-7, "float16": 2**-10}[dtype]
    return np.allclose(
        paddle.to_tensor(found).astype("float32").numpy(), right, rtol=2 * eps, atol=0
    )


# ---- 1.1 sums of 16-bit floats


@pytest.mark.parametrize("dtype", ["bfloat16", pytest.param("float16", marks=pytest.mark.deep)])
def test_sums_of_16_bit_floats(dtype):
    many, tenths = paddle.ones([4096], dtype), paddle.full([1000], 0.1, dtype)
    assert near(tenths.sum(), 100, dtype)
    assert near(paddle.ones([64, 64, 4], dtype).sum([0, 1]), 4096, dtype)
    assert near(paddle.einsum("i->", tenths), 100, dtype)
    assert near(paddle.nansum(tenths), 100, dtype)
    assert near(F.mse_loss(many, many * 0, reduction="sum"), 4096, dtype)
    assert near(paddle.cumsum(tenths)[-1], 100, dtype)
    zeros, first = paddle.zeros([2], dtype), paddle.zeros([4096], "int64")
    assert near(paddle.index_add(zeros, first, 0, many)[0], 4096, dtype)
    assert near(paddle.scatter_nd_add(zeros, first.unsqueeze(1), many)[0], 4096, dtype)
    assert near(paddle.geometric.segment_sum(tenths, paddle.zeros([1000], "int32"))[0], 100, dtype)


@pytest.mark.parametrize("dtype", HALVES)
def test_gradients_that_add_up_16_bit_floats(dtype):
    row = paddle.ones([2], dtype)
    row.stop_gradient = False
    paddle.index_select(row, paddle.zeros([4096], "int64")).sum().backward()
    assert near(row.grad, [4096, 0], dtype)
    b = paddle.ones([1], dtype)
    b.stop_gradient = False
    (paddle.ones([4096], dtype) * 1 + b).sum().backward()
    assert near(b.grad, 4096, dtype)


@pytest.mark.parametrize("dtype", ["bfloat16", pytest.param("float16", marks=pytest.mark.deep)])
@pytest.mark.parametrize("is_marked", [False, True])
def test_bias_gradients_under_autocast(dtype, is_marked):
    images = paddle.ones([16, 4, 16, 16])
    layers = [
        (nn.Linear(32, 4), paddle.ones([16, 256, 32])),
        (nn.Conv2D(4, 4, 1), images),
        (nn.Conv2D(4, 4, 1, groups=4), images),
        (nn.Conv2DTranspose(4, 4, 1), images),
    ]
    for layer, x in layers:

        def loss(x, layer=layer):
            with paddle.amp.auto_cast(level="O1", dtype=dtype):
                y = layer(x)
            return (y.astype("float32") * 0.1).sum()

        (to_static(loss) if is_marked else loss)(x).backward()
        assert near(layer.bias.grad, 409.6, dtype), layer


# ---- 1.2 subnormal numbers


def test_lengths_and_shares_of_small_numbers():
    assert paddle.linalg.norm(paddle.to_tensor([1e-20, 1e-20])).item() == pytest.approx(1.41421e-20)
    x = paddle.to_tensor([0.0, -95.0], stop_gradient=False)
    paddle.log(F.softmax(x))[1].backward()
    assert x.grad.tolist() == [-1.0, 1.0]


# ---- 1.3 sparse gradients


def test_a_lazy_adam_leaves_the_rows_that_did_not_come():
    table = nn.Embedding(6, 2, sparse=True)
    step = paddle.optimizer.Adam(0.1, parameters=table.parameters(), lazy_mode=True)
    seen = []
    for ids in ([1, 2], [3, 0], [2, 5]):
        table(paddle.to_tensor(ids)).sum().backward()
        step.step()
        step.clear_grad()
        seen.append(table.weight.numpy())
    assert (seen[1][[1, 2, 4, 5]] == seen[0][[1, 2, 4, 5]]).all()
    assert (seen[2][[0, 1, 3, 4]] == seen[1][[0, 1, 3, 4]]).all()
    assert (seen[2][[2, 5]] != seen[1][[2, 5]]).all()


# ---- 2.1 to 2.4 marked functions


@pytest.mark.parametrize("name", ["Adam", "AdamW", "Adamax", "Lamb"])
def test_powers_go_on_after_a_load(name):
    def trained(is_marked):
        w = paddle.create_parameter(
            [1], "float32", default_initializer=nn.initializer.Constant(1.0)
        )
        optimizer = getattr(paddle.optimizer, name)(0.01, parameters=[w])

        def step(x):
            (w * w * x).sum().backward()
            optimizer.step()
            optimizer.clear_grad()

        marked, x = to_static(step) if is_marked else step, paddle.ones([1])
        for _ in range(3):
            marked(x)
        optimizer.set_state_dict(optimizer.state_dict())
        for _ in range(20):
            marked(x)
        return w.item()

    assert trained(True) == pytest.approx(trained(False), rel=1e-5)


def test_a_gradient_that_is_there_when_a_marked_step_starts():
    w = paddle.create_parameter([1], "float32", default_initializer=nn.initializer.Constant(1.0))
    optimizer = paddle.optimizer.SGD(0.1, parameters=[w])

    @to_static
    def step(x):
        (w * x).sum().backward()
        optimizer.step()
        optimizer.clear_grad()

    x = paddle.ones([1])
    for _ in range(3):
        step(x)
    (w * 100).sum().backward()
    step(x)
    assert w.item() == pytest.approx(-9.4)


def test_marked_methods_of_one_name():
    class Both(nn.Layer):
        f = to_static(lambda self, x: x * 2)
        g = to_static(lambda self, x: x * 3)

    both, x = Both(), paddle.ones([1])
    assert [both.f(x).item(), both.g(x).item()] == [2, 3]


def test_an_argument_that_shares_memory_with_what_is_written():
    @to_static
    def write(a, b):
        a.add_(paddle.ones([2]) * 10)
        return b * 2

    write(paddle.to_tensor([1.0, 2.0]), paddle.to_tensor([1.0, 2.0]))
    x = paddle.to_tensor([1.0, 2.0])
    assert write(x, x.detach()).tolist() == [22, 24]


# ---- 6 messages


def test_messages_name_what_was_wrong():
    with pytest.raises(ValueError, match=r"Linear.*32.*4"):
        nn.Linear(32, 4)(paddle.ones([2, 33]))
    with pytest.raises(TypeError, match="DataLoader"):
        paddle.io.DataLoader(5)
    with pytest.raises(ValueError, match="prepare"):
        paddle.Model(nn.Linear(2, 2)).fit(paddle.io.TensorDataset([paddle.ones([2, 2])] * 2))
