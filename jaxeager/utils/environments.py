"""paddle.utils.environments: switches as text."""

from jaxeager.errors import InvalidArgumentError


def strtobool(val: str) -> bool:
    """Return what a text says: yes or no.

    Args:
        val: "y", "yes", "t", "true", "on", "1", or "n", "no", "f", "false", "off", "0".

    Raises:
        InvalidArgumentError: for another text.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.utils.strtobool("yes")
        True
    """
    text = str(val).lower()
    if text in ("y", "yes", "t", "true", "on", "1"):
        return True
    if text in ("n", "no", "f", "false", "off", "0"):
        return False
    raise InvalidArgumentError(f"Invalid truth value {val!r}")
