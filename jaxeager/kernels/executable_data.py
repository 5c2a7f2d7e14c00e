"""The data kept of a compiled kernel in addition to XLA's form, and which kernels are kept."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, TypeAlias

import jax
import numpy as np

from jaxeager.kernels.kernel_identity import from_plain, plain

if TYPE_CHECKING:
    from jaxeager.kernels.kernel_files import Header

# The results of a kernel as jax.ShapeDtypeStructs, nested as the kernel returns them.
Structs: TypeAlias = Any

# What jax.jit or tracing.jit returns; the attributes of both that are used have no types.
Jitted: TypeAlias = Any

FOR_JAX = {"for_jax": True}  # the header of a kernel that is left to JAX's own cache
_KNOWN_CALLS = ("lapack_", "__", "TopK")  # those with two underscores are XLA's own


def struct_of(array: jax.Array) -> jax.ShapeDtypeStruct:
    """Return the struct of an array for ``executables.ahead``; uncommitted: without sharding."""
    where = array.sharding if array.committed else None
    kind = array.weak_type
    return jax.ShapeDtypeStruct(array.shape, array.dtype, sharding=where, weak_type=kind)


def to_file(data: Any, executable: bytes | None) -> tuple[Header, bytes] | None:
    """Return header and executable of a kernel for its file; None for a kernel without a file.

    Args:
        data: the data that JAX's C++ needs to call a kernel (MeshExecutableFastpathData).
        executable: XLA's form of it; None if XLA compiled it here and can write it.
    """
    if not _is_plain(data):
        return None
    try:
        results = _results_to_file(data.out_avals, data.out_pytree_def)
        called = _called_by(data.xla_executable)
        if results is None or not all(name.startswith(_KNOWN_CALLS) for name in called):
            return FOR_JAX, b""
        header = {
            "lapack": any(name.startswith("lapack_") for name in called),
            "kept": list(data.kept_var_bitvec),
            **results,
        }
        return header, executable or data.xla_executable.serialize()
    except jax.errors.JaxRuntimeError:  # a backend that cannot write it
        return None


def _results_to_file(avals: list, tree: Any) -> Header | None:
    """Return the description of results in a header; None if a header cannot describe them.

    A named tuple, a dict and keys of random numbers have classes that a file does not name.
    """
    try:
        outputs = [[list(each.shape), each.dtype.name, each.weak_type] for each in avals]
        for _, dtype, _ in outputs:
            np.dtype(dtype)
        nested = plain(jax.tree.unflatten(tree, range(tree.num_leaves)))
    except TypeError:
        return None
    return {"outputs": outputs, "tree": nested} if _tree_of(nested) == tree else None


def _tree_of(nested: object) -> Any:
    return jax.tree.structure(from_plain(nested))


def structs_of(outputs: list, tree, where) -> Structs:
    """Return the results of a kernel from a file, as ``jax.ShapeDtypeStruct``."""
    structs = [
        jax.ShapeDtypeStruct(tuple(shape), np.dtype(dtype), sharding=where, weak_type=is_weak)
        for shape, dtype, is_weak in outputs
    ]
    return jax.tree.unflatten(_tree_of(tree), structs)


def _called_by(executable) -> list[str]:
    """Return the functions outside of XLA's code that an executable calls."""
    texts = [module.to_string() for module in executable.hlo_modules()]
    return re.findall(r'custom_call_target="([^"]*)"', "".join(texts))


def _is_plain(data: Any) -> bool:
    single = jax.sharding.SingleDeviceSharding
    return (
        all(type(each) is single for each in (*data.in_shardings, *data.out_shardings))
        and not any(each is not None for each in data.in_device_local_layouts)
        and not data.const_args
    )
