"""Data of PyTorch, grain and NumPy as Tensors, and Tensors in their functions."""

import collections

import jax.numpy as jnp
import numpy as np
import pytest

import jaxeager as paddle
from jaxeager.errors import InvalidTypeError
from jaxeager.interop import Batches


def address(tensor):
    """Return the address of a Tensor's data."""
    return tensor._array.unsafe_buffer_pointer()


def aligned(torch, *shape):
    """Return a tensor of PyTorch that begins at a multiple of 64 bytes, as XLA requires."""
    count = int(np.prod(shape))
    whole = torch.arange(count + 16, dtype=torch.float32)
    start = (-whole.data_ptr() // 4) % 16
    return whole[start : start + count].reshape(shape)


def test_pytorch_shares_memory_both_ways():
    torch = pytest.importorskip("torch")
    theirs = aligned(torch, 2, 3)
    mine = paddle.utils.dlpack.from_dlpack(theirs)
    assert address(mine) == theirs.data_ptr()
    assert mine.tolist() == theirs.tolist()
    back = torch.from_dlpack(mine)
    assert back.data_ptr() == theirs.data_ptr()
    assert torch.utils.dlpack.from_dlpack(paddle.utils.dlpack.to_dlpack(mine)).equal(theirs)
    for dtype in ("int64", "float64", "bfloat16", "bool", "uint8", "complex64"):
        given = paddle.ones([3]).astype(dtype)
        assert torch.from_dlpack(given).dtype == getattr(torch, dtype)
        found = paddle.utils.dlpack.from_dlpack(torch.ones(3, dtype=getattr(torch, dtype)))
        assert found.dtype == given.dtype
        assert (found == given).all()
    wanted = paddle.ones([2])
    wanted.stop_gradient = False
    with pytest.raises(BufferError, match="requires gradients"):
        torch.from_dlpack(wanted)


def test_a_gradient_goes_through_pytorch_by_hand():
    torch = pytest.importorskip("torch")

    class Torch(paddle.autograd.PyLayer):
        """sin, computed by PyTorch."""

        @staticmethod
        def forward(ctx, x):
            ctx.theirs = torch.from_dlpack(x.detach()).clone().requires_grad_()
            ctx.out = torch.sin(ctx.theirs)
            return paddle.utils.dlpack.from_dlpack(ctx.out.detach())

        @staticmethod
        def backward(ctx, grad):
            (found,) = torch.autograd.grad(ctx.out, ctx.theirs, torch.from_dlpack(grad.detach()))
            return paddle.utils.dlpack.from_dlpack(found)

    x = paddle.to_tensor([0.5, 1.0], stop_gradient=False)
    (Torch.apply(x) ** 2).sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), np.sin(2 * x.numpy()), rtol=1e-6)


def test_pytorchs_loader_is_a_source():
    torch = pytest.importorskip("torch")
    data = torch.utils.data.TensorDataset(torch.arange(10.0).reshape(5, 2), torch.arange(5))
    loader = Batches(torch.utils.data.DataLoader(data, batch_size=2))
    assert len(loader) == 3
    for _ in range(2):  # iterating again is possible
        batches = list(loader)
        assert [x.shape for x, _ in batches] == [[2, 2], [2, 2], [1, 2]]
        assert isinstance(batches[0][0], paddle.Tensor)
        assert batches[1][1].tolist() == [2, 3]
    # the datasets of PyTorch are datasets here
    own = paddle.io.DataLoader(data, batch_size=2, collate_fn=lambda rows: rows)
    assert len(list(own)) == 3


def test_grain_is_a_source():
    grain = pytest.importorskip("grain", reason="this needs pip install 'jaxeager[interop]'")
    rows = [{"x": np.full([2], k, "float32"), "y": np.int64(k)} for k in range(6)]
    dataset = grain.MapDataset.source(rows).shuffle(seed=1).batch(3)
    batches = list(Batches(dataset))
    assert [batch["x"].shape for batch in batches] == [[3, 2], [3, 2]]
    assert sorted(y for batch in batches for y in batch["y"].tolist()) == list(range(6))
    iterated = list(Batches(dataset.to_iter_dataset()))
    assert all(isinstance(batch["x"], paddle.Tensor) for batch in iterated)


def test_other_batches_keep_their_form():
    Pair = collections.namedtuple("Pair", "x y")
    ((pair, rest),) = Batches([(Pair(np.ones(2), jnp.zeros(2)), ["a", {"z": np.float32(2)}])])
    assert isinstance(pair, Pair)
    assert (pair.x.dtype, pair.y.tolist()) == (paddle.float64, [0.0, 0.0])
    assert rest[0] == "a"
    assert rest[1]["z"].item() == 2.0
    with pytest.raises(InvalidTypeError, match="something to loop over, but got int"):
        Batches(3)


def test_numpys_protocols_are_as_in_paddle():
    """As in real Paddle 3.3.1: operators return Tensors, ufuncs are refused, functions use the
    methods that a Tensor has, or ``__array__``.
    """
    x, n = paddle.to_tensor([1.0, 2.0], stop_gradient=False), np.array([3.0, 4.0], "float32")
    for found in (n + x, n * x, n @ x, np.float64(2) * x):
        assert isinstance(found, paddle.Tensor)
        assert not found.stop_gradient
    for call in (lambda: np.add(n, x), lambda: np.sin(x), lambda: np.maximum(x, 1.5)):
        with pytest.raises(TypeError, match="does not support ufuncs"):
            call()
    assert isinstance(np.sum(x), paddle.Tensor)  # calls x.sum()
    assert not np.sum(x).stop_gradient
    assert isinstance(np.concatenate([x, x]), np.ndarray)  # by __array__: outside the graph
    assert np.asarray(x).dtype == np.float32
    assert np.array(x, dtype="float64").dtype == np.float64
