"""Checks of a program's requirements: a version, a module, a device that computes."""

import importlib
import re
from types import ModuleType
from typing import Any

import jaxeager as paddle
from jaxeager.errors import InvalidArgumentError, InvalidTypeError, PreconditionNotMetError

_VERSION = re.compile(r"\d+(\.\d+){0,3}")


def require_version(min_version: str, max_version: str | None = None) -> None:
    """Check that the version of the implemented Paddle is in a range.

    It is ``paddle.version.paddle_version``, not jaxeager's own version, so the check has the
    meaning that a program written for Paddle intends.

    Args:
        min_version: the lowest version, such as "2.5".
        max_version: the highest; none by default.

    Raises:
        PreconditionNotMetError: when it is not.
        InvalidTypeError: for a version that is not a string.
        InvalidArgumentError: for one that is not up to four numbers separated by dots.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.utils.require_version("2.0")
    """
    if not isinstance(min_version, str):
        raise InvalidTypeError(
            "The type of 'min_version' in require_version must be str, but received "
            f"{type(min_version)}."
        )
    if not isinstance(max_version, (str, type(None))):
        raise InvalidTypeError(
            "The type of 'max_version' in require_version must be str or type(None), but received "
            f"{type(max_version)}."
        )
    low = _numbers(min_version, "min_version")
    high = None if max_version is None else _numbers(max_version, "max_version")
    installed = paddle.version.paddle_version
    found = _numbers(installed, "")
    if high is not None and not low <= found <= high:
        raise PreconditionNotMetError(
            f"VersionError: PaddlePaddle version in [{min_version}, {max_version}] required, but "
            f"{installed} installed."
        )
    if found < low:
        raise PreconditionNotMetError(
            f"VersionError: PaddlePaddle version {min_version} or higher is required, but "
            f"{installed} installed."
        )


def _numbers(version: str, name: str) -> list[int]:
    """Return the four numbers of a version, zeros where it has fewer."""
    if not _VERSION.fullmatch(version):
        raise InvalidArgumentError(
            f"The value of '{name}' in require_version must be in format "
            rf"'\d+(\.\d+){{0,3}}', like '1.5.2.0', but received {version}"
        )
    numbers = [int(part) for part in version.split(".")]
    return numbers + [0] * (4 - len(numbers))


def try_import(module_name: str, err_msg: str | None = None) -> ModuleType:
    """Return a module by its name.

    Args:
        module_name: with dots, as in ``import``.
        err_msg: the text of the error.

    Raises:
        ImportError: when it cannot be imported; the text states how to install it.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.utils.try_import("math").pi > 3
        True
    """
    try:
        return importlib.import_module(module_name)
    except ImportError as error:
        install = module_name.partition(".")[0]
        raise ImportError(
            err_msg
            or f"Failed importing {module_name}. This likely means that some paddle modules "
            "require additional dependencies that have to be manually installed (usually with "
            f"`pip install {install}`)."
        ) from error


def run_check() -> None:
    """Train a small layer for one step on each device of the default kind, and print the outcome.

    Raises:
        PreconditionNotMetError: when a gradient is wrong.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.utils.run_check()  # doctest: +ELLIPSIS
        jaxeager works well on ...
    """
    names = [name for name in paddle.device.get_available_device() if name != "cpu"] or ["cpu"]
    for name in names:
        with paddle.device.device_guard(name):
            _one_step()
    print(f"jaxeager works well on {', '.join(names)}.")


def _one_step() -> None:
    layer = paddle.nn.Linear(2, 1)
    optimizer = paddle.optimizer.SGD(0.1, parameters=layer.parameters())
    bias: Any = layer.bias
    before = bias.item()
    layer(paddle.ones([4, 2])).sum().backward()
    optimizer.step()
    if abs(before - 0.1 * 4 - bias.item()) > 1e-5:
        raise PreconditionNotMetError(
            f"run_check: after a step with a gradient of 4 the bias went from {before} to "
            f"{bias.item()}, on {bias.place}."
        )
