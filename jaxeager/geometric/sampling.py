"""sample_neighbors, weighted_sample_neighbors: random neighbors of nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

import jaxeager as paddle
from jaxeager.arrays.random import next_key, words_of
from jaxeager.errors import InvalidArgumentError
from jaxeager.geometric.indices import check_nodes, host_integers, node_tensor
from jaxeager.ops.call.bad_operands import names_operands
from jaxeager.ops.rules.domains import POSITIVE, check_domain

if TYPE_CHECKING:
    from jaxeager.tensor.tensor import Tensor


def _generator() -> np.random.Generator:
    """Return a NumPy generator seeded from the library's own, so paddle.seed repeats it."""
    return np.random.default_rng(np.asarray(words_of(next_key())))


@names_operands
def sample_neighbors(
    row: Tensor,
    colptr: Tensor,
    input_nodes: Tensor,
    sample_size: int = -1,
    eids: Tensor | None = None,
    return_eids: bool = False,
    perm_buffer: object = None,
    name: str | None = None,
) -> Any:
    """Draw neighbors of nodes uniformly, without replacement.

    This reads the values, so it waits for the device.

    Args:
        row: int32[E] or int64[E]: the neighbors of node 0, of node 1, and so on.
        colptr: [N + 1]: the neighbors of node n are ``row[colptr[n]:colptr[n + 1]]``.
        input_nodes: [M] or [M, 1]: the nodes whose neighbors are drawn.
        sample_size: the greatest number of neighbors per node; -1 for all.
        eids: [E]: numbers of the edges, required with return_eids.
        return_eids: whether to return the numbers of the drawn edges.
        perm_buffer: Paddle's buffer for its GPU kernel; ignored.
        name: ignored.

    Returns:
        the drawn neighbors, int32[M] the number of them per node, and with return_eids the edges.

    Raises:
        InvalidTypeError: for anything but a tensor of integers.
        InvalidArgumentError: for return_eids without eids, or a sample_size below -1.
        OutOfRangeError: for an invalid node number.

    Example:
        >>> import jaxeager as paddle
        >>> row, colptr = paddle.to_tensor([1, 2, 0]), paddle.to_tensor([0, 2, 3, 3])
        >>> drawn, count = paddle.geometric.sample_neighbors(row, colptr, paddle.to_tensor([0, 2]))
        >>> drawn.tolist(), count.tolist()
        ([1, 2], [2, 0])
    """
    draw = _generator()

    def choose(start: int, stop: int) -> np.ndarray:
        return start + draw.choice(stop - start, sample_size, replace=False)

    return _sample(row, colptr, input_nodes, sample_size, eids, return_eids, choose)


@names_operands
def weighted_sample_neighbors(
    row: Tensor,
    colptr: Tensor,
    edge_weight: Tensor,
    input_nodes: Tensor,
    sample_size: int = -1,
    eids: Tensor | None = None,
    return_eids: bool = False,
    name: str | None = None,
) -> Any:
    """Draw neighbors of nodes without replacement, with probabilities by the weights of the edges.

    The draws follow Efraimidis and Spirakis (2006): the largest values of ``u ** (1 / weight)``.

    Args:
        row: as in ``sample_neighbors``.
        colptr: as in ``sample_neighbors``.
        edge_weight: float[E]: positive weights of the edges.
        input_nodes: as in ``sample_neighbors``.
        sample_size: the greatest number of neighbors per node; -1 for all.
        eids: as in ``sample_neighbors``.
        return_eids: as in ``sample_neighbors``.
        name: ignored.

    Returns:
        as in ``sample_neighbors``.

    Raises:
        InvalidTypeError: for anything but a tensor of integers.
        InvalidArgumentError: as in ``sample_neighbors``, and unless there is one weight per edge.
        OutOfRangeError: for an invalid node number.

    Example:
        >>> import jaxeager as paddle
        >>> row, colptr = paddle.to_tensor([1, 2]), paddle.to_tensor([0, 2])
        >>> weight = paddle.to_tensor([1.0, 1e9])
        >>> drawn, _ = paddle.geometric.weighted_sample_neighbors(
        ...     row, colptr, weight, paddle.to_tensor([0]), sample_size=1
        ... )
        >>> drawn.tolist()
        [2]
    """
    draw = _generator()
    weight = edge_weight.numpy().astype(np.float64).reshape(-1)
    if len(weight) != row.size:
        raise InvalidArgumentError(
            f"edge_weight must hold one weight for each of the {row.size} edges, but holds "
            f"{len(weight)}."
        )
    check_domain("edge_weight: a weight", edge_weight, POSITIVE)
    # log(u) / weight has the same order as u ** (1 / weight), without its underflow.
    with np.errstate(divide="ignore"):
        order = np.log(draw.uniform(size=len(weight))) / weight

    def choose(start: int, stop: int) -> np.ndarray:
        return start + np.argsort(-order[start:stop])[:sample_size]

    return _sample(row, colptr, input_nodes, sample_size, eids, return_eids, choose)


def _sample(row, colptr, input_nodes, sample_size, eids, return_eids, choose):
    neighbors, starts = host_integers(row, "row"), host_integers(colptr, "colptr")
    nodes = host_integers(input_nodes, "input_nodes")
    if return_eids and eids is None:
        raise InvalidArgumentError("return_eids needs eids, the numbers of the edges.")
    if sample_size < -1:
        raise InvalidArgumentError(f"sample_size must be -1 or more, but received {sample_size}.")
    check_nodes(nodes, len(starts) - 1, "input_nodes")
    if starts.size and not (
        starts[0] >= 0 and starts[-1] <= len(neighbors) and (np.diff(starts) >= 0).all()
    ):
        raise InvalidArgumentError(
            f"colptr must rise from 0 to at most {len(neighbors)}, the number of edges in row, but "
            f"is {starts.tolist()}."
        )
    picked = []
    for start, stop in zip(starts[nodes].tolist(), starts[nodes + 1].tolist(), strict=True):
        takes_all = sample_size == -1 or stop - start <= sample_size
        picked.append(np.arange(start, stop) if takes_all else choose(start, stop))
    edges = np.concatenate([np.zeros(0, np.int64), *picked])
    count = paddle.to_tensor(np.array([len(each) for each in picked], np.int32))
    outs = (node_tensor(neighbors[edges], row), count)
    if not return_eids:
        return outs
    return (*outs, node_tensor(host_integers(eids, "eids")[edges], eids))
