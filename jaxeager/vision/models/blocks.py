"""What several models are built from: conv-norm-activation stacks and constructors by name."""

from collections.abc import Callable
from typing import Any

from jaxeager import nn
from jaxeager.errors import UnimplementedError


class ConvNormActivation(nn.Sequential):
    """A convolution, its norm and its activation, each of which may be absent.

    Args:
        in_channels: channels of the input.
        out_channels: channels of the output.
        kernel_size: an int or a pair.
        stride: an int or a pair.
        padding: an int or a pair; by default what keeps the size of a square kernel at stride 1.
        groups: groups of the convolution.
        norm_layer: takes the number of channels; None for no norm.
        activation_layer: makes the activation; None for no activation.
        dilation: of the kernel.
        bias: whether the convolution has one; by default when there is no norm.

    Shape:
        float[N, in_channels, H, W] to float[N, out_channels, H', W'].

    Example:
        >>> import jaxeager as paddle
        >>> from jaxeager.vision.models.blocks import ConvNormActivation
        >>> ConvNormActivation(3, 8, stride=2)(paddle.ones([1, 3, 8, 8])).shape
        paddle.Size([1, 8, 4, 4])
    """

    def __init__(
        self,
        in_channels,
        out_channels,
        kernel_size: Any = 3,
        stride: Any = 1,
        padding: Any = None,
        groups=1,
        norm_layer: Callable | None = nn.BatchNorm2D,
        activation_layer: Callable | None = nn.ReLU,
        dilation=1,
        bias=None,
    ):
        if padding is None:
            widest = kernel_size if isinstance(kernel_size, int) else max(kernel_size)
            padding = (widest - 1) // 2 * dilation
        has_bias = norm_layer is None if bias is None else bias
        conv = nn.Conv2D(
            in_channels,
            out_channels,
            kernel_size,
            stride,
            padding,
            dilation=dilation,
            groups=groups,
            bias_attr=None if has_bias else False,
        )
        norm = [norm_layer(out_channels)] if norm_layer is not None else []
        activation = [activation_layer()] if activation_layer is not None else []
        super().__init__(conv, *norm, *activation)


def make_divisible(value: float, divisor: int = 8, least: int | None = None) -> int:
    """Returns a number of channels near ``value`` that ``divisor`` divides, not under 90 % of it.

    Example:
        >>> make_divisible(35), make_divisible(3)
        (32, 8)
    """
    near = max(least or divisor, int(value + divisor / 2) // divisor * divisor)
    return near + divisor if near < 0.9 * value else near


def refuse_pretrained(name: str, pretrained) -> None:
    """Refuses to load weights from the network.

    Raises:
        UnimplementedError: when ``pretrained`` is true.
    """
    if pretrained:
        raise UnimplementedError(
            f"{name}(pretrained=True) would download weights, which is not built. Get Paddle's "
            f"{name}.pdparams file yourself, then: model = {name}(); "
            f"model.set_state_dict(paddle.load('{name}.pdparams'))."
        )


def constructor(name: str, model: Callable, what: str, **settings) -> Callable:
    """Returns the function ``name(pretrained=False, **kwargs)`` that builds a model.

    Args:
        name: its public name.
        model: the class.
        what: what it builds, for its docstring.
        **settings: arguments of the class that the name stands for.
    """

    def build(pretrained=False, **kwargs):
        refuse_pretrained(name, pretrained)
        return model(**settings, **kwargs)

    build.__name__ = build.__qualname__ = name
    build.__module__ = model.__module__
    build.__doc__ = f"""Returns {what}.

    Args:
        pretrained: must be False: weights are not downloaded.
        **kwargs: further arguments of {model.__name__}, such as ``num_classes``.

    Raises:
        UnimplementedError: for ``pretrained=True``; it says how to load a file of weights.
    """
    return build
