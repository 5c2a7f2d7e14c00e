"""Reading a tensor: its array on the way to the host, and the events for tools."""

import jax
import numpy as np

from jaxeager.arrays.as_array import host_values
from jaxeager.graph import events
from jaxeager.graph.mode import grad_mode


def read_array(tensor) -> jax.Array:
    """Return the array of a tensor that is about to be copied to the host; notify tools."""
    if events.value_read is not None:
        events.value_read(tensor)
    if grad_mode.capture is not None:
        grad_mode.capture.asked_for(tensor)
    return tensor._array


def read_values(tensor, copy: bool | None = None) -> np.ndarray:
    """Return the values of a tensor on the host, after a wait for the device; notify tools.

    Args:
        tensor: the Tensor.
        copy: True for an array that may be written.
    """
    return host_values(read_array(tensor), copy)
