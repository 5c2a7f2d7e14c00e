"""Nested dicts of tensors under names with dots, and records of several processes in one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from jaxeager.distributed.sharded_weights import ShardedWeight
from jaxeager.errors import InvalidArgumentError, RefusedTypeError
from jaxeager.tensor import Tensor

if TYPE_CHECKING:
    from collections.abc import Mapping


# A tensor of a state dict, whole or the part of this process.
Part: TypeAlias = Tensor | ShardedWeight


def flatten_state_dict(
    state_dict: Mapping[str, object],
) -> tuple[dict[str, Part], dict[str, tuple]]:
    """Return the tensors of nested dicts under names with dots, and the keys of each name.

    Args:
        state_dict: tensors, ShardedWeights, and dicts of them, by name.

    Raises:
        RefusedTypeError: for a key that is not text.
        InvalidArgumentError: for another value.

    Example:
        >>> import jaxeager as paddle
        >>> flat, keys = flatten_state_dict({"model": {"w": paddle.ones([1])}})
        >>> list(flat), keys
        (['model.w'], {'model.w': ('model', 'w')})
    """
    flat: dict[str, Part] = {}
    mapping: dict[str, tuple] = {}
    _flatten(state_dict, (), flat, mapping)
    return flat, mapping


def _flatten(value: object, keys: tuple, flat: dict[str, Part], mapping: dict[str, tuple]) -> None:
    if isinstance(value, (Tensor, ShardedWeight)):
        name = ".".join(keys)
        flat[name], mapping[name] = value, keys
        return
    if not isinstance(value, dict):
        raise InvalidArgumentError(
            f"{'.'.join(keys)}: a state dict has tensors and dicts of them, not {value!r}."
        )
    for key, inner in value.items():
        if not isinstance(key, str):
            raise RefusedTypeError(f"The keys of a state dict are text, not {key!r}.")
        _flatten(inner, (*keys, key), flat, mapping)


def unflatten_state_dict(
    flat_state_dict: Mapping[str, object], mapping: dict[str, tuple]
) -> dict[str, Any]:
    """Return the nested dicts that ``flatten_state_dict`` made flat.

    Args:
        flat_state_dict: values under names with dots.
        mapping: the keys of each name.

    Example:
        >>> unflatten_state_dict({"model.w": 1}, {"model.w": ("model", "w")})
        {'model': {'w': 1}}
    """
    nested: dict[str, Any] = {}
    for name, value in flat_state_dict.items():
        *outer, last = mapping[name]
        inner = nested
        for key in outer:
            inner = inner.setdefault(key, {})
        inner[last] = value
    return nested


def merge_state_dict_metadata(global_state_dict_metadata: list[dict[str, Any]]) -> dict[str, list]:
    """Return the parts of each tensor that any process has, each once.

    Args:
        global_state_dict_metadata: for each process, the part, or the parts, of each tensor.

    Raises:
        RefusedTypeError: for anything but a list.

    Example:
        >>> merge_state_dict_metadata([{"w": ["a"]}, {"w": ["a", "b"], "v": "c"}])
        {'w': ['a', 'b'], 'v': ['c']}
    """
    if not isinstance(global_state_dict_metadata, list):
        raise RefusedTypeError(
            "global_state_dict_metadata should be a list with a dict for each process, but is "
            f"{type(global_state_dict_metadata).__name__}."
        )
    merged: dict[str, list] = {}
    for of_process in global_state_dict_metadata:
        for name, parts in of_process.items():
            known = merged.setdefault(name, [])
            for part in parts if isinstance(parts, list) else [parts]:
                if part not in known:
                    known.append(part)
    return merged
