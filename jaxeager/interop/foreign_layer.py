"""A Layer around a model of another library: its arrays are parameters, a call is one node.

Note [Models of other libraries]
    Such a model is a pytree of arrays and a structure. The trainable arrays become Parameters, the
    others buffers, each under the name that it has in the model, so optimizers, ``state_dict``,
    ``save`` and hooks accept them as those of any Layer. A call gives the model its arrays back and
    runs it as one op (``autograd.from_jax``), so it is one XLA call forward, one backward, and one
    node of the graph (``GradNodeJax_<class>``). Values that backward needs are kept from forward.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import jax
import jax.numpy as jnp

from jaxeager.errors import InvalidArgumentError
from jaxeager.graph.views.atomic_writes import write_arrays
from jaxeager.jit.translated_layer import layer_of
from jaxeager.nn import Layer
from jaxeager.tensor import Parameter, Tensor

if TYPE_CHECKING:
    from jax.typing import ArrayLike


class ForeignLayer(Layer):
    """Base of the Layers that run a model of another library.

    See Note [Models of other libraries].
    """

    def _adopt(self, names: Sequence[str], arrays: Sequence[ArrayLike], is_parameter: bool) -> list:
        """Make arrays parameters or buffers of this Layer, and return the tensors.

        A random key, which is not numeric, stays an array.
        """
        tensors = []
        for name, array in zip(names, arrays, strict=True):
            array = jnp.asarray(array)
            if jnp.issubdtype(array.dtype, jax.dtypes.prng_key):
                tensors.append(array)
                continue
            owner, last = layer_of(self, name)
            if is_parameter:
                tensor: Tensor = Parameter(Tensor.from_array(array))
                owner._parameters[last] = tensor
            else:
                tensor = Tensor.from_array(array)
                owner.register_buffer(last, tensor)
            tensors.append(tensor)
        return tensors

    @staticmethod
    def _put_back(held: list, found: list) -> None:
        """Give buffers and random keys their values after a call."""
        if len(held) != len(found):
            raise InvalidArgumentError(
                f"The model has {len(found)} arrays of state after a call, and had {len(held)}: "
                "arrays that a call adds to a model are not kept. Call it once before it becomes a "
                "Layer."
            )
        changed = []
        for place, (old, new) in enumerate(zip(held, found, strict=True)):
            array = new._array if isinstance(new, Tensor) else new
            if isinstance(old, Tensor):
                changed.append((old, array))
            else:
                held[place] = array
        write_arrays([old for old, _ in changed], [array for _, array in changed])


def path_name(path: Sequence[object]) -> str:
    """Return the name of a path in a pytree, such as "layers.0.kernel"."""
    parts = []
    for each in path:
        part = each
        for kind in ("name", "key", "idx"):
            part = getattr(each, kind, part)
        parts.append(str(part).replace(".", "_"))
    return ".".join(parts)
