"""What several models are built from: numbers of channels and constructors by name."""

from collections.abc import Callable

from jaxeager.errors import UnimplementedError


def make_divisible(value: float, divisor: int = 8, least: int | None = None) -> int:
    """Return a number of channels near ``value`` that ``divisor`` divides, not under 90 % of it.

    Example:
        >>> make_divisible(35), make_divisible(3)
        (32, 8)
    """
    near = max(least or divisor, int(value + divisor / 2) // divisor * divisor)
    return near + divisor if near < 0.9 * value else near


def refuse_pretrained(name: str, pretrained) -> None:
    """Refuse to load weights from the network.

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
    """Return the function ``name(pretrained=False, **kwargs)`` that builds a model.

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
