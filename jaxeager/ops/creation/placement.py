"""Placement of new tensors: the keywords out, device, requires_grad and pin_memory."""

import functools
import inspect
from collections.abc import Callable

import jax

from jaxeager.core import places
from jaxeager.errors import UnavailableError
from jaxeager.ops.call.keywords import compute_into

_DEFAULTS = {"out": None, "device": None, "requires_grad": False, "pin_memory": False}


def place_for(place: places.Place, pin_memory: bool) -> places.Place:
    """Return the place of a new tensor; pinned memory is host memory next to an accelerator.

    Raises:
        UnavailableError: for pinned memory on the CPU.
    """
    if not pin_memory:
        return place
    if place.is_cpu_place():
        raise UnavailableError(f"Pinning memory is not supported for {place}")
    return places.CUDAPinnedPlace()


def put(tensor, device=None, requires_grad: bool = False, pin_memory: bool = False):
    """Apply the keywords to a tensor that was just made, and return it."""
    if device is not None or pin_memory:
        found = places.place_of(places.current_device()) if device is None else device
        place = place_for(places.as_place(found), pin_memory)
        tensor._array = jax.device_put(tensor._array, place.device())
    if requires_grad:
        tensor.stop_gradient = False
    return tensor


def placed(keywords: str, *, sizes: bool = False) -> Callable:
    """Make a function that creates a tensor accept further keywords; a decorator.

    Args:
        keywords: some of "out device requires_grad pin_memory".
        sizes: whether it also accepts the sizes as separate arguments: ``zeros(2, 3)``.
    """
    names = keywords.split()

    def register(make):
        signature = inspect.signature(make)
        kind = inspect.Parameter.KEYWORD_ONLY
        added = [inspect.Parameter(name, kind, default=_DEFAULTS[name]) for name in names]

        @functools.wraps(make)
        def made(*arguments, **given):
            if sizes and len(arguments) > 1 and type(arguments[1]) is int:
                arguments = (arguments,)
            options = {name: given.pop(name) for name in names if name in given}
            if not options:
                return make(*arguments, **given)
            out = options.pop("out", None)
            if out is None:
                return put(make(*arguments, **given), **options)
            compute_into(out, lambda: put(make(*arguments, **given), **options))
            out.stop_gradient = not options.get("requires_grad", False)
            return out

        parameters = [*signature.parameters.values(), *added]
        made.__dict__["__signature__"] = signature.replace(parameters=parameters)
        return made

    return register
