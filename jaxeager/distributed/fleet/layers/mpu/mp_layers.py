"""Layers whose weights processes share; a single process has them whole."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any, cast

import jaxeager as paddle
from jaxeager.core.ignored_arguments import unheeded
from jaxeager.distributed.fleet.layers.mpu import mp_ops
from jaxeager.distributed.fleet.layers.mpu.mp_ops import shared_by
from jaxeager.distributed.fleet.layers.mpu.random import MODEL_PARALLEL_RNG, RNG_STATE_TRACKER
from jaxeager.distributed.flex_checkpoint.dcp.sharded_weight import (
    ShardedWeight,
    build_sharded_state_dict,
    shard_weight,
)
from jaxeager.errors import InvalidArgumentError

if TYPE_CHECKING:
    from jaxeager.core.types import ParamAttrLike
    from jaxeager.distributed.communication.group import Group

F = paddle.nn.functional


class _DividedLayer(paddle.nn.Layer):
    """A layer of which each process has a part of the weights."""

    def sharded_state_dict(self, structured_name_prefix: str = "") -> dict[str, ShardedWeight]:
        """Return the ShardedWeight of each tensor of state_dict: this process's part."""
        own: dict[str, Any] = self.state_dict()
        parts = build_sharded_state_dict(own, prefix=structured_name_prefix)
        for name, tensor in own.items():
            if self.is_mp and tensor.is_distributed:
                key = structured_name_prefix + name
                parts[key] = shard_weight(key, tensor, tensor.split_axis, self._shared)
        return parts


class ColumnParallelLinear(_DividedLayer):
    """A linear layer whose processes share the columns of the weight.

    Args:
        in_features: columns of the input.
        out_features: columns of the output.
        weight_attr: ParamAttr of the weight.
        has_bias: whether there is a bias; None and False mean no.
        gather_output: whether each process gets all columns, or only its own.
        fuse_matmul_bias: whether Paddle uses one kernel for product and bias.
        mp_group: the processes that share the weight; by default those along "model" of
            ``fleet.init``.
        name: a name.

    Attributes:
        weight: float[in_features, out_features / world_size].
        bias: float[out_features / world_size], or None.
        world_size: the number of processes that share it.
        is_mp: whether there are several.

    Shapes:
        float[..., in_features] to float[..., out_features], or this process's columns of it.

    Raises:
        InvalidArgumentError: when the columns cannot be divided evenly.

    Example:
        >>> import jaxeager as paddle
        >>> from jaxeager.distributed.fleet.meta_parallel import ColumnParallelLinear
        >>> ColumnParallelLinear(4, 6, has_bias=True)(paddle.ones([2, 4])).shape
        paddle.Size([2, 6])
    """

    def __init__(
        self,
        in_features: int,
        out_features: int,
        weight_attr: ParamAttrLike | None = None,
        has_bias: bool | None = None,
        gather_output: bool = True,
        fuse_matmul_bias: bool = False,
        mp_group: Group | None = None,
        name: str | None = None,
    ):
        unheeded(
            "ColumnParallelLinear", "XLA fuses them", fuse_matmul_bias=(fuse_matmul_bias, False)
        )
        super().__init__()
        _share(self, mp_group)
        self._name = name
        self.gather_output = gather_output
        self.output_size_per_partition = _part(self, "columns", out_features)
        self.fuse_matmul_bias = fuse_matmul_bias
        self.linear = F.linear
        shape = [in_features, self.output_size_per_partition]
        _make_weights(self, shape, weight_attr, bool(has_bias), split_axis=1)

    def forward(self, x: paddle.Tensor) -> paddle.Tensor:
        """Return ``x @ weight + bias``, all columns or this process's."""
        columns = self.linear(mp_ops._c_identity(x, self._shared), self.weight, self.bias)
        return mp_ops._c_concat(columns, self._shared) if self.gather_output else columns


class RowParallelLinear(_DividedLayer):
    """A linear layer whose processes share the rows of the weight.

    Args:
        in_features: columns of the input.
        out_features: columns of the output.
        weight_attr: ParamAttr of the weight.
        has_bias: whether there is a bias.
        input_is_parallel: whether each process passes its columns of the input, or all.
        fuse_matmul_bias: whether Paddle uses one kernel for product and bias.
        mp_group: the processes that share the weight; by default those along "model" of
            ``fleet.init``.
        name: a name.

    Attributes:
        weight: float[in_features / world_size, out_features].
        bias: float[out_features], the same on all processes, or None.
        world_size: the number of processes that share it.
        is_mp: whether there are several.

    Shapes:
        float[..., in_features], or this process's columns of it, to float[..., out_features].

    Raises:
        InvalidArgumentError: when the rows cannot be divided evenly.

    Example:
        >>> import jaxeager as paddle
        >>> from jaxeager.distributed.fleet.meta_parallel import RowParallelLinear
        >>> RowParallelLinear(4, 6)(paddle.ones([2, 4])).shape
        paddle.Size([2, 6])
    """

    def __init__(
        self,
        in_features: int,
        out_features: int,
        weight_attr: ParamAttrLike | None = None,
        has_bias: bool = True,
        input_is_parallel: bool = False,
        fuse_matmul_bias: bool = False,
        mp_group: Group | None = None,
        name: str | None = None,
    ):
        unheeded("RowParallelLinear", "XLA fuses them", fuse_matmul_bias=(fuse_matmul_bias, False))
        super().__init__()
        self.in_features, self.out_features = in_features, out_features
        self.input_is_parallel = input_is_parallel
        _share(self, mp_group)
        self._name = name
        self.input_size_per_partition = _part(self, "rows", in_features)
        self.fuse_matmul_bias = fuse_matmul_bias
        self.linear = F.linear
        shape = [self.input_size_per_partition, out_features]
        _make_weights(self, shape, weight_attr, has_bias, split_axis=0)

    def forward(self, x: paddle.Tensor) -> paddle.Tensor:
        """Return ``x @ weight + bias``."""
        if self._shared is None:
            return self.linear(x, self.weight, self.bias)
        x = x if self.input_is_parallel else mp_ops._c_split(x, self._shared)
        total = mp_ops._mp_allreduce(self.linear(x, self.weight), group=self._shared)
        return total if self.bias is None else total + self.bias


def _share(layer: paddle.nn.Layer, group: Group | None) -> None:
    """Set the attributes of a layer that describe the processes that share it."""
    layer._shared = shared_by(group)
    layer.model_parallel_group = group if layer._shared is None else layer._shared
    layer.world_size = 1 if layer._shared is None else layer._shared.nranks
    layer.rank = 0 if layer._shared is None else layer._shared.rank
    layer.is_mp = layer._shared is not None


def _part(layer: paddle.nn.Layer, what: str, count: int) -> int:
    """Return this process's number of columns, rows or the like.

    Raises:
        InvalidArgumentError: when they cannot be divided evenly.
    """
    if count % layer.world_size:
        raise InvalidArgumentError(
            f"{type(layer).__name__}: {count} {what} cannot be divided evenly over "
            f"{layer.world_size} processes."
        )
    return count // layer.world_size


def _own_draws(layer: paddle.nn.Layer) -> contextlib.AbstractContextManager:
    """Return a context in which each process draws its own part of a weight."""
    if layer.is_mp and MODEL_PARALLEL_RNG in RNG_STATE_TRACKER.states_:
        return RNG_STATE_TRACKER.rng_state()
    return contextlib.nullcontext()


def _make_weights(
    layer: paddle.nn.Layer, shape: list[int], weight_attr: ParamAttrLike | None, has_bias: bool,
    split_axis: int,
) -> None:  # fmt: skip
    """Create the weight and bias (0) of a layer; with columns, the bias is divided too."""
    with _own_draws(layer):
        layer.weight = layer.create_parameter(shape, attr=weight_attr)
    layer.bias = layer.create_parameter(shape[1:], is_bias=True) if has_bias else None
    _note_part(layer.weight, layer.is_mp, split_axis)
    _note_part(layer.bias, layer.is_mp and split_axis == 1, 0 if split_axis == 1 else None)


def _note_part(parameter: Any, is_part: bool, axis: int | None) -> None:
    """Record whether processes have different parts of a parameter, and along which axis."""
    if parameter is not None:
        parameter.is_distributed = is_part
        parameter.split_axis = axis


class VocabParallelEmbedding(_DividedLayer):
    """An embedding whose processes share the rows of the table.

    Args:
        num_embeddings: the number of rows.
        embedding_dim: the length of a row.
        weight_attr: ParamAttr of the table.
        mp_group: the processes that share the table; by default those along "model" of
            ``fleet.init``.
        name: a name.

    Attributes:
        weight: float[num_embeddings / world_size, embedding_dim].
        world_size: the number of processes that share it.
        vocab_start_index: the index of this process's first row.

    Shapes:
        int[...] to float[..., embedding_dim].

    Raises:
        InvalidArgumentError: for a ``weight_attr`` of False, and when the rows cannot be divided
            evenly.

    Example:
        >>> import jaxeager as paddle
        >>> from jaxeager.distributed.fleet.meta_parallel import VocabParallelEmbedding
        >>> VocabParallelEmbedding(10, 4)(paddle.to_tensor([1, 2])).shape
        paddle.Size([2, 4])
    """

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        weight_attr: ParamAttrLike | None = None,
        mp_group: Group | None = None,
        name: str | None = None,
    ):
        super().__init__()
        _share(self, mp_group)
        self._name = name
        self.num_embeddings = self.origin_num_embeddings = num_embeddings
        rows = _part(self, "rows", num_embeddings)
        self.vocab_start_index = self.rank * rows
        with _own_draws(self):
            weight = self.create_parameter([rows, embedding_dim], attr=weight_attr)
        if weight is None:
            raise InvalidArgumentError("An embedding has a table: weight_attr cannot be False.")
        self.weight = weight
        _note_part(self.weight, self.is_mp, 0)

    def forward(self, x: paddle.Tensor) -> paddle.Tensor:
        """Return the rows with the indices ``x``."""
        if self._shared is None:
            return F.embedding(x, self.weight)
        start, rows = self.vocab_start_index, self.origin_num_embeddings
        found = mp_ops._c_lookup_table(self.weight, x, start, rows)
        return mp_ops._mp_allreduce(found, group=self._shared)


class ParallelCrossEntropy(paddle.nn.Layer):
    """The cross entropy of logits whose classes processes share.

    Args:
        mp_group: the processes that share the classes.
        name: a name.
        ignore_index: the label of rows whose loss is 0.

    Shapes:
        float[..., classes], of which each process has its classes, and int[..., 1] or int[...] to
        float[..., 1].

    Paddle: with one process it returns None.

    Example:
        >>> import jaxeager as paddle
        >>> from jaxeager.distributed.fleet.meta_parallel import ParallelCrossEntropy
        >>> loss = ParallelCrossEntropy()(paddle.zeros([2, 4]), paddle.to_tensor([[1], [2]]))
        >>> loss.shape
        paddle.Size([2, 1])
    """

    def __init__(
        self, mp_group: Group | None = None, name: str | None = None, ignore_index: int = -100
    ):
        super().__init__()
        self.name = name
        _share(self, mp_group)
        self.ignore_index = ignore_index

    def forward(self, input: paddle.Tensor, label: paddle.Tensor) -> paddle.Tensor:
        """Return the loss of each row."""
        if label.ndim < input.ndim:
            label = label.unsqueeze(-1)
        if self._shared is not None:
            loss = mp_ops._c_softmax_with_cross_entropy(
                input, label, self._shared, ignore_index=self.ignore_index
            )
            return cast(paddle.Tensor, loss)
        return F.cross_entropy(
            input, label, ignore_index=self.ignore_index, reduction="none", axis=-1
        )
