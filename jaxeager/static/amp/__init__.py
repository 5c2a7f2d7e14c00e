"""paddle.static.amp: mixed precision of static graphs; only fp16_guard has a meaning here."""

import contextlib
from collections.abc import Iterator

from jaxeager.core.unsupported_names import refused
from jaxeager.static.programs import REASON

_NAMES = """
    AutoMixedPrecisionLists CustomOpLists cast_model_to_fp16 cast_parameters_to_fp16 decorate
"""
_REASON = REASON + " paddle.amp.auto_cast and decorate set the precision of eager ops."


@contextlib.contextmanager
def fp16_guard() -> Iterator[None]:
    """Mark ops of a static graph that run in float16; here, as in Paddle, do nothing.

    Example:
        >>> import jaxeager as paddle
        >>> with paddle.static.amp.fp16_guard():
        ...     x = paddle.ones([2])
    """
    yield


_named = refused("paddle.static.amp", _REASON, _NAMES)
globals().update(_named)
__all__ = ["fp16_guard"]
__all__ += list(_named)
