"""Operators on sparse tensors."""

import jaxeager as paddle


def sparse_divide_scalar(x, scalar):
    """Return a sparse tensor divided by a number."""
    return paddle.sparse.divide(x, scalar)


def sparse_to_dense(x):
    """Return a sparse tensor as a dense one."""
    return x.to_dense()


def sparse_to_sparse_coo(x, sparse_dim):
    """Return a tensor in the coordinate format."""
    return x.to_sparse_coo(sparse_dim)


def sparse_to_sparse_csr(x):
    """Return a tensor in the compressed row format."""
    return x.to_sparse_csr()


def sparse_values(x):
    """Return the stored values of a sparse tensor."""
    return x.values()


def sparse_indices(x):
    """Return the indices of the stored values of a sparse tensor."""
    return x.indices()


def sparse_sparse_coo_tensor(values, indices, shape=()):
    """Return a sparse tensor from values and their indices."""
    return paddle.sparse.sparse_coo_tensor(indices, values, list(shape) or None)


def sparse_sum(x, axis=(), dtype=None, keepdim=False):
    """Return sums of a sparse tensor along axes."""
    return paddle.sparse.sum(x, list(axis) or None, dtype, keepdim)


def _function(name: str):
    room = paddle.sparse if hasattr(paddle.sparse, name) else paddle.sparse.nn.functional
    return getattr(room, name)


_SAME = (
    "abs add addmm asin asinh atan atanh cast coalesce divide expm1 isnan leaky_relu log1p mask_as "
    "masked_matmul matmul multiply mv pow relu relu6 reshape sin sinh slice softmax sqrt square "
    "subtract tan tanh transpose"
).split()
SAME = {f"sparse_{name}": _function(name) for name in _SAME}
"""Operators that take what the functions of ``paddle.sparse`` take."""
