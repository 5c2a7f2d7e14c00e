"""Small programs with ``if`` and ``while`` on tensors, each with its inputs.

Each has the same meaning op by op, as one program (``full_graph``), and saved and loaded.
"""

from tests.jit.lowering.programs import branches, containers_and_calls, loops
from tests.jit.lowering.programs.table import PROGRAMS

__all__ = ["PROGRAMS", "branches", "containers_and_calls", "loops"]
