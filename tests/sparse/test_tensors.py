"""Sparse tensors: refusals, hooks, copies, and shapes that Paddle cannot create."""

import copy
import pickle

import numpy as np
import pytest

import jaxeager as paddle
from jaxeager.errors import (
    FatalError,
    InvalidArgumentError,
    InvalidTypeError,
    UnimplementedError,
)
from jaxeager.sparse import SparseCooTensor, SparseCsrTensor


def coo(**more):
    """Return a COO tensor of three entries."""
    return paddle.sparse.sparse_coo_tensor([[0, 1, 2], [1, 2, 0]], [1.0, 2.0, 3.0], **more)


def csr(**more):
    """Return a CSR tensor of three entries."""
    return paddle.sparse.sparse_csr_tensor([0, 1, 2, 3], [1, 2, 0], [1.0, 2.0, 3.0], **more)


@pytest.mark.parametrize("make", [coo, csr])
def test_a_sparse_tensor_is_no_dense_tensor(make):
    x = make()
    assert not isinstance(x, paddle.Tensor)
    assert x.is_sparse()
    assert not x.is_dense()
    with pytest.raises(AttributeError, match=r"no 'numpy'.*to_dense"):
        x.numpy()
    with pytest.raises(InvalidTypeError, match="SparseC"):
        paddle.sin(x)
    with pytest.raises(InvalidArgumentError, match="condition of if/while"):
        bool(x)


@pytest.mark.parametrize("make", [coo, csr])
def test_a_hook_sees_and_replaces_the_sparse_gradient(make):
    x = make(stop_gradient=True)
    x.stop_gradient = False
    seen = []
    handle = x.register_hook(lambda grad: seen.append(grad) or paddle.sparse.multiply(grad, 10.0))
    paddle.sparse.square(x).backward()
    assert type(seen[0]) is type(x)
    assert seen[0].values().tolist() == [2.0, 4.0, 6.0]
    assert x.grad.values().tolist() == [20.0, 40.0, 60.0]
    handle.remove()
    x.clear_gradient(False)
    assert x.grad is None
    x.grad = make()
    assert x.grad.values().tolist() == [1.0, 2.0, 3.0]


def test_a_gradient_has_the_coordinates_of_its_tensor():
    x = coo(stop_gradient=False)
    wrong = paddle.sparse.sparse_coo_tensor([[0, 1, 2], [0, 1, 2]], [1.0, 2.0, 3.0])
    for seed in (wrong, csr(), paddle.ones([3, 3])):
        text = r"has its coordinates(?s:.*)mask_as\(dense, x\)"
        with pytest.raises(InvalidArgumentError, match=text):
            x.backward(seed)


@pytest.mark.parametrize("make", [coo, csr])
@pytest.mark.parametrize("again", [copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x)),
                                   lambda x: x.clone(), lambda x: x.detach()])  # fmt: skip
def test_copies(make, again):
    x = make()
    y = again(x)
    assert type(y) is type(x)
    assert repr(y) == repr(x)
    assert y is not x


def test_operators_are_the_functions():
    x = coo()
    assert (x + x).values().tolist() == [2.0, 4.0, 6.0]
    assert (x - x).values().tolist() == [0.0, 0.0, 0.0]
    assert (x * x).values().tolist() == [1.0, 4.0, 9.0]
    assert (2 * x / 4.0).values().tolist() == [0.5, 1.0, 1.5]
    assert (-x).values().tolist() == [-1.0, -2.0, -3.0]
    assert (x / x).nnz() == 9
    assert (x @ paddle.ones([3, 1])).tolist() == [[1.0], [2.0], [3.0]]


def test_nothing_stored():
    zeros = paddle.zeros([2, 3])
    x, y = zeros.to_sparse_coo(2), zeros.to_sparse_csr()
    assert y.crows().tolist() == [0, 0, 0]
    for each in (x, y, paddle.sparse.add(x, x), paddle.sparse.transpose(y, [0, 1])):
        assert each.nnz() == 0
        assert each.to_dense().tolist() == zeros.tolist()
    assert paddle.sparse.matmul(y, paddle.ones([3, 1])).tolist() == [[0.0], [0.0]]
    assert paddle.sparse.sum(x, 0).to_dense().tolist() == [0.0] * 3
    with pytest.raises(InvalidArgumentError, match="needs a shape"):
        paddle.sparse.sparse_coo_tensor(np.zeros((2, 0), "int64"), [])


def test_images_of_nothing():
    f = paddle.sparse.nn.functional
    empty = np.zeros((0, 2), "float32")
    x = paddle.sparse.sparse_coo_tensor(np.zeros((4, 0), "int64"), empty, [1, 3, 3, 3, 2])
    w = paddle.ones([3, 3, 3, 2, 4])
    for y in (f.conv3d(x, w, padding=1), f.subm_conv3d(x, w)):
        assert (y.shape, y.nnz()) == ([1, 3, 3, 3, 4], 0)
    assert f.max_pool3d(x, 2).shape == [1, 1, 1, 1, 2]


def test_conversions_keep_the_index_dtype():
    indices = np.array([[1, 0, 1], [1, 1, 0]], "int32")
    x = paddle.sparse.sparse_coo_tensor(indices, [1.0, 2.0, 3.0], [2, 2])
    y = x.to_sparse_csr()
    assert y.crows().dtype == paddle.int32
    assert y.values().tolist() == [2.0, 3.0, 1.0]
    assert y.to_sparse_coo(2).indices().dtype == paddle.int32
    assert x.to_sparse_coo(2) is x
    assert y.to_sparse_csr() is y
    assert isinstance(x, SparseCooTensor)
    assert isinstance(y, SparseCsrTensor)


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: coo().crows(), FatalError, "only effective for SparseCsrTensor"),
        (lambda: csr().indices(), FatalError, "only effective for SparseCooTensor"),
        (lambda: csr().coalesce(), UnimplementedError, "takes a SparseCooTensor"),
        (lambda: paddle.sparse.sin(paddle.ones([2])), UnimplementedError, "use paddle.sin"),
        (lambda: paddle.sparse.add(coo(), csr()), UnimplementedError, "of one kind"),
        (lambda: paddle.sparse.sum(csr(), 0), UnimplementedError, "to_sparse_coo"),
        (lambda: paddle.sparse.matmul(coo(), paddle.ones([2, 2])), InvalidArgumentError, "rows of"),
        (lambda: paddle.sparse.mv(coo(), paddle.ones([2])), InvalidArgumentError, "as long as"),
        (lambda: paddle.sparse.transpose(coo(), [0]), InvalidArgumentError, "each of the 2"),
        (lambda: paddle.sparse.reshape(coo(), [2, 4]), InvalidArgumentError, "cannot hold"),
        (lambda: paddle.sparse.pca_lowrank(paddle.ones([2, 2])), InvalidArgumentError, "sparse"),
        (lambda: paddle.sparse.nn.MaxPool3D(2, return_mask=True), UnimplementedError, "no return"),
        (
            lambda: paddle.sparse.sparse_coo_tensor([[0, 1]], [1.0, 2.0], [1]),
            InvalidArgumentError,
            "minimum shape",
        ),
        (
            lambda: paddle.sparse.sparse_csr_tensor([0, 2, 1, 3], [0, 1, 0], [1.0] * 3, [3, 2]),
            InvalidArgumentError,
            "must not fall",
        ),
        (
            lambda: paddle.sparse.nn.functional.subm_conv2d(
                paddle.sparse.sparse_coo_tensor([[0], [0], [0]], [[1.0]], [1, 2, 2, 1]),
                paddle.ones([2, 2, 1, 1]),
            ),
            InvalidArgumentError,
            "odd sizes",
        ),
    ],
)  # fmt: skip
def test_errors(call, error, text):
    with pytest.raises(error, match=text):
        call()


def test_pca_lowrank_is_that_of_the_dense_matrix():
    r = np.random.default_rng(5)
    matrix = r.normal(size=(6, 4)) * (r.uniform(size=(6, 4)) > 0.5)
    u, s, v = paddle.sparse.pca_lowrank(paddle.to_tensor(matrix).to_sparse_csr(), q=4)
    centered = matrix - matrix.mean(axis=0)
    product = u.numpy() * s.numpy() @ v.numpy().T
    np.testing.assert_allclose(product, centered, atol=1e-8)


def test_the_room_holds_what_it_names():
    for room in (paddle.sparse, paddle.sparse.nn, paddle.sparse.nn.functional):
        assert all(hasattr(room, name) for name in room.__all__)
        assert sorted(room.__all__) == list(room.__all__)
