"""paddle.base.log_helper: a logger that writes to stderr."""

import logging


def get_logger(name: str, level: int, fmt: str | None = None) -> logging.Logger:
    """Return a logger with its own level and format.

    Args:
        name: its name.
        level: ``logging.INFO``, ...
        fmt: the format of a line.

    Example:
        >>> import jaxeager as paddle, logging
        >>> paddle.base.log_helper.get_logger("train", logging.INFO).name
        'train'
    """
    logger = logging.getLogger(name)
    logger.setLevel(level)
    if not logger.handlers:
        handler = logging.StreamHandler()
        handler.setFormatter(logging.Formatter(fmt=fmt) if fmt else None)
        logger.addHandler(handler)
    logger.propagate = False
    return logger
