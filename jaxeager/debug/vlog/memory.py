"""The lines of a verbose log about memory: allocations, frees and copies.

Note [Lines about memory]
    XLA allocates memory invisibly. Only the arrays that ops, backward and the program make are
    known: an array is logged as an allocation when it exists, and as freed when the last Python
    reference to it is gone (XLA may keep the memory in its pool, and share one memory among
    arrays). Temporary memory of an executable has no line. In Paddle these lines are from the GPU
    allocator, stream_safe_cuda_allocator.cc; here they are for all devices.
"""

import threading
import weakref

import jax
from jax.core import Tracer

from jaxeager.core.symbolic import is_symbolic
from jaxeager.debug.common import tensor_text
from jaxeager.debug.vlog import vlog
from jaxeager.graph import events

_ALLOCATOR, _COPY = "stream_safe_cuda_allocator", "memcpy"
_HOST = "Place(cpu)"


class _Writer(events.Observer):
    """Writes the lines about memory."""

    def kernel_ran(self, row, operands, attrs, arrays, is_inplace):
        if vlog.levels()[_ALLOCATOR] >= 8:
            _say_allocated(arrays)

    def node_ended(self, node, grads, results):
        if not node.is_leaf and vlog.levels()[_ALLOCATOR] >= 8:
            _say_allocated(results)

    def array_made(self, array):
        levels = vlog.levels()
        if levels[_COPY] >= 4:
            _say_copied(array, _HOST, tensor_text.place_text(array))
        if levels[_ALLOCATOR] >= 8:
            _say_allocated([array])

    def value_read(self, tensor):
        if tensor is not None and vlog.levels()[_COPY] >= 4:
            _say_copied(tensor._array, tensor_text.place_text(tensor._array), _HOST)


def _say_copied(array, source: str, target: str) -> None:
    size = getattr(array, "nbytes", 0)
    vlog.log(_COPY, 4, f"memory::Copy {size} Bytes from {source} to {target}")


def _say_allocated(arrays) -> None:
    for array in arrays:
        if not isinstance(array, jax.Array) or isinstance(array, Tracer):
            continue
        if is_symbolic(array) or getattr(array, "_pointer", None) in _allocated:
            continue
        pointer = tensor_text.pointer_of(array)
        _allocated.add(pointer)
        weakref.finalize(array, _say_freed, pointer)
        vlog.log(
            _ALLOCATOR, 8,
            f"Thread {threading.get_ident()} Allocate {array.nbytes} bytes at address "
            f"{pointer:#x}  , stream: 0",
        )  # fmt: skip


def _say_freed(pointer: int) -> None:
    _allocated.discard(pointer)
    vlog.log(_ALLOCATOR, 8, f"Try free allocation {pointer:#x}")
    vlog.log(_ALLOCATOR, 9, "Directly delete allocation")


_allocated: set[int] = set()  # the numbers of arrays that will be logged when freed
observer = _Writer()
