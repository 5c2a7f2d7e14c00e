"""Functions and layers that compute with the local parts of tensors: local_map and LocalLayer.

One process drives several devices here, where Paddle has a process for each: so the function runs
once for each device of this process, with the parts on it, and ``get_rank()`` returns the number
of that device meanwhile. The runs follow one another, so within them a collective among several
devices of one process is refused.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeGuard

import jax

from jaxeager.distributed.mesh.jax_shardings import devices
from jaxeager.distributed.mesh.local_tensors import dtensor_from_local, part_on
from jaxeager.distributed.mesh.partial_tensors import layout_of_tensor
from jaxeager.distributed.mesh.placements import Placement, ProcessMesh
from jaxeager.distributed.mesh.sharded_tensors import reshard
from jaxeager.distributed.ranks.each_device import as_rank
from jaxeager.errors import InvalidArgumentError, RefusedArgumentError
from jaxeager.nn.layer.layer import Layer
from jaxeager.tensor import Tensor
from jaxeager.utils.layers_utils import flatten, pack_sequence_as

Placements = Sequence[Placement]


def local_map(
    func: Callable,
    out_placements: Sequence[Placements | None],
    in_placements: Sequence[Placements | None] | None = None,
    process_mesh: ProcessMesh | None = None,
    reshard_inputs: bool = False,
) -> Callable:
    """Return a function that applies ``func`` to the local parts of tensors on a mesh.

    Args:
        func: a function of tensors, on the part of each device. It runs once for each device of
            this process, where ``get_rank()`` returns the number of the device.
        out_placements: the placements of each result; None for one that is not a tensor.
        in_placements: the placements that each argument must have, None for any; by default any.
        process_mesh: the mesh; that of the first argument on a mesh by default.
        reshard_inputs: whether arguments with other placements are moved, instead of refused.

    Returns:
        a function that returns tensors on the mesh. Other results are those of the first device.
        Keyword arguments are passed on as they are.

    Raises:
        RefusedArgumentError: when called with another number of arguments or results than
            placements; for a result that is a tensor and has none, or that has some and is none;
            and for results that are to be placed on no mesh.
        InvalidArgumentError: for an argument with other placements.
        UnimplementedError: for a call between processes within ``func``, when this process has
            several devices of the mesh.

    Paddle: without ``in_placements``, a call with a tensor on a mesh raises an UnboundLocalError.
    As there, the gradient of an argument has the argument's placements: where the argument is
    replicated, it is that of the first device. LocalLayer can add those of all devices.

    Example:
        >>> import jaxeager as paddle
        >>> from jaxeager import distributed as dist
        >>> mesh = dist.ProcessMesh([0])
        >>> x = dist.shard_tensor([1.0, 2.0], mesh, [dist.Shard(0)])
        >>> total = dist.local_map(paddle.sum, [[dist.Partial()]], [[dist.Shard(0)]])
        >>> total(x).item()
        3.0
    """

    def mapped(*args: Any, **kwargs: Any) -> Any:
        given = flatten(args)
        wanted = [None] * len(given) if in_placements is None else in_placements
        _check_count("in_placements", wanted, "arguments", given)
        mesh = process_mesh or next(_meshes(given), None)
        placed = [
            _as_wanted(value, placements, reshard_inputs) if _is_placed(value) else value
            for value, placements in zip(given, wanted, strict=True)
        ]
        grads: list[Placements | None] = [None] * len(given)
        return _by_device(
            lambda parts: func(*pack_sequence_as(args, parts), **kwargs),
            placed, grads, mesh, [(mesh, each) for each in out_placements],
        )  # fmt: skip

    return functools.wraps(func)(mapped) if hasattr(func, "__name__") else mapped


class LocalLayer(Layer):
    """Base of layers whose ``forward`` computes with the local parts of tensors on a mesh.

    ``forward`` runs once for each device of this process, where ``get_rank()`` returns the number
    of the device.

    Args:
        out_dist_attrs: (mesh, placements) of each result.
        grad_dist_attrs: (mesh, placements) of the gradient of each argument; None for the
            placements of the argument. Along a Partial axis the gradients of all devices are
            added; along a Replicate axis, that of the first device is the gradient.

    Raises:
        RefusedArgumentError: when called with another number of arguments or results.

    Example:
        >>> import jaxeager as paddle
        >>> from jaxeager import distributed as dist
        >>> class Mean(dist.LocalLayer):
        ...     def forward(self, x):
        ...         return x.mean()
        >>> mesh = dist.ProcessMesh([0])
        >>> x = dist.shard_tensor([1.0, 2.0], mesh, [dist.Shard(0)])
        >>> Mean([(mesh, [dist.Partial()])], [None])(x).item()
        1.5
    """

    def __init__(
        self,
        out_dist_attrs: Sequence[tuple[ProcessMesh, Placements]],
        grad_dist_attrs: Sequence[tuple[ProcessMesh, Placements] | None],
    ):
        super().__init__()
        self.out_dist_attrs, self.grad_dist_attrs = out_dist_attrs, grad_dist_attrs

    def __call__(self, *inputs: Any, **kwargs: Any) -> Any:
        """Return what ``forward`` returns for the parts, placed on the mesh."""
        _check_count("grad_dist_attrs", self.grad_dist_attrs, "inputs", inputs)
        mesh = next(_meshes(inputs), self.out_dist_attrs[0][0] if self.out_dist_attrs else None)
        grads = [None if each is None else each[1] for each in self.grad_dist_attrs]
        run = super().__call__
        return _by_device(
            lambda parts: run(*parts, **kwargs), inputs, grads, mesh, self.out_dist_attrs
        )


def _by_device(
    run: Callable, values: Sequence, grads: Sequence, mesh: ProcessMesh | None, attrs: Sequence
) -> Any:
    """Return the results of a function of the parts on each device, placed on meshes."""
    if mesh is None:
        results = [run(list(values))]
    else:
        results = []
        numbers = _numbers_here(mesh)
        for number in numbers:
            parts = [
                part_on(value, number, placements) if _is_placed(value) else value
                for value, placements in zip(values, grads, strict=True)
            ]
            with as_rank(number, len(numbers) == 1):
                results.append(run(parts))
    each_device = [flatten(result) for result in results]
    _check_count("placements", attrs, "results", each_device[0])
    made = [
        _placed(list(parts), *attr)
        for parts, attr in zip(zip(*each_device, strict=True), attrs, strict=True)
    ]
    return pack_sequence_as(results[0], made)


def _placed(parts: list, mesh: ProcessMesh | None, placements: Placements | None) -> Any:
    """Return the tensor of the parts, or the first one when it is to have no placements."""
    if placements is None:
        if isinstance(parts[0], Tensor):
            raise RefusedArgumentError("A result is a tensor, but its placements are None.")
        return parts[0]
    if not isinstance(parts[0], Tensor) or _is_placed(parts[0]):
        raise RefusedArgumentError(
            f"Placements {placements} are of a result that must be a tensor on one device, but it "
            f"is {parts[0]!r}."
        )
    if mesh is None:
        raise RefusedArgumentError(
            "process_mesh must be specified when out_placements is not None and no argument is on "
            "a mesh"
        )
    numbers = _numbers_here(mesh)
    return dtensor_from_local(parts if len(parts) == len(numbers) else parts[0], mesh, placements)


def _as_wanted(value: Tensor, placements: Placements | None, reshard_inputs: bool) -> Tensor:
    """Return a tensor with the placements that an argument must have."""
    layout = layout_of_tensor(value)
    if layout is None or placements is None or tuple(placements) == layout.placements:
        return value
    if not reshard_inputs:
        raise InvalidArgumentError(
            f"in_placement {list(placements)} does not match the placements "
            f"{list(layout.placements)} of an argument; give reshard_inputs=True to move it."
        )
    return reshard(value, layout.mesh, placements)


def _is_placed(value: object) -> TypeGuard[Tensor]:
    return isinstance(value, Tensor) and layout_of_tensor(value) is not None


def _meshes(values: Sequence) -> Iterator[ProcessMesh]:
    for value in values:
        layout = layout_of_tensor(value) if isinstance(value, Tensor) else None
        if layout is not None:
            yield layout.mesh


def _numbers_here(mesh: ProcessMesh) -> list[int]:
    here = set(jax.local_devices())
    return [number for number in mesh.process_ids if devices()[number] in here]


def _check_count(name: str, given: Sequence, what: str, values: Sequence) -> None:
    if len(given) != len(values):
        raise RefusedArgumentError(
            f"There are {len(given)} {name}, but {len(values)} {what}: one is needed for each."
        )
