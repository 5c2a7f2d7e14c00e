"""Layers that combine several operations, composed of the plain ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

import jaxeager as paddle
from jaxeager.incubate.nn import functional

if TYPE_CHECKING:
    from jaxeager.core.types import ParamAttrLike


class FusedLinear(paddle.nn.Layer):
    """Multiplies by a matrix and adds a bias, as in ``paddle.nn.Linear``.

    Args:
        in_features: the size of the input's last axis.
        out_features: the size of the output's last axis.
        weight_attr: the attributes of the weight.
        bias_attr: the attributes of the bias; False for none.
        transpose_weight: whether the weight is kept transposed.
        name: a name.

    Attributes:
        weight: float[in_features, out_features], or transposed.
        bias: float[out_features], or None.

    Shapes:
        float[..., in_features] to float[..., out_features].

    Example:
        >>> import jaxeager as paddle
        >>> paddle.incubate.nn.FusedLinear(2, 3)(paddle.ones([4, 2])).shape
        paddle.Size([4, 3])
    """

    def __init__(
        self,
        in_features: int,
        out_features: int,
        weight_attr: ParamAttrLike | None = None,
        bias_attr: ParamAttrLike | None = None,
        transpose_weight: bool = False,
        name: str | None = None,
    ):
        super().__init__()
        shape = [out_features, in_features] if transpose_weight else [in_features, out_features]
        self.weight = self.create_parameter(shape, attr=weight_attr)
        self.bias = self.create_parameter([out_features], attr=bias_attr, is_bias=True)
        self.transpose_weight = transpose_weight
        self.name = name

    def forward(self, input: paddle.Tensor) -> paddle.Tensor:
        """Return ``input @ weight + bias``."""
        assert self.weight is not None
        return functional.fused_linear(input, self.weight, self.bias, self.transpose_weight)


class FusedDropoutAdd(paddle.nn.Layer):
    """Drops elements of one tensor and adds another.

    Args:
        p: the probability that an element is dropped.
        mode: "upscale_in_train" or "downscale_in_infer".
        name: a name.

    Shapes:
        float[...] twice to float[...].

    Example:
        >>> import jaxeager as paddle
        >>> one = paddle.ones([1])
        >>> paddle.incubate.nn.FusedDropoutAdd(p=0.0)(one, one).item()
        2.0
    """

    def __init__(self, p: float = 0.5, mode: str = "upscale_in_train", name: str | None = None):
        super().__init__()
        self.p, self.mode, self.name = p, mode, name

    def forward(self, x: paddle.Tensor, y: paddle.Tensor) -> paddle.Tensor:
        """Return ``dropout(x) + y``."""
        return functional.fused_dropout_add(x, y, self.p, self.training, self.mode)

    def extra_repr(self) -> str:
        """Return the text shown when printed."""
        return f"p={self.p}, mode={self.mode}" + (f", name={self.name}" if self.name else "")


class FusedBiasDropoutResidualLayerNorm(paddle.nn.Layer):
    """Adds a bias, drops elements, adds a residual and normalises along the last axis.

    Args:
        embed_dim: the length of the last axis.
        dropout_rate: the probability that an element is dropped.
        weight_attr: the attributes of the scale; False for none.
        bias_attr: the attributes of both biases; False for none.
        epsilon: added to the variance.
        name: a name.

    Attributes:
        linear_bias: float[embed_dim], or None.
        ln_scale: float[embed_dim], or None.
        ln_bias: float[embed_dim], or None.

    Shapes:
        float[..., embed_dim] twice to float[..., embed_dim].

    Example:
        >>> import jaxeager as paddle
        >>> layer = paddle.incubate.nn.FusedBiasDropoutResidualLayerNorm(4)
        >>> layer(paddle.ones([2, 4]), paddle.ones([2, 4])).shape
        paddle.Size([2, 4])
    """

    def __init__(
        self,
        embed_dim: int,
        dropout_rate: float = 0.5,
        weight_attr: ParamAttrLike | None = None,
        bias_attr: ParamAttrLike | None = None,
        epsilon: float = 1e-5,
        name: str | None = None,
    ):
        super().__init__()
        ones = paddle.nn.initializer.Constant(1.0)
        self.embed_dim, self.dropout_rate = embed_dim, dropout_rate
        self.linear_bias = self.create_parameter([embed_dim], attr=bias_attr, is_bias=True)
        self.ln_scale = self.create_parameter(
            [embed_dim], attr=weight_attr, default_initializer=ones
        )
        self.ln_bias = self.create_parameter([embed_dim], attr=bias_attr, is_bias=True)
        self._epsilon, self.name = epsilon, name

    def forward(self, x: paddle.Tensor, residual: paddle.Tensor) -> paddle.Tensor:
        """Return ``layer_norm(residual + dropout(x + linear_bias))``."""
        return functional.fused_bias_dropout_residual_layer_norm(
            x, residual, self.linear_bias, self.ln_scale, self.ln_bias, self.dropout_rate,
            self._epsilon, self.training,
        )  # fmt: skip

    def extra_repr(self) -> str:
        """Return the text shown when printed."""
        return (
            f"embed_dim={self.embed_dim}, dropout_rate={self.dropout_rate}, "
            f"epsilon={self._epsilon}, dtype={self._dtype}"
        )
