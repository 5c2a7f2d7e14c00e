"""The logger of fleet, and its level."""

from __future__ import annotations

import logging

from jaxeager.device.waiting import synchronize
from jaxeager.errors import RefusedTypeError

logger = logging.getLogger("paddle.distributed.fleet.utils.log_util")
logger.setLevel(logging.INFO)


def set_log_level(level: int | str) -> None:
    """Set the level of the logger.

    Args:
        level: a level of logging, as a number or by its name.

    Raises:
        InvalidTypeError: when it is neither. (Paddle: AssertionError.)

    Example:
        >>> from jaxeager.distributed.fleet.utils import log_util
        >>> log_util.set_log_level("INFO")
        >>> log_util.get_log_level_name()
        'INFO'
    """
    if not isinstance(level, (int, str)):
        raise RefusedTypeError(f"level's type must be str or int, but received {level!r}.")
    logger.setLevel(level if isinstance(level, int) else level.upper())


def get_log_level_code() -> int:
    """Return the level of the logger, as a number."""
    return logger.level


def get_log_level_name() -> str:
    """Return the level of the logger, by its name."""
    return logging.getLevelName(logger.level)


def layer_to_str(base: str, *args: object, **kwargs: object) -> str:
    """Format a call: ``name(1, key=2)``.

    Args:
        base: the name.
        *args: arguments.
        **kwargs: named arguments.

    Example:
        >>> from jaxeager.distributed.fleet.utils.log_util import layer_to_str
        >>> layer_to_str("Linear", 2, bias=False)
        'Linear(2, bias=False)'
    """
    named = (f"{name}={value}" for name, value in kwargs.items())
    return f"{base}({', '.join([*map(str, args), *named])})"


def get_sync_logger() -> logging.Logger:
    """Return the logger, once the device has finished all work."""
    synchronize()
    return logger


def get_logger(log_level: int | str, name: str = "root") -> logging.Logger:
    """Return a logger that writes each message once, with its time, level, file and line.

    Args:
        log_level: its level; a logger that already exists keeps its own.
        name: its name.

    Example:
        >>> from jaxeager.distributed.fleet.utils.log_util import get_logger
        >>> get_logger("INFO", "training").level
        20
    """
    found = logging.getLogger(name)
    found.propagate = False
    if not found.handlers:
        handler = logging.StreamHandler()
        form = "[%(asctime)-15s] [%(levelname)8s] %(filename)s:%(lineno)s - %(message)s"
        handler.setFormatter(logging.Formatter(form))
        found.setLevel(log_level)
        found.addHandler(handler)
    return found
