"""HostKernel: a kernel that runs on the host where an accelerator's compiler cannot make it.

XLA's compiler for TPUs ends the process at a singular value decomposition with 64-bit types on, and
has no eigenvalues of general matrices. Rows of such ops name the platform in ``host_on``; their
operands are moved to the host, and the results back.
"""

# Functions of JAX have partly unknown types.
# pyright: reportUnknownMemberType=false, reportUnknownArgumentType=false
# pyright: reportUnknownVariableType=false

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import jax
from jax.core import Tracer

from jaxeager.errors import UnimplementedError

if TYPE_CHECKING:
    from jaxeager.ops.call.types import Kernel


class HostKernel:
    """A kernel of a row with ``host_on``.

    Attributes:
        kernel: the jitted function.
        name: the op's name, for errors.
        platforms: those on which it runs on the host, such as "tpu".
    """

    def __init__(self, kernel: Kernel, name: str, platforms: frozenset[str]):
        self.kernel, self.name, self.platforms = kernel, name, platforms

    def __call__(self, *arrays: Any) -> Any:
        leaves = jax.tree.leaves(arrays)
        if any(isinstance(each, Tracer) for each in leaves):
            if jax.default_backend() in self.platforms:
                raise UnimplementedError(
                    f"{self.name}: XLA cannot compile this op for {jax.default_backend()}. Call it "
                    "outside of jax.jit and to_static(full_graph=True), where it runs on the host."
                )
            return self.kernel(*arrays)
        home = next(iter(leaves[0].devices()))
        if home.platform not in self.platforms:
            return self.kernel(*arrays)
        host = jax.local_devices(backend="cpu")[0]
        return jax.device_put(self.kernel(*jax.device_put(arrays, host)), home)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.kernel, name)
