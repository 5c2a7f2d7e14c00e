"""paddle.utils.environments: boolean values as text."""

from jaxeager.errors import InvalidArgumentError


def strtobool(val: str) -> bool:
    """Return the truth value of a text.

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
