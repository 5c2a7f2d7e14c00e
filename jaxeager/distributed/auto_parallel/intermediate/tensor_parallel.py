"""Plans of tensor and sequence parallelism: what to place, and what to move in hooks.

A plan places the parameters of its layer on the axis "mp" of the mesh, or gives the layer hooks
that move its inputs or outputs. The ops stay those of one device, and XLA divides their work.
"""

from __future__ import annotations

import logging
import re
import warnings
from collections.abc import Callable, Iterator, Sequence

from jaxeager.distributed.auto_parallel.intermediate.moves import (
    along_mp,
    axis_of,
    first_changed,
    gathered,
    last_axis_split,
    sequence_gathered,
    sequence_split,
)
from jaxeager.distributed.mesh.partial_tensors import layout_of_tensor
from jaxeager.distributed.mesh.placements import Placement, ProcessMesh, Replicate, Shard
from jaxeager.distributed.mesh.sharded_tensors import place
from jaxeager.errors import InvalidArgumentError, RefusedTypeError
from jaxeager.nn import Embedding, Linear
from jaxeager.nn.layer.layer import Layer
from jaxeager.tensor import Tensor

_log = logging.getLogger(__name__)


class PlanBase:
    """The base of the plans: ``apply`` of a subclass places parameters of a layer, or adds hooks.

    Example:
        >>> import jaxeager as paddle
        >>> from jaxeager.distributed.auto_parallel.intermediate.tensor_parallel import PlanBase
        >>> isinstance(paddle.distributed.ColWiseParallel(), PlanBase)
        True
    """

    def apply(
        self, layer: Layer, process_mesh: ProcessMesh, shard_param_list: Sequence[str]
    ) -> dict[str, list[Placement]] | None:
        """Apply the plan to a layer.

        Args:
            layer: the layer.
            process_mesh: the mesh.
            shard_param_list: the parameters to place; empty for those that the plan is made for.

        Returns:
            placements of parameters by name, for parameters that are still to be placed; or None.
        """
        raise NotImplementedError("PlanBase has no apply: use one of its subclasses, or define it.")


def _place_params(
    layer: Layer, mesh: ProcessMesh, names: Sequence[str], dims: dict[int, int], plan: str
) -> None:
    """Divide parameters of a layer over "mp"; those on a mesh already stay as they are.

    Args:
        layer: the layer.
        mesh: the mesh.
        names: the names of the parameters; those that the layer lacks are left out.
        dims: the axis to divide, by the number of axes of a parameter.
        plan: the name of the plan.

    Raises:
        InvalidArgumentError: for a parameter of another number of axes.
    """
    if not isinstance(layer, (Linear, Embedding)):
        _log.warning(
            "%s is made for Linear and Embedding, but is applied to %s: its %s are divided, where "
            "it has them.", plan, type(layer).__name__, " and ".join(names),
        )  # fmt: skip
    for name in names:
        param = getattr(layer, name, None)
        if param is None or layout_of_tensor(param) is not None:
            continue
        if param.ndim not in dims:
            raise InvalidArgumentError(
                f"{plan} divides parameters of {' or '.join(map(str, dims))} axes, but {name} of "
                f"{type(layer).__name__} has the shape {list(param.shape)}."
            )
        placements: list[Placement] = [Replicate() for _ in mesh.shape]
        placements[axis_of(mesh)] = Shard(dims[param.ndim])
        place(param, mesh, placements)


class ColWiseParallel(PlanBase):
    """The plan that divides the columns of a layer's weight, and its bias, over "mp".

    Args:
        gather_output: whether the output is made whole on each device; it stays divided along its
            last axis otherwise.

    Raises:
        InvalidArgumentError: when applied to a parameter of more than two axes, or whose columns
            cannot be divided evenly.

    Example:
        >>> import jaxeager as paddle
        >>> dist = paddle.distributed
        >>> dist.set_mesh(dist.ProcessMesh([0], ["mp"]))
        >>> net = paddle.nn.Sequential(paddle.nn.Linear(4, 4))
        >>> config = {"mp_config": {"parallelize_plan": {"0": dist.ColWiseParallel()}}}
        >>> net, _ = dist.parallelize(net, config=config)
        >>> net[0].weight.placements, net[0].bias.placements
        ([Shard(dim=1)], [Shard(dim=0)])
    """

    def __init__(self, gather_output: bool = False):
        self.gather_output = gather_output

    def apply(
        self, layer: Layer, process_mesh: ProcessMesh, shard_param_list: Sequence[str]
    ) -> None:
        """Apply the plan: see ``PlanBase.apply``."""
        names = shard_param_list or ["weight", "bias"]
        _place_params(layer, process_mesh, names, {2: 1, 1: 0}, "ColWiseParallel")
        if self.gather_output:
            layer.register_forward_post_hook(lambda _, __, output: gathered(output, process_mesh))


class RowWiseParallel(PlanBase):
    """The plan that divides the rows of a layer's weight over "mp".

    Args:
        is_input_parallel: whether the input is already divided along its last axis, as the output
            of ``ColWiseParallel`` is. If not, it is divided before the call.

    Raises:
        InvalidArgumentError: when applied to a weight that does not have two axes, or whose rows
            cannot be divided evenly.

    Example:
        >>> import jaxeager as paddle
        >>> dist = paddle.distributed
        >>> dist.set_mesh(dist.ProcessMesh([0], ["mp"]))
        >>> net = paddle.nn.Sequential(paddle.nn.Linear(4, 4))
        >>> config = {"mp_config": {"parallelize_plan": {"0": dist.RowWiseParallel()}}}
        >>> net, _ = dist.parallelize(net, config=config)
        >>> net[0].weight.placements, net[0].bias.placements
        ([Shard(dim=0)], [Replicate()])
    """

    def __init__(self, is_input_parallel: bool = True):
        self.is_input_parallel = is_input_parallel

    def apply(
        self, layer: Layer, process_mesh: ProcessMesh, shard_param_list: Sequence[str]
    ) -> None:
        """Apply the plan: see ``PlanBase.apply``; a bias stays whole."""
        names = [name for name in shard_param_list if name != "bias"] or ["weight"]
        _place_params(layer, process_mesh, names, {2: 0}, "RowWiseParallel")
        if not self.is_input_parallel:
            layer.register_forward_pre_hook(lambda _, inputs: last_axis_split(inputs, process_mesh))


class _PreparedLayer(PlanBase):
    """The common part of PrepareLayerInput and PrepareLayerOutput: a function that makes a hook."""

    def __init__(self, fn: Callable[..., Callable] | None = None):
        if not callable(fn):
            raise RefusedTypeError(
                f"{type(self).__name__} takes a function of process_mesh that returns a hook, but "
                f"received {fn!r:.80}."
            )
        self.fn: Callable[..., Callable] = fn


class PrepareLayerInput(_PreparedLayer):
    """The plan that gives a layer a hook before its calls.

    Args:
        fn: called with ``process_mesh=mesh``; returns the hook, ``hook(layer, inputs)``.

    Raises:
        RefusedTypeError: for anything that cannot be called.

    Example:
        >>> import jaxeager as paddle
        >>> plan = paddle.distributed.PrepareLayerInput(
        ...     lambda process_mesh: lambda layer, inputs: tuple(2 * each for each in inputs)
        ... )
        >>> layer = paddle.nn.Identity()
        >>> plan.apply(layer, paddle.distributed.ProcessMesh([0], ["mp"]), [])
        >>> layer(paddle.ones([1])).item()
        2.0
    """

    def apply(
        self, layer: Layer, process_mesh: ProcessMesh, shard_param_list: Sequence[str]
    ) -> None:
        """Apply the plan: see ``PlanBase.apply``."""
        layer.register_forward_pre_hook(self.fn(process_mesh=process_mesh))


class PrepareLayerOutput(_PreparedLayer):
    """The plan that gives a layer a hook after its calls.

    Args:
        fn: called with ``process_mesh=mesh``; returns the hook, ``hook(layer, inputs, output)``.

    Raises:
        RefusedTypeError: for anything that cannot be called.

    Example:
        >>> import jaxeager as paddle
        >>> plan = paddle.distributed.PrepareLayerOutput(
        ...     lambda process_mesh: lambda layer, inputs, output: output + 1
        ... )
        >>> layer = paddle.nn.Identity()
        >>> plan.apply(layer, paddle.distributed.ProcessMesh([0], ["mp"]), [])
        >>> layer(paddle.ones([1])).item()
        2.0
    """

    def apply(
        self, layer: Layer, process_mesh: ProcessMesh, shard_param_list: Sequence[str]
    ) -> None:
        """Apply the plan: see ``PlanBase.apply``."""
        layer.register_forward_post_hook(self.fn(process_mesh=process_mesh))


class _SequencePlan(PlanBase):
    def __init__(self, need_transpose: bool = True):
        self.need_transpose = need_transpose


class SequenceParallelBegin(_SequencePlan):
    """The plan for the last layer before those that work on parts of the sequence.

    Its output is divided along the sequence over "mp".

    Args:
        need_transpose: whether the output is [batch, sequence, hidden], and becomes [sequence,
            batch, hidden].

    Example:
        >>> import jaxeager as paddle
        >>> layer, mesh = paddle.nn.Identity(), paddle.distributed.ProcessMesh([[0]], ["dp", "mp"])
        >>> paddle.distributed.SequenceParallelBegin().apply(layer, mesh, [])
        >>> layer(paddle.ones([2, 3, 4])).shape
        paddle.Size([3, 2, 4])
    """

    def apply(
        self, layer: Layer, process_mesh: ProcessMesh, shard_param_list: Sequence[str]
    ) -> None:
        """Apply the plan: see ``PlanBase.apply``."""
        swap = self.need_transpose
        layer.register_forward_post_hook(
            lambda _, __, output: sequence_split(output, process_mesh, swap)
        )


class SequenceParallelEnd(_SequencePlan):
    """The plan for the first layer after those that work on parts of the sequence.

    Its input becomes whole again.

    Args:
        need_transpose: whether the input is [sequence, batch, hidden], and becomes [batch,
            sequence, hidden].

    Example:
        >>> import jaxeager as paddle
        >>> layer, mesh = paddle.nn.Identity(), paddle.distributed.ProcessMesh([[0]], ["dp", "mp"])
        >>> paddle.distributed.SequenceParallelEnd().apply(layer, mesh, [])
        >>> layer(paddle.ones([3, 2, 4])).shape
        paddle.Size([2, 3, 4])
    """

    def apply(
        self, layer: Layer, process_mesh: ProcessMesh, shard_param_list: Sequence[str]
    ) -> None:
        """Apply the plan: see ``PlanBase.apply``."""
        swap = self.need_transpose
        layer.register_forward_pre_hook(
            lambda _, inputs: sequence_gathered(inputs, process_mesh, swap)
        )


class SequenceParallelEnable(PlanBase):
    """The plan for one layer that works on parts of the sequence, between others that do not.

    Its input [batch, sequence, hidden] is divided along the sequence, as [sequence, batch, hidden],
    and its output becomes whole again, with its axes as before.

    Example:
        >>> import jaxeager as paddle
        >>> layer, mesh = paddle.nn.Identity(), paddle.distributed.ProcessMesh([[0]], ["dp", "mp"])
        >>> paddle.distributed.SequenceParallelEnable().apply(layer, mesh, [])
        >>> layer(paddle.ones([2, 3, 4])).shape
        paddle.Size([2, 3, 4])
    """

    def apply(
        self, layer: Layer, process_mesh: ProcessMesh, shard_param_list: Sequence[str]
    ) -> None:
        """Apply the plan: see ``PlanBase.apply``."""
        _log.warning(
            "SequenceParallelEnable divides and gathers the sequence around each of its layers: "
            "SequenceParallelBegin and SequenceParallelEnd around several layers send less."
        )
        layer.register_forward_pre_hook(
            lambda _, inputs: sequence_split(inputs, process_mesh, True)
        )
        layer.register_forward_post_hook(
            lambda _, __, output: sequence_gathered(output, process_mesh, True)
        )


class SequenceParallelDisable(_SequencePlan):
    """The plan for one layer that needs the whole sequence, between others that work on parts.

    Its input becomes whole, and its output is divided along the sequence again.

    Args:
        need_transpose: whether the input is [sequence, batch, hidden] and the layer needs [batch,
            sequence, hidden].

    Example:
        >>> import jaxeager as paddle
        >>> layer, mesh = paddle.nn.Identity(), paddle.distributed.ProcessMesh([[0]], ["dp", "mp"])
        >>> paddle.distributed.SequenceParallelDisable().apply(layer, mesh, [])
        >>> layer(paddle.ones([3, 2, 4])).shape
        paddle.Size([3, 2, 4])
    """

    def apply(
        self, layer: Layer, process_mesh: ProcessMesh, shard_param_list: Sequence[str]
    ) -> None:
        """Apply the plan: see ``PlanBase.apply``."""
        swap = self.need_transpose
        layer.register_forward_pre_hook(
            lambda _, inputs: sequence_gathered(inputs, process_mesh, swap)
        )
        layer.register_forward_post_hook(
            lambda _, __, output: sequence_split(output, process_mesh, swap)
        )


class ConvParallel(PlanBase):
    """The plan that divides the width of a Conv2D's input over "mp".

    XLA exchanges the columns that two devices need. An input whose width cannot be divided evenly
    stays as it is.

    Paddle: also leaves the input as it is for dilations, and for strides that are neither 1 nor the
    width of the kernel.

    Example:
        >>> import jaxeager as paddle
        >>> layer, mesh = paddle.nn.Conv2D(1, 1, 3), paddle.distributed.ProcessMesh([0], ["mp"])
        >>> paddle.distributed.ConvParallel().apply(layer, mesh, [])
        >>> layer(paddle.ones([1, 1, 4, 4])).shape
        paddle.Size([1, 1, 2, 2])
    """

    def apply(
        self, layer: Layer, process_mesh: ProcessMesh, shard_param_list: Sequence[str]
    ) -> None:
        """Apply the plan: see ``PlanBase.apply``."""
        count = process_mesh.shape[axis_of(process_mesh)]
        width = {"NCHW": 3, "NHWC": 2}.get(layer._data_format)
        if width is None:
            raise InvalidArgumentError(
                f"ConvParallel divides NCHW and NHWC, but data_format is {layer._data_format!r}."
            )

        def divided(x: Tensor) -> Tensor:
            return x if x.shape[width] % count else along_mp(x, process_mesh, Shard(width))

        layer.register_forward_pre_hook(lambda _, inputs: first_changed(inputs, divided))


def check_plan(parallelize_plan: object) -> None:
    """Raise an error unless something is a dict from names to plans or lists of plans.

    Raises:
        RefusedTypeError: for anything else.
    """
    if not isinstance(parallelize_plan, dict):
        raise RefusedTypeError(
            "parallelize_plan is a dict from names of layers to plans, but received "
            f"{type(parallelize_plan).__name__}."
        )
    for key, plan in parallelize_plan.items():
        if not isinstance(key, str):
            raise RefusedTypeError(f"A name in parallelize_plan is a str, but received {key!r}.")
        for each in plan if isinstance(plan, list) else [plan]:
            if not isinstance(each, PlanBase):
                raise RefusedTypeError(
                    f"parallelize_plan[{key!r}] is a plan such as ColWiseParallel(), or a list of "
                    f"them, but received {each!r:.80}."
                )


def plans_of(layer: Layer, name: str, parallelize_plan: dict) -> Iterator[tuple[str, list, list]]:
    """Yield, for each key that matches a layer, the key, its plans, and the parameter it names.

    A key is the name of a layer, or a regular expression that matches all of the name. If the key
    ends in the name of a tensor of the layer, this applies to the part before that.
    """
    for key, plan in parallelize_plan.items():
        front, dot, last = key.rpartition(".")
        pattern, params = key, []
        if dot and isinstance(getattr(layer, last, None), Tensor):
            pattern, params = front, [last]
        found = re.match(pattern, name)
        if pattern == name or (found is not None and found.end() == len(name)):
            yield key, plan if isinstance(plan, list) else [plan], params


def apply_plans(model: Layer, parallelize_plan: dict, mesh: ProcessMesh) -> None:
    """Apply plans to the layers of a model, in the order of ``named_sublayers``.

    Args:
        model: the model.
        parallelize_plan: plans by name: see ``check_plan``.
        mesh: the mesh.

    Raises:
        RefusedArgumentError: for a mesh without the axis "mp".
    """
    axis_of(mesh)
    unused = set(parallelize_plan)
    for name, layer in model.named_sublayers():
        for key, plans, params in plans_of(layer, name, parallelize_plan):
            unused.discard(key)
            for plan in plans:
                later = plan.apply(layer, mesh, params)
                for param, placements in (later or {}).items():
                    if layout_of_tensor(getattr(layer, param)) is None:
                        place(getattr(layer, param), mesh, placements)
    if parallelize_plan and len(unused) == len(parallelize_plan):
        warnings.warn(
            f"No layer of {type(model).__name__} has a name that parallelize_plan is for: "
            f"{sorted(unused)}. Its parameters stay whole on each device.",
            stacklevel=4,
        )


__all__ = [
    "ColWiseParallel", "ConvParallel", "PlanBase", "PrepareLayerInput", "PrepareLayerOutput",
    "RowWiseParallel", "SequenceParallelBegin", "SequenceParallelDisable", "SequenceParallelEnable",
    "SequenceParallelEnd",
]  # fmt: skip
