"""A layer's state as a dict of tensors: saving and loading."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from jaxeager.arrays.as_array import beside
from jaxeager.core import dtypes
from jaxeager.core.user_lines import warn
from jaxeager.errors import InvalidTypeError, NotFoundError, RefusedArgumentError
from jaxeager.graph import events
from jaxeager.graph.views.atomic_writes import write_arrays
from jaxeager.nn.layer.hooks import HookRemoveHelper, add_hook
from jaxeager.nn.layer.members import LayerMembers
from jaxeager.tensor import Tensor

if TYPE_CHECKING:
    from jaxeager.distributed.sharded_weights import ShardedWeight


class IncompatibleKeys(NamedTuple):
    """The keys that load_state_dict could not match."""

    missing_keys: list[str]
    unexpected_keys: list[str]

    def __repr__(self) -> str:
        if not self.missing_keys and not self.unexpected_keys:
            return "<All keys matched successfully>"
        return (
            f"IncompatibleKeys(missing_keys={self.missing_keys}, "
            f"unexpected_keys={self.unexpected_keys})"
        )

    __str__ = __repr__


class LayerState(LayerMembers):
    """The part of Layer that saves and loads."""

    def state_dict(
        self,
        destination: dict | None = None,
        include_sublayers: bool = True,
        structured_name_prefix: str = "",
        use_hook: bool = True,
        keep_vars: bool | None = None,
        *,
        prefix: str | None = None,
    ) -> dict[str, Tensor]:
        """Return parameters and persistable buffers by name, of this layer and its sublayers.

        As in Paddle, a call with ``prefix=``, or with text as its second argument, has PyTorch's
        parameters: ``state_dict(destination, prefix, keep_vars)``.

        Args:
            destination: a dict to store them in; a new OrderedDict if None.
            include_sublayers: whether to include the sublayers.
            structured_name_prefix: prefix of every name.
            use_hook: whether to run the hooks of register_state_dict_hook.
            keep_vars: return the tensors themselves; otherwise detached tensors of the same memory.
                By default True; with PyTorch's parameters False.
            prefix: prefix of every name, with PyTorch's parameters.

        Raises:
            InvalidTypeError: if PyTorch's parameters are mixed with Paddle's.

        Example:
            >>> import jaxeager as paddle
            >>> list(paddle.nn.Sequential(paddle.nn.Linear(2, 3)).state_dict())
            ['0.weight', '0.bias']
        """
        if isinstance(include_sublayers, str):  # (destination, prefix, keep_vars)
            if prefix is not None or (structured_name_prefix != "" and keep_vars is not None):
                raise InvalidTypeError("state_dict() got prefix or keep_vars twice.")
            prefix, include_sublayers = include_sublayers, True
            if structured_name_prefix != "":
                keep_vars, structured_name_prefix = bool(structured_name_prefix), ""
        if prefix is None:
            keep_vars = True if keep_vars is None else keep_vars
            prefix = structured_name_prefix
        elif structured_name_prefix or not include_sublayers or not use_hook:
            raise InvalidTypeError(
                "state_dict() takes prefix= together with destination and keep_vars only."
            )
        return self._state_dict_impl(
            destination, include_sublayers, prefix, False, use_hook, bool(keep_vars)
        )

    def sharded_state_dict(self, structured_name_prefix: str = "") -> dict[str, ShardedWeight]:
        """Return the ShardedWeight of each tensor of state_dict, by name.

        A layer that several processes share, such as ColumnParallelLinear, gives its own part.

        Args:
            structured_name_prefix: prefix of every name.

        Example:
            >>> import jaxeager as paddle
            >>> parts = paddle.nn.Linear(2, 3).sharded_state_dict("head.")
            >>> parts["head.weight"].global_shape
            (2, 3)
        """
        from jaxeager.distributed.flex_checkpoint.dcp import sharded_weight

        own = self.state_dict(include_sublayers=False)
        parts = sharded_weight.build_sharded_state_dict(own, prefix=structured_name_prefix)
        for name, layer in self._sub_layers.items():
            if layer is not None:
                parts.update(layer.sharded_state_dict(f"{structured_name_prefix}{name}."))
        return parts

    def full(
        self, aoa_config: dict[str, list[str]] | None = None, **kwargs: Any
    ) -> Iterator[tuple[str, Tensor]]:
        """Return an iterator over names and copies of whole tensors, in order of the names.

        Args:
            aoa_config: as ``full_param`` of jaxeager.distributed.flex_checkpoint takes it.
            **kwargs: its other arguments.

        Example:
            >>> import jaxeager as paddle
            >>> [name for name, whole in paddle.nn.Linear(2, 3).full()]
            ['bias', 'weight']
        """
        from jaxeager.distributed.flex_checkpoint.dcp.full_param import full_param

        return full_param(self.sharded_state_dict(), aoa_config, **kwargs)

    def to_static_state_dict(
        self,
        destination: dict | None = None,
        include_sublayers: bool = True,
        structured_name_prefix: str = "",
        use_hook: bool = True,
        keep_vars: bool = True,
    ) -> dict[str, Tensor]:
        """Return the result of state_dict, plus the buffers that are not persistable.

        Example:
            >>> import jaxeager as paddle
            >>> layer = paddle.nn.Layer()
            >>> layer.register_buffer("cache", paddle.zeros([1]), persistable=False)
            >>> list(layer.state_dict()), list(layer.to_static_state_dict())
            ([], ['cache'])
        """
        return self._state_dict_impl(
            destination, include_sublayers, structured_name_prefix, True, use_hook, keep_vars
        )

    def _state_dict_impl(
        self,
        destination: dict | None = None,
        include_sublayers: bool = True,
        structured_name_prefix: str = "",
        include_non_persistable_buffer: bool = False,
        use_hook: bool = True,
        keep_vars: bool = True,
    ) -> Any:
        """Fill ``destination`` with own tensors, then with those of the sublayers.

        Loading matches names with these, so a subclass may rename them in ``state_dict``.
        """
        if destination is None:
            destination = OrderedDict()
        elif not hasattr(destination, "__setitem__"):
            raise InvalidTypeError(
                f"The destination of state_dict must be a dict, but received {destination!r}."
            )
        prefix, is_all = structured_name_prefix, include_non_persistable_buffer
        left_out = () if is_all else self._non_persistable_buffer_names_set
        own = [*self._parameters.items()]
        own += [item for item in self._buffers.items() if item[0] not in left_out]
        for name, tensor in own:
            if tensor is not None:
                destination[prefix + name] = tensor if keep_vars else tensor.detach()
        if include_sublayers:
            for name, layer in self._sub_layers.items():
                if layer is not None:
                    destination = layer._state_dict_impl(
                        destination, True, f"{prefix}{name}.", is_all, use_hook, keep_vars
                    )
        if use_hook:
            for hook in list(self._state_dict_hooks.values()):
                result = hook(destination)
                destination = destination if result is None else result
        return destination

    def register_state_dict_hook(self, hook: Callable[..., object]) -> HookRemoveHelper:
        """Call ``hook(state_dict)`` on each new state dict; its result replaces the dict.

        Example:
            >>> import jaxeager as paddle
            >>> layer = paddle.nn.Linear(1, 1, bias_attr=False)
            >>> handle = layer.register_state_dict_hook(lambda state: {"w": state["weight"]})
            >>> list(layer.state_dict())
            ['w']
        """
        return add_hook(self._state_dict_hooks, hook)

    def set_state_dict(
        self, state_dict: dict, use_structured_name: bool = True
    ) -> tuple[list[str], list[str]]:
        """Copy values into the parameters and persistable buffers of the same name.

        A name that is missing or has a different shape is skipped, with a warning.

        Args:
            state_dict: Tensors or arrays by name.
            use_structured_name: names are paths ("0.weight"); False for the tensors' own names
                ("linear_0.w_0").

        Returns:
            The names that were missing or did not match, and the names unknown to this layer.

        Raises:
            InvalidTypeError: if ``state_dict`` is not a dict.
            RefusedArgumentError: if a dtype differs; nothing has been changed then.

        Example:
            >>> import jaxeager as paddle
            >>> layer = paddle.nn.Linear(1, 1)
            >>> layer.set_state_dict({"weight": paddle.ones([1, 1]), "bias": paddle.ones([1])})
            ([], [])
            >>> layer.weight.item()
            1.0
        """
        pairs, missing, unexpected = self._match(state_dict, use_structured_name)
        for reason in missing.values():
            warn(f"Skip loading for {reason}")
        _set_values(pairs)
        return list(missing), unexpected

    load_dict = set_state_dict
    set_dict = set_state_dict

    def load_state_dict(
        self, state_dict: dict, strict: bool = True, assign: bool = False
    ) -> IncompatibleKeys:
        """Copy values as set_state_dict does, but raise if the names do not match.

        Args:
            state_dict: Tensors or arrays by path.
            strict: raise unless exactly the names of this layer are given, with matching shapes.
            assign: has no effect, as in Paddle: values are always copied.

        Raises:
            NotFoundError: if strict and names are missing, do not match or are unknown; nothing
                has been changed then.

        Example:
            >>> import jaxeager as paddle
            >>> layer = paddle.nn.Linear(1, 1)
            >>> layer.load_state_dict(layer.state_dict())
            <All keys matched successfully>
        """
        _, missing, unexpected = self._match(state_dict, True)
        if strict and (missing or unexpected):
            lines = [f"Error(s) in loading state_dict for {type(self).__name__}:"]
            for title, names in (("Missing", missing), ("Unexpected", unexpected)):
                if names:
                    listed = ", ".join(f'"{name}"' for name in names)
                    lines.append(f"\t{title} key(s) in state_dict: {listed}. ")
            raise NotFoundError("\n".join(lines))
        return IncompatibleKeys(*self.set_state_dict(state_dict))

    def _match(self, state_dict, use_structured_name: bool):
        """Return (tensor, array) pairs, reasons by missing name, and the unknown names."""
        if not hasattr(state_dict, "items"):
            raise InvalidTypeError(
                f"state_dict must be a dict of names to tensors, but received {state_dict!r}."
            )
        pairs, missing, used = [], {}, set()
        for path, tensor in self._state_dict_impl(use_hook=False).items():
            name = path if use_structured_name else tensor.name
            if name not in state_dict:
                missing[name] = f"{path}. {name} is not found in the provided dict."
                continue
            array = _array_of(state_dict[name], name, tensor._array.dtype)
            if tuple(array.shape) != tuple(tensor.shape):
                missing[name] = (
                    f"{path}. {name} receives a shape {list(array.shape)}, but the expected shape "
                    f"is {list(tensor.shape)}."
                )
                continue
            if array.dtype != tensor._array.dtype:
                raise RefusedArgumentError(
                    f"Variable dtype not match, Variable [ {name} ] need tensor with dtype "
                    f"{tensor.dtype} but load tensor with dtype {array.dtype}. Convert one of them "
                    "first, for example with layer.to(dtype=...)."
                )
            used.add(name)
            pairs.append((tensor, array))
        return pairs, missing, [name for name in state_dict if name not in used]


def _set_values(pairs: list[tuple]) -> None:
    """Assign arrays of matching shapes and dtypes to tensors: either to all or to none."""
    tensors, arrays = [tensor for tensor, _ in pairs], []
    for tensor, array in pairs:
        if not isinstance(array, jax.Array):
            array = jax.device_put(np.array(array), tensor._array.sharding)
        array = beside(array, tensor._array)
        if events.value_written is not None:
            events.value_written("set_value", tensor, array)
        arrays.append(array)
    write_arrays(tensors, arrays)


def _array_of(value, name: str, dtype: np.dtype):
    """Return a value of a state dict, for a tensor of a dtype, as an array with no other owner."""
    if isinstance(value, Tensor):
        value = value._array
    if isinstance(value, jax.Array):
        # A copy: an optimizer may donate the memory of either array to XLA.
        return jnp.array(value, copy=True)
    try:
        array = np.asarray(value)
    except ValueError:  # ragged lists
        array = np.array(None)
    if array.dtype == object:
        raise InvalidTypeError(
            f"The value of '{name}' in a state_dict must be a Tensor or an array, but received "
            f"{type(value).__name__}."
        )
    return dtypes.of_bits(array, dtype)
