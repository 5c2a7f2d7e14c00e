"""paddle.incubate.jit: what asks whether a function was prepared for inference."""

from collections.abc import Callable


def is_inference_mode(function: Callable) -> bool:
    """Says whether ``paddle.incubate.jit.inference`` was called for a function: it is not here."""
    return False
