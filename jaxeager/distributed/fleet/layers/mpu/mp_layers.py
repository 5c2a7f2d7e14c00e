"""Layers whose weights processes could share: with one process they have them whole."""

from __future__ import annotations

from typing import TYPE_CHECKING

import jaxeager as paddle
from jaxeager.errors import InvalidArgumentError

if TYPE_CHECKING:
    from jaxeager.core.types import ParamAttrLike
    from jaxeager.distributed.communication.group import Group

F = paddle.nn.functional


class ColumnParallelLinear(paddle.nn.Layer):
    """Multiplies by a matrix whose columns processes could share, and adds a bias.

    Args:
        in_features: columns of the input.
        out_features: columns of the output.
        weight_attr: how the weight is made.
        has_bias: whether there is a bias; None and False: no.
        gather_output: whether each process gets all columns; there is one.
        fuse_matmul_bias: whether Paddle uses one kernel for both.
        mp_group: the processes that share it.
        name: a name.

    Attributes:
        weight: float[in_features, out_features].
        bias: float[out_features], or None.
        world_size: how many processes share it: 1.
        is_mp: whether they are several: False.

    Shapes:
        float[..., in_features] to float[..., out_features].

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
        super().__init__()
        self.model_parallel_group = mp_group
        self.world_size, self.is_mp, self._name = 1, False, name
        self.gather_output = gather_output
        self.output_size_per_partition = out_features
        self.fuse_matmul_bias = fuse_matmul_bias
        self.linear = F.linear
        _make_weights(self, [in_features, out_features], weight_attr, bool(has_bias))

    def forward(self, x: paddle.Tensor) -> paddle.Tensor:
        """Returns ``x @ weight + bias``."""
        return self.linear(x, self.weight, self.bias)


class RowParallelLinear(paddle.nn.Layer):
    """Multiplies by a matrix whose rows processes could share, and adds a bias.

    Args:
        in_features: columns of the input.
        out_features: columns of the output.
        weight_attr: how the weight is made.
        has_bias: whether there is a bias.
        input_is_parallel: whether each process gets some columns; there is one.
        fuse_matmul_bias: whether Paddle uses one kernel for both.
        mp_group: the processes that share it.
        name: a name.

    Attributes:
        weight: float[in_features, out_features].
        bias: float[out_features], or None.
        world_size: how many processes share it: 1.
        is_mp: whether they are several: False.

    Shapes:
        float[..., in_features] to float[..., out_features].

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
        super().__init__()
        self.in_features, self.out_features = in_features, out_features
        self.input_is_parallel = input_is_parallel
        self.model_parallel_group = mp_group
        self.world_size, self.rank, self.is_mp, self._name = 1, 0, False, name
        self.input_size_per_partition = in_features
        self.fuse_matmul_bias = fuse_matmul_bias
        self.linear = F.linear
        _make_weights(self, [in_features, out_features], weight_attr, has_bias)

    def forward(self, x: paddle.Tensor) -> paddle.Tensor:
        """Returns ``x @ weight + bias``."""
        return self.linear(x, self.weight, self.bias)


def _make_weights(
    layer: paddle.nn.Layer, shape: list[int], weight_attr: ParamAttrLike | None, has_bias: bool
) -> None:
    """Gives a layer its weight and bias, which is 0."""
    layer.weight = layer.create_parameter(shape, attr=weight_attr)
    layer.bias = layer.create_parameter(shape[1:], is_bias=True) if has_bias else None
    for parameter in layer.parameters():
        parameter.is_distributed = False


class VocabParallelEmbedding(paddle.nn.Layer):
    """Looks up rows of a table which processes could share.

    Args:
        num_embeddings: how many rows there are.
        embedding_dim: their length.
        weight_attr: how the table is made.
        mp_group: the processes that share it.
        name: a name.

    Attributes:
        weight: float[num_embeddings, embedding_dim].
        world_size: how many processes share it: 1.

    Shapes:
        int[...] to float[..., embedding_dim].

    Raises:
        InvalidArgumentError: for a ``weight_attr`` of False.

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
        self.model_parallel_group = mp_group
        self.world_size, self.rank, self.is_mp, self._name = 1, 0, False, name
        self.num_embeddings = self.origin_num_embeddings = num_embeddings
        self.vocab_start_index = 0
        weight = self.create_parameter([num_embeddings, embedding_dim], attr=weight_attr)
        if weight is None:
            raise InvalidArgumentError("An embedding has a table: weight_attr cannot be False.")
        self.weight = weight
        for parameter in self.parameters():
            parameter.is_distributed = False

    def forward(self, x: paddle.Tensor) -> paddle.Tensor:
        """Returns the rows that ``x`` names."""
        return F.embedding(x, self.weight)


class ParallelCrossEntropy(paddle.nn.Layer):
    """Computes the cross entropy of logits whose classes processes could share.

    Args:
        mp_group: the processes that share them.
        name: a name.
        ignore_index: the label of rows that cost nothing.

    Shapes:
        float[..., classes] and int[..., 1] or int[...] to float[..., 1].

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
        self.model_parallel_group = mp_group
        self.world_size, self.rank = 1, 0
        self.ignore_index = ignore_index

    def forward(self, input: paddle.Tensor, label: paddle.Tensor) -> paddle.Tensor:
        """Returns the loss of each row."""
        if label.ndim < input.ndim:
            label = label.unsqueeze(-1)
        return F.cross_entropy(
            input, label, ignore_index=self.ignore_index, reduction="none", axis=-1
        )
