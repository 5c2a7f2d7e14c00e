"""paddle.incubate.autotune: which choices the library may make by measuring."""

from __future__ import annotations

import json
import warnings
from typing import Any

__all__ = ["set_config"]

_KINDS: dict[str, dict[str, type]] = {
    "kernel": {"enable": bool, "tuning_range": list},
    "layout": {"enable": bool},
    "dataloader": {"enable": bool, "tuning_steps": int},
}
chosen: dict[str, dict[str, object]] = {}  # the last configuration, without what was refused


def set_config(config: dict[str, dict[str, Any]] | str | None = None) -> None:
    """Check a configuration of automatic tuning, and keep it as ``chosen``.

    It allows choices and demands none, and results do not depend on it: XLA chooses kernels and
    layouts of memory for every program that it compiles, and the number of workers of a DataLoader
    stays what it is.

    Args:
        config: {"kernel": {"enable": bool, "tuning_range": [first, last]}, "layout": {"enable":
            bool}, "dataloader": {"enable": bool, "tuning_steps": int}}; or the path of a JSON file
            with it; None allows everything.

    Warns:
        UserWarning: for a value of another type, and for a file that cannot be read.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.incubate.autotune.set_config({"layout": {"enable": True}})
    """
    if config is None:
        config = {kind: {"enable": True} for kind in _KINDS}
    elif isinstance(config, str):
        config = _read(config)
    for kind, wanted in _KINDS.items():
        for name, value in config.get(kind, {}).items() if kind in config else ():
            if name not in wanted:
                continue
            if isinstance(value, wanted[name]):
                _keep(kind, name, value)
                continue
            warnings.warn(
                f"The auto-tuning configuration of the {kind} is incorrect."
                f"The `{name}` should be {wanted[name].__name__}. Use default parameter instead.",
                stacklevel=2,
            )


def _keep(kind: str, name: str, value: Any) -> None:
    assert name != "tuning_range" or len(value) == 2, "tuning_range is [first, last]"
    chosen.setdefault(kind, {})[name] = value


def _read(path: str) -> dict:
    """Return the configuration of a file; warn and return nothing if it cannot be read."""
    try:
        with open(path, encoding="utf-8") as file:
            return json.load(file)
    except (OSError, ValueError) as error:
        print(f"Load config error: {error}")
        warnings.warn("Use default configuration for auto-tuning.", stacklevel=3)
        return {}
