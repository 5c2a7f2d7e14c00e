"""paddle.incubate.jit: a check whether a function was prepared for inference."""

from collections.abc import Callable


def is_inference_mode(function: Callable) -> bool:
    """Return False: ``paddle.incubate.jit.inference`` does not exist here."""
    return False
