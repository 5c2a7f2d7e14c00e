"""Loss layers for many classes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import jaxeager as paddle
from jaxeager.core import dtypes
from jaxeager.errors import InvalidArgumentError
from jaxeager.nn import functional as F
from jaxeager.nn.layer.common import required
from jaxeager.nn.layer.layer import Layer

if TYPE_CHECKING:
    from jaxeager.core.types import ParamAttrLike
    from jaxeager.tensor.tensor import Tensor


class HSigmoidLoss(Layer):
    """Layer that computes minus the log probability of a class at the end of a binary tree's path.

    Args:
        feature_size: D, last dimension of the input.
        num_classes: number of classes; for a custom tree, number of nodes.
        weight_attr: ParamAttr of ``weight``, float[num_classes - 1, D]; float[num_classes, D] for a
            custom tree.
        bias_attr: ParamAttr of ``bias``, float[num_classes - 1, 1]; False for no bias.
        is_custom: every call is passed the paths of a custom tree.
        is_sparse: accepted; gradients are dense, with the same values.
        name: has no effect.

    Raises:
        InvalidArgumentError: for fewer than 2 classes.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.nn.HSigmoidLoss(3, 5)(paddle.ones([2, 3]), paddle.to_tensor([0, 4])).shape
        paddle.Size([2, 1])
    """

    def __init__(
        self,
        feature_size: int,
        num_classes: int,
        weight_attr: ParamAttrLike | None = None,
        bias_attr: ParamAttrLike | None = None,
        is_custom: bool = False,
        is_sparse: bool = False,
        name: str | None = None,
    ):
        super().__init__()
        if num_classes < 2 and not is_custom:
            raise InvalidArgumentError(
                f"num_classes must not be less than 2 with default tree, but is {num_classes}."
            )
        self._feature_size, self._num_classes = feature_size, num_classes
        self._is_custom, self._is_sparse = is_custom, is_sparse and is_custom
        self._weight_attr, self._bias_attr, self._name = weight_attr, bias_attr, name
        self._dtype = dtypes.get_default_dtype()
        nodes = num_classes if is_custom else num_classes - 1
        weight = self.create_parameter([nodes, feature_size], weight_attr, self._dtype)
        self.weight = required(weight, "HSigmoidLoss")
        self.bias = self.create_parameter([nodes, 1], bias_attr, self._dtype, is_bias=True)

    def forward(
        self,
        input: Tensor,
        label: Tensor,
        path_table: Tensor | None = None,
        path_code: Tensor | None = None,
    ) -> Tensor:
        return F.hsigmoid_loss(
            input,
            label,
            self._num_classes,
            self.weight,
            self.bias,
            path_table=path_table,
            path_code=path_code,
            is_sparse=self._is_sparse,
            name=self._name,
        )


class AdaptiveLogSoftmaxWithLoss(Layer):
    """Layer that computes log probabilities of classes that are clustered by frequency.

    Paddle: there, the clusters' weights are not parameters of the layer, so optimizers do not train
    them and state_dict omits them; here they are tail_weight_0_0 and so on. There, ``predict``
    returns float32, or int64 if every class is in a cluster.

    Args:
        in_features: last dimension of the input.
        n_classes: number of classes.
        cutoffs: the first class after the frequent ones and after each cluster but the last;
            increasing, in [1, n_classes - 1].
        weight_attr: ParamAttr of every weight.
        bias_attr: ParamAttr of the head's bias.
        div_value: each cluster has ``div_value`` times fewer features than the previous one.
        head_bias: whether the head has a bias.
        name: has no effect.

    Raises:
        InvalidArgumentError: for invalid cutoffs.

    Example:
        >>> import jaxeager as paddle
        >>> layer = paddle.nn.AdaptiveLogSoftmaxWithLoss(8, 10, [4])
        >>> x, label = paddle.ones([2, 8]), paddle.to_tensor([1, 9])
        >>> output, loss = layer(x, label)
        >>> output.shape, loss.shape, layer.log_prob(x).shape
        (paddle.Size([2]), paddle.Size([]), paddle.Size([2, 10]))
    """

    def __init__(
        self,
        in_features: int,
        n_classes: int,
        cutoffs: Sequence[int],
        weight_attr: ParamAttrLike | None = None,
        bias_attr: ParamAttrLike | None = None,
        div_value: float = 4.0,
        head_bias: bool = False,
        name: str | None = None,
    ):
        super().__init__()
        self._dtype = dtypes.get_default_dtype()
        cutoffs = list(cutoffs)
        _check_cutoffs(cutoffs, n_classes)
        self.in_features, self.n_classes = in_features, n_classes
        self.cutoffs = [*cutoffs, n_classes]
        self.div_value, self.is_head_bias = div_value, head_bias
        self._weight_attr, self._bias_attr = weight_attr, bias_attr
        self.shortlist_size = self.cutoffs[0]
        self.n_clusters = len(self.cutoffs) - 1
        self.head_size = self.shortlist_size + self.n_clusters
        self.head_weight = self._weight(in_features, self.head_size)
        self.head_bias = None
        if head_bias:
            self.head_bias = self.create_parameter(
                [self.head_size], bias_attr, self._dtype, is_bias=True
            )
        self.tail_weights = []
        for i in range(self.n_clusters):
            inner = int(in_features // div_value ** (i + 1))
            classes = self.cutoffs[i + 1] - self.cutoffs[i]
            pair = [self._weight(in_features, inner), self._weight(inner, classes)]
            self.tail_weights.append(pair)
            for j, weight in enumerate(pair):
                self.add_parameter(f"tail_weight_{i}_{j}", weight)

    def _weight(self, rows: int, columns: int):
        weight = self.create_parameter([rows, columns], self._weight_attr, self._dtype)
        return required(weight, "AdaptiveLogSoftmaxWithLoss")

    def forward(self, input: Tensor, label: Tensor) -> tuple[Tensor, Tensor]:
        return F.adaptive_log_softmax_with_loss(
            input, label, self.head_weight, self.tail_weights, self.cutoffs, self.head_bias
        )

    def log_prob(self, input: Tensor) -> Tensor:
        """Return the log probabilities of all classes, float[N, n_classes]."""
        head = F.log_softmax(F.linear(input, self.head_weight, self.head_bias), axis=1)
        parts = [head[:, : self.shortlist_size]]
        for i, (inner, outer) in enumerate(self.tail_weights):
            logs = F.log_softmax(F.linear(F.linear(input, inner), outer), axis=1)
            parts.append(logs + head[:, self.shortlist_size + i].unsqueeze(1))
        return paddle.concat(parts, axis=1)

    def predict(self, input: Tensor) -> Tensor:
        """Return the most probable class of each sample, int64[N]."""
        return paddle.argmax(self.log_prob(input), axis=1)


def _check_cutoffs(cutoffs: list, n_classes: int) -> None:
    in_order = cutoffs == sorted(set(cutoffs)) and all(int(each) == each for each in cutoffs)
    if not in_order or not cutoffs or cutoffs[0] <= 0 or cutoffs[-1] > n_classes - 1:
        raise InvalidArgumentError(
            "cutoffs should be a sequence of unique, positive integers sorted in an increasing "
            f"order, where each value is between 1 and n_classes-1, not {cutoffs}."
        )
