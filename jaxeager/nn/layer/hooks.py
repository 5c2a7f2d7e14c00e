"""The hooks of a Layer, and how a call runs them."""

import itertools
import weakref
from collections import OrderedDict

from jaxeager.errors import PreconditionNotMetError
from jaxeager.graph import events
from jaxeager.graph.events import notify
from jaxeager.graph.mode import read_capture

_next_id = itertools.count()


class HookRemoveHelper:
    """Handle of a registered hook; ``remove()`` unregisters it.

    Example:
        >>> import jaxeager as paddle
        >>> layer = paddle.nn.ReLU()
        >>> handle = layer.register_forward_post_hook(lambda layer, inputs, output: output + 1)
        >>> layer(paddle.to_tensor([1.0])).item()
        2.0
        >>> handle.remove()
        >>> layer(paddle.to_tensor([1.0])).item()
        1.0
    """

    def __init__(self, hooks: OrderedDict):
        self._hooks = weakref.ref(hooks)
        self._hook_id = next(_next_id)

    def remove(self) -> None:
        """Remove the hook; do nothing if it is removed already."""
        hooks = self._hooks()
        if hooks is not None:
            hooks.pop(self._hook_id, None)


class ForwardHook:
    """A forward hook and how to call it."""

    __slots__ = ("always", "hook", "with_kwargs")

    def __init__(self, hook, with_kwargs: bool = False, always: bool = False):
        self.hook = hook
        self.with_kwargs = with_kwargs
        self.always = always


def add_hook(hooks: OrderedDict, hook, prepend: bool = False) -> HookRemoveHelper:
    """Add a hook to a table, at the end or the beginning, and return its handle."""
    handle = HookRemoveHelper(hooks)
    hooks[handle._hook_id] = hook
    if prepend:
        hooks.move_to_end(handle._hook_id, last=False)
    return handle


def call_with_hooks(layer, inputs: tuple, kwargs: dict):
    """Run the pre-hooks, ``layer.forward`` and the post-hooks, and return the output.

    Hooks registered with ``always_call`` run even if the call raises. They then receive None as
    the output, and errors they raise become notes on the first error.
    """
    called: set[int] = set()
    output = None
    try:
        inputs, kwargs = _run_pre_hooks(layer, inputs, kwargs)
        capture = read_capture()
        forward = layer.forward if capture is None else capture.forward_of(layer)
        output = forward(*inputs, **kwargs)
        for number, entry in list(layer._forward_post_hooks.items()):
            called.add(number)
            output = _run_post_hook(layer, entry, inputs, kwargs, output)
    except Exception as error:
        for number, entry in list(layer._forward_post_hooks.items()):
            if entry.always and number not in called:
                try:
                    _run_post_hook(layer, entry, inputs, kwargs, output)
                except Exception as second:
                    error.add_note(f"The forward post-hook {entry.hook} then raised {second!r}.")
        raise
    return output


def call_in_sight(layer, inputs: tuple, kwargs: dict):
    """Do what ``call_with_hooks`` does, and notify tools of the call."""
    notify(events.nn_layer_began, layer)
    try:
        return call_with_hooks(layer, inputs, kwargs)
    finally:
        notify(events.nn_layer_ended, layer)


def _run_pre_hooks(layer, inputs: tuple, kwargs: dict) -> tuple[tuple, dict]:
    for entry in list(layer._forward_pre_hooks.values()):
        if not entry.with_kwargs:
            result = entry.hook(layer, inputs)
            if result is not None:
                inputs = result if isinstance(result, tuple) else (result,)
            continue
        result = entry.hook(layer, inputs, kwargs)
        if result is None:
            continue
        if not (isinstance(result, tuple) and len(result) == 2):
            raise PreconditionNotMetError(
                "forward pre-hook must return None or a tuple of (new_args, new_kwargs), but got "
                f"{result}."
            )
        inputs, kwargs = result
    return inputs, kwargs


def _run_post_hook(layer, entry: ForwardHook, inputs, kwargs, output):
    if entry.with_kwargs:
        result = entry.hook(layer, inputs, kwargs, output)
    else:
        result = entry.hook(layer, inputs, output)
    return output if result is None else result
