"""Layouts of tensors on several devices: meshes of devices, and placements on them.

Paddle has one device per process, so it calls them processes: a mesh contains the numbers of
devices, in the order of ``jax.devices()``, by process. One process may drive all of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import Enum
from typing import Any

import numpy as np

from jaxeager.errors import InvalidArgumentError, RefusedArgumentError


class ReduceType(Enum):
    """The reduction of the parts of a Partial tensor.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.distributed.ReduceType.kRedMax.value
        1
    """

    kRedSum = 0
    kRedMax = 1
    kRedMin = 2
    kRedProd = 3
    kRedAvg = 4
    kRedAny = 5
    kRedAll = 6


class Placement:
    """The layout of a tensor along one axis of a mesh; ``Replicate``, ``Shard`` or ``Partial``.

    Example:
        >>> import jaxeager as paddle
        >>> isinstance(paddle.distributed.Shard(0), paddle.distributed.Placement)
        True
    """

    def is_replicated(self) -> bool:
        """Return whether each process has the whole tensor."""
        return isinstance(self, Replicate)

    def is_shard(self, dim: int | None = None) -> bool:
        """Return whether each process has a part of an axis: of any, or of ``dim``."""
        return isinstance(self, Shard) and dim in (None, self.dim)

    def is_partial(self) -> bool:
        """Return whether the tensor is the reduction of the processes' parts."""
        return isinstance(self, Partial)

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and vars(self) == vars(other)

    def __hash__(self) -> int:
        return hash(repr(self))


class Replicate(Placement):
    """The placement in which each process has the whole tensor.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.distributed.Replicate()
        Replicate()
    """

    def __repr__(self) -> str:
        return "Replicate()"


class Shard(Placement):
    """The placement in which each process has a part of an axis.

    Args:
        dim: the axis of the tensor.
        shard_order: if several axes of a mesh divide this one, the position of this one among them:
            0 divides first.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.distributed.Shard(1).get_dim()
        1
    """

    def __init__(self, dim: int, *, shard_order: int | None = None):
        self.dim = dim
        self._order = shard_order

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return False
        orders = {self._order, other._order} - {None}  # type: ignore[attr-defined]
        return self.dim == other.dim and len(orders) < 2  # type: ignore[attr-defined]

    def __hash__(self) -> int:
        return hash(("Shard", self.dim))

    def get_dim(self) -> int:
        """Return the axis."""
        return self.dim

    def __repr__(self) -> str:
        order = "" if self._order is None else f", shard_order={self._order}"
        return f"Shard(dim={self.dim}{order})"


class Partial(Placement):
    """The placement in which the tensor is the sum, or another reduction, of the processes' parts.

    Args:
        reduce_type: the reduction.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.distributed.Partial(paddle.distributed.ReduceType.kRedMax)
        Partial(reduce_type=MAX)
    """

    def __init__(self, reduce_type: ReduceType = ReduceType.kRedSum):
        self._reduce_type = reduce_type

    def reduce_type(self) -> ReduceType:
        """Return the reduction of the parts."""
        return self._reduce_type

    def __repr__(self) -> str:
        return f"Partial(reduce_type={self._reduce_type.name.removeprefix('kRed').upper()})"


class ProcessMesh:
    """A grid of processes.

    Args:
        mesh: the numbers of the processes, a list of lists or an array.
        dim_names: the names of the axes; "d0", "d1", ... by default.
        shape: the shape of the mesh, instead of ``mesh``.
        process_ids: the numbers in it, with ``shape``.

    Raises:
        InvalidArgumentError: for anything but a list or array.
        RefusedArgumentError: for repeated numbers, or when the numbers of names and axes differ.

    Attributes:
        mesh: int64 array.
        shape: the number of processes along each axis.
        ndim: the number of axes.
        size: the number of processes.
        process_ids: the numbers of the processes.
        dim_names: the names of the axes.

    Example:
        >>> import jaxeager as paddle
        >>> mesh = paddle.distributed.ProcessMesh([[0, 1, 2], [3, 4, 5]], dim_names=["x", "y"])
        >>> mesh.shape, mesh.get_dim_size("y"), str(mesh[0])
        ([2, 3], 3, "shape [3], process_ids [0, 1, 2], dim_names ['y']")
    """

    def __init__(
        self,
        mesh: list | np.ndarray | None = None,
        dim_names: list[str] | None = None,
        shape: Sequence[int] | None = None,
        process_ids: Iterable[int] | None = None,
    ):
        if mesh is None:
            if shape is None or process_ids is None:
                raise RefusedArgumentError("Give a mesh, or shape and process_ids.")
            mesh = np.array([*process_ids]).reshape(shape)
        if not isinstance(mesh, (list, np.ndarray)):
            raise InvalidArgumentError("The mesh must be an instance of list or np.ndarray.")
        self.mesh = np.array(mesh, np.int64)
        names = [f"d{axis}" for axis in range(self.mesh.ndim)] if dim_names is None else dim_names
        if len(names) != self.mesh.ndim:
            raise RefusedArgumentError(
                "The length of dims_names must be same as the shape of the mesh."
            )
        if len(np.unique(self.mesh)) != self.mesh.size:
            raise RefusedArgumentError("All elements of the mesh must be unique.")
        self.dim_names = list(names)

    @property
    def shape(self) -> list[int]:
        """Return the number of processes along each axis."""
        return list(self.mesh.shape)

    @property
    def ndim(self) -> int:
        """Return the number of axes."""
        return self.mesh.ndim

    @property
    def size(self) -> int:
        """Return the number of processes."""
        return self.mesh.size

    @property
    def process_ids(self) -> list[int]:
        """Return the numbers of the processes."""
        return self.mesh.flatten().tolist()

    def get_dim_size(self, dim_name: str) -> int:
        """Return the number of processes along an axis."""
        return self.mesh.shape[self._axis(dim_name)]

    def _axis(self, name: str) -> int:
        if name not in self.dim_names:
            raise RefusedArgumentError(f"The mesh has the axes {self.dim_names}, not {name!r}.")
        return self.dim_names.index(name)

    def get_mesh_with_dim(self, dim_name: str, index: int | None = None) -> ProcessMesh:
        """Return the mesh with an axis moved first, or its part at an index of that axis."""
        axis = self._axis(dim_name)
        names = [name for name in self.dim_names if name != dim_name]
        moved = np.moveaxis(self.mesh, axis, 0)
        if index is None:
            return ProcessMesh(moved, [dim_name, *names])
        return ProcessMesh(moved[index], names) if names else ProcessMesh(moved[index : index + 1])

    def get_rank_by_dim_and_process_id(self, dim_name: str, process_id: int) -> int:
        """Return the index of a process along an axis; -1 when it is not in the mesh."""
        found = np.argwhere(self.mesh == process_id)
        return int(found[0][self._axis(dim_name)]) if len(found) else -1

    def __getitem__(self, index: Any) -> ProcessMesh:
        found = self.mesh[index]
        if found.ndim == 0:
            return ProcessMesh([int(found)])
        index = index if isinstance(index, tuple) else (index,)
        kept = [
            name
            for axis, name in enumerate(self.dim_names)
            if axis >= len(index) or not isinstance(index[axis], int)
        ]
        return ProcessMesh(found, kept)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ProcessMesh) and np.array_equal(self.mesh, other.mesh)

    def __hash__(self) -> int:
        return hash((tuple(self.shape), tuple(self.process_ids)))

    def _text(self) -> str:
        """Return the text for the repr of a tensor on the mesh."""
        parts = (self.shape, self.process_ids, self.dim_names)
        shape, ids, names = (",".join(map(str, each)) for each in parts)
        return f"{{shape: [{shape}], process_ids: [{ids}], dim_names: [{names}]}}"

    def __str__(self) -> str:
        return f"shape {self.shape}, process_ids {self.process_ids}, dim_names {self.dim_names}"


_mesh: list[ProcessMesh] = []


class DistAttr:
    """The axes of a mesh over which the axes of a tensor are divided, by their names.

    Args:
        mesh: the devices.
        sharding_specs: for each axis of the tensor the name of an axis of the mesh, or None.

    Attributes:
        process_mesh: the mesh.
        dims_mapping: the number of the mesh's axis for each axis of the tensor, -1 for None.

    Raises:
        InvalidArgumentError: for anything but a mesh and a list, and for an unknown name.
        RefusedArgumentError: for a name that is not a string.

    Example:
        >>> import jaxeager as paddle
        >>> mesh = paddle.distributed.ProcessMesh([[0, 1], [2, 3]], dim_names=["x", "y"])
        >>> paddle.distributed.DistAttr(mesh, ["y", None]).dims_mapping
        [1, -1]
    """

    def __init__(self, mesh: ProcessMesh, sharding_specs: list[str | None]):
        if not isinstance(mesh, ProcessMesh):
            raise InvalidArgumentError(
                f"The mesh must be an instance of paddle.distributed.ProcessMesh, but is {mesh!r}."
            )
        if not isinstance(sharding_specs, list):
            raise InvalidArgumentError(
                f"The sharding_specs must be an instance of list, but are {sharding_specs!r}."
            )
        for name in sharding_specs:
            if not (name is None or isinstance(name, str)):
                raise RefusedArgumentError(
                    f"The dimension name in sharding_specs must be an instance of str, not {name!r}"
                )
            if name is not None and name not in mesh.dim_names:
                raise InvalidArgumentError(
                    f"Invalid sharding dimension '{name}'. Available dimensions in mesh are: "
                    f"{mesh.dim_names}."
                )
        self.process_mesh, self._specs = mesh, sharding_specs
        self.dims_mapping = [
            -1 if name is None else mesh.dim_names.index(name) for name in sharding_specs
        ]

    @property
    def sharding_specs(self) -> list[str | None]:
        """The names, as they were given."""
        return self._specs

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DistAttr) and (
            (self.process_mesh, self.dims_mapping) == (other.process_mesh, other.dims_mapping)
        )

    def __hash__(self) -> int:
        return hash((self.process_mesh, tuple(self.dims_mapping)))

    def __str__(self) -> str:
        axes = "".join("[] " if axis < 0 else f"[{axis}] " for axis in self.dims_mapping)
        dynamic = ",".join("0" for _ in self.dims_mapping)
        return (
            f"{{process_mesh: {self.process_mesh._text()}, dim_mappings: [{axes}], batch_dim: 0, "
            f"chunk_id: 0, skip_check_mesh: 0, dynamic_dims: [{dynamic}], annotated: "
            "[dims_mapping: 1,process_mesh: 1], partial: [], split_factor: .}"
        )


def set_mesh(mesh: ProcessMesh) -> None:
    """Set the mesh that ``get_mesh`` returns.

    Args:
        mesh: the mesh.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.distributed.set_mesh(paddle.distributed.ProcessMesh([0]))
        >>> paddle.distributed.get_mesh().process_ids
        [0]
    """
    _mesh[:] = [mesh]


def get_mesh() -> ProcessMesh | None:
    """Return the mesh that ``set_mesh`` set; None before.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.distributed.set_mesh(paddle.distributed.ProcessMesh([0], ["x"]))
        >>> paddle.distributed.get_mesh().dim_names
        ['x']
    """
    return _mesh[0] if _mesh else None


def create_mesh(mesh_dims: Sequence[tuple[str, int]]) -> ProcessMesh:
    """Set a mesh of the first devices, and return it.

    Args:
        mesh_dims: the name and the size of each axis.

    Example:
        >>> import jaxeager as paddle
        >>> from jaxeager.distributed.auto_parallel import create_mesh
        >>> str(create_mesh([("dp", 1), ("mp", 1)]))
        "shape [1, 1], process_ids [0], dim_names ['dp', 'mp']"
    """
    sizes = [size for _, size in mesh_dims]
    count = int(np.prod(sizes, dtype=np.int64))
    set_mesh(ProcessMesh(np.arange(count).reshape(sizes), [name for name, _ in mesh_dims]))
    return _mesh[0]
