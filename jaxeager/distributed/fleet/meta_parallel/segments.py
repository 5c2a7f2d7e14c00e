"""The division of the entries of a PipelineLayer into stages."""

from __future__ import annotations

import re
from collections.abc import Sequence

from jaxeager.errors import InvalidArgumentError


def segments(entries: Sequence[object], stages: int, method: str | Sequence[int]) -> list[int]:
    """Return the index of the first entry of each stage, followed by the number of entries.

    Args:
        entries: LayerDescs, Layers and functions.
        stages: the number of stages.
        method: "uniform" assigns each stage about as many entries, the last ones one more;
            "layer:Name" an equal number of Layers whose class has that name; a list contains the
            indices themselves.

    Raises:
        InvalidArgumentError: for any other method, too few entries, and Layers that cannot be
            divided evenly.
    """
    if stages > len(entries):
        raise InvalidArgumentError(
            f"layer number should be greater than number of segments: {len(entries)} entries "
            f"cannot be cut into {stages} stages."
        )
    if not isinstance(method, str):
        found = list(method)
        found = found if len(found) == stages + 1 else [*found, len(entries)]
        if len(found) != stages + 1 or found != sorted(found) or found[-1] != len(entries):
            raise InvalidArgumentError(
                f"seg_method must name the first entry of each of {stages} stages, but is {method}."
            )
        return found
    if method == "uniform":
        few, extra = divmod(len(entries), stages)
        return [few * i + max(0, i - (stages - extra)) for i in range(stages + 1)]
    if not method.startswith("layer:"):
        raise InvalidArgumentError(f"method {method} is not supported")
    name = method.removeprefix("layer:")
    places = [i for i, each in enumerate(entries) if re.search(name, _class_of(each))]
    if not places or len(places) % stages:
        raise InvalidArgumentError(
            f"number of layers ({len(places)}) should be divided by part number({stages}), but "
            f"there are not as many {name} for each stage."
        )
    every = len(places) // stages
    return [0, *(places[every * i - 1] + 1 for i in range(1, stages)), len(entries)]


def _class_of(entry: object) -> str:
    """Return the name of the class that an entry creates or has."""
    made = getattr(entry, "layer_func", entry)
    return getattr(made, "__name__", type(made).__name__)
