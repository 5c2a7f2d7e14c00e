"""The placement of a tensor on a mesh of devices, as text for logs and graphs."""

from __future__ import annotations

from typing import Any

from jaxeager.core import ports


def placement_text(value: object) -> str:
    """Return "[Shard(dim=0)]", the placement of a tensor or array on its mesh; "" on one device.

    Example:
        >>> import jaxeager as paddle
        >>> placement_text(paddle.ones([2]))
        ''
    """
    layout = ports.layout_of(value)
    return "" if layout is None else str(list(layout.placements))


def dist_lines(value: Any) -> list[str]:
    """Return the last lines of a tensor's block in a log, from its shape on.

    Args:
        value: an array on a mesh.
    """
    mesh, placements = ports.layout_of(value)
    axes: list[list] = [[] for _ in value.shape]
    sizes = list(value.shape)
    for number, each in enumerate(placements):
        if each.is_shard():
            axes[each.get_dim()].append(number)
            sizes[each.get_dim()] //= mesh.shape[number]
    mappings = " ".join(f"[{','.join(map(str, each))}]" for each in axes)
    partial = [number for number, each in enumerate(placements) if each.is_partial()]
    shape, local = (", ".join(map(str, each)) for each in (value.shape, sizes))
    return [
        f"Shape: {shape}, Local Shape: {local}",
        f"DistAttr: {{process_mesh: {mesh._text()}, dim_mappings: [{mappings} ], "
        f"partial: {partial}}}",
    ]
