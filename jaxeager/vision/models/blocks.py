"""Helpers shared by several models: numbers of channels, and constructors by name."""

from collections.abc import Callable
from typing import Any, TypeVar

from jaxeager.errors import UnimplementedError

Model = TypeVar("Model")


def make_divisible(value: float, divisor: int = 8, least: int | None = None) -> int:
    """Return a multiple of ``divisor`` near ``value``, at least 90 % of it.

    Example:
        >>> make_divisible(35), make_divisible(3)
        (32, 8)
    """
    near = max(least or divisor, int(value + divisor / 2) // divisor * divisor)
    return near + divisor if near < 0.9 * value else near


def refuse_pretrained(name: str, pretrained) -> None:
    """Raise for a request to download pretrained weights.

    Raises:
        UnimplementedError: if ``pretrained`` is true.
    """
    if pretrained:
        raise UnimplementedError(
            f"{name}(pretrained=True) would download weights, which is not built. Get Paddle's "
            f"{name}.pdparams file yourself, then: model = {name}(); "
            f"model.set_state_dict(paddle.load('{name}.pdparams'))."
        )


def constructor(
    name: str, model: Callable[..., Model], what: str, **settings: Any
) -> Callable[..., Model]:
    """Return the function ``name(pretrained=False, **kwargs)`` that builds a model.

    Args:
        name: its public name.
        model: the class.
        what: name of the model, for the docstring.
        **settings: arguments of the class that this name implies.
    """

    def build(pretrained: bool = False, **kwargs: Any) -> Model:
        refuse_pretrained(name, pretrained)
        return model(**settings, **kwargs)

    build.__name__ = build.__qualname__ = name
    build.__module__ = model.__module__
    build.__doc__ = f"""Return {what}.

    Args:
        pretrained: must be False: weights are not downloaded.
        **kwargs: further arguments of {model.__name__}, such as ``num_classes``.

    Raises:
        UnimplementedError: for ``pretrained=True``; the message explains how to load a file.
    """
    return build
