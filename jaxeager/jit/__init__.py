"""paddle.jit: functions that run in few calls of XLA, and models saved to files.

``to_static`` marks a function, ``save`` writes a Layer or a function as a program of StableHLO, and
``load`` reads it.

Note [A call of a marked function]
    static_function.py receives the call. By default it begins a block of lazy mode (kernels/lazy),
    calls the function, and ends the block, which runs the recorded kernels.

    With ``full_graph=True`` programs/whole_graph.py looks for a program that fits the call: by its
    arguments, the names and Layers that the function depends on (programs/dependencies.py), and the
    tensors it uses (programs/fitting.py). If there is none, capture/capture.py traces the function,
    with its ``if`` and ``while`` converted by lowering/; capture/side_effects.py collects its
    results and changes, and capture/partition.py separates forward from backward.
    programs/program.py then runs the program and records one node; programs/donated.py runs a
    program that keeps nothing for a backward, in the memory of the tensors it writes.

    Why there was none, programs/recapture.py finds out; kernels/compilations.py reports it.

    ``save`` traces in the same way, without a capture (saved_model/exporting.py).
"""

import importlib

from jaxeager.jit import dy2static
from jaxeager.jit.capture import flow
from jaxeager.jit.saved_model.saving import save
from jaxeager.jit.static_function import (
    ignore_module,
    not_to_static,
    set_code_level,
    set_verbosity,
    to_static,
)
from jaxeager.jit.switching import enable_to_static
from jaxeager.jit.translated_layer import TranslatedLayer, load

api = importlib.import_module("jaxeager.jit.api")

__all__ = [
    "TranslatedLayer", "api", "dy2static", "enable_to_static", "ignore_module", "load",
    "not_to_static", "save", "set_code_level", "set_verbosity", "to_static",
]  # fmt: skip
