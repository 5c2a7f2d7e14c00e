"""PipelineLayer: a network as a list of descriptions, of which each stage creates its part."""

from __future__ import annotations

import bisect
import operator
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import jaxeager as paddle
from jaxeager.core.ignored_arguments import unheeded
from jaxeager.distributed.communication.groups import Group
from jaxeager.distributed.communication.tensors import broadcast
from jaxeager.distributed.fleet.base.topology import (
    CommunicateTopology,
    group_along,
    topology_of_all,
)
from jaxeager.distributed.fleet.meta_parallel.layer_spec import LayerSpec, build_spec_layer
from jaxeager.distributed.fleet.meta_parallel.segments import segments
from jaxeager.distributed.fleet.recompute import recompute
from jaxeager.distributed.ranks.environment import new_group
from jaxeager.distributed.ranks.synchronize import SUM, average_gradients
from jaxeager.errors import InvalidArgumentError, InvalidTypeError, UnimplementedError


class LayerDesc:
    """The description of a Layer to create.

    Args:
        layer_func_or_spec: its class, or a LayerSpec.
        *inputs: the arguments of the class.
        **kwargs: its keyword arguments.

    Raises:
        InvalidTypeError: when it is neither a class of Layers nor a LayerSpec.

    Example:
        >>> import jaxeager as paddle
        >>> from jaxeager.distributed.fleet.meta_parallel import LayerDesc
        >>> LayerDesc(paddle.nn.Linear, 2, 3).build_layer()
        Linear(in_features=2, out_features=3, dtype=float32)
    """

    def __init__(
        self, layer_func_or_spec: type[paddle.nn.Layer] | LayerSpec, *inputs: Any, **kwargs: Any
    ):
        is_class = isinstance(layer_func_or_spec, type)
        is_layer = is_class and issubclass(layer_func_or_spec, paddle.nn.Layer)
        if not is_layer and not isinstance(layer_func_or_spec, LayerSpec):
            raise InvalidTypeError("The input(layer_func) should be a derived class of Layer.")
        self.layer_func = layer_func_or_spec
        self.inputs = inputs
        self.kwargs = kwargs

    def build_layer(self, **extra_kwargs: Any) -> paddle.nn.Layer:
        """Return a new Layer.

        Args:
            **extra_kwargs: additional keyword arguments.
        """
        return build_spec_layer(self.layer_func, *self.inputs, **{**self.kwargs, **extra_kwargs})

    def __repr__(self) -> str:
        given = [*map(repr, self.inputs), *(f"{k}={v!r}" for k, v in self.kwargs.items())]
        name = getattr(self.layer_func, "__name__", repr(self.layer_func))
        return f"{name}({', '.join(given)})"


class SharedLayerDesc(LayerDesc):
    """The description of a Layer that occurs repeatedly in a PipelineLayer.

    Args:
        key: the name that the occurrences have in common.
        layer_func: its class.
        forward_func: the function to run at this position, called with the Layer and its input; the
            Layer itself when None.
        shared_weight_attr: names of the parameters that are shared between stages.
        *inputs: the arguments of the class.
        **kwargs: its keyword arguments.

    Raises:
        InvalidTypeError: when it is not a class of Layers.

    Example:
        >>> import jaxeager as paddle
        >>> from jaxeager.distributed.fleet.meta_parallel import PipelineLayer, SharedLayerDesc
        >>> first = SharedLayerDesc("word", paddle.nn.Embedding, None, "weight", 10, 4)
        >>> def logits(layer, x):
        ...     return paddle.matmul(x, layer.weight, transpose_y=True)
        >>> last = SharedLayerDesc("word", paddle.nn.Embedding, logits, "weight", 10, 4)
        >>> net = PipelineLayer([first, last], num_stages=1)
        >>> net(paddle.to_tensor([1, 2])).shape, list(net.state_dict())
        (paddle.Size([2, 10]), ['shared_layers.word.weight'])
    """

    def __init__(
        self,
        key: str,
        layer_func: type[paddle.nn.Layer],
        forward_func: Callable | None = None,
        shared_weight_attr: str | list[str] = "weight",
        *inputs: Any,
        **kwargs: Any,
    ):
        super().__init__(layer_func, *inputs, **kwargs)
        self.layer_name = key
        self.forward_func = forward_func
        names = [shared_weight_attr] if isinstance(shared_weight_attr, str) else shared_weight_attr
        self.shared_weight_attr = list(names)


class LocalSharedLayerDesc(SharedLayerDesc):
    """The description of a Layer that occurs repeatedly in one process; see ``SharedLayerDesc``.

    Example:
        >>> import jaxeager as paddle
        >>> from jaxeager.distributed.fleet.meta_parallel import LocalSharedLayerDesc
        >>> LocalSharedLayerDesc("word", paddle.nn.Embedding, None, "weight", 10, 4).layer_name
        'word'
    """


def _check_stages(stages: int, group: Group | None) -> None:
    """Raise InvalidArgumentError unless there are as many stages as processes along "pipe"."""
    count = 1 if group is None else group.nranks
    if stages != count:
        raise InvalidArgumentError(
            f"There are {count} processes along 'pipe' (pp_degree of fleet.init), but received "
            f"{stages} stages."
        )


class PipelineLayer(paddle.nn.Layer):
    """A network that runs the entries of a list in sequence: all of them, or those of this stage.

    With several stages each process creates the Layers of its own stage. It also creates those of
    the others, in order, and drops each immediately: so all processes draw the same random numbers
    as a single process, and the same seed yields the same weights for any number of stages.

    Args:
        layers: LayerDescs, Layers and functions. The output of each is passed to the next, a tuple
            as several arguments.
        num_stages: the number of processes that share the list.
        topology: the grid of processes, instead of ``num_stages``.
        loss_fn: the loss that ``train_batch`` calls with output and label; a list for several
            losses.
        seg_method: how to divide the list into stages: "uniform", "layer:Name" for an equal number
            of Layers of that class in each, or a list of the first entry of each.
        recompute_interval: the number of entries recomputed together in backward; 0 for none.
        recompute_ctx: settings of recomputation over processes.
        num_virtual_pipeline_stages: the number of parts of each stage: 1.
        use_cudagraph: whether Paddle runs it through CUDA graphs.
        use_dualpipev: must be False: whether Paddle runs stages in both directions.

    Shapes:
        Those of the first and last entries.

    Raises:
        InvalidArgumentError: without ``num_stages`` and ``topology``, when the number of stages is
            not that of processes along "pipe", and for a list that cannot be divided.
        UnimplementedError: for several parts of a stage.

    Paddle: reseeds the generator for each entry, so that all processes draw the same weights.

    Example:
        >>> import jaxeager as paddle
        >>> from jaxeager.distributed.fleet.meta_parallel import LayerDesc, PipelineLayer
        >>> parts = [LayerDesc(paddle.nn.Linear, 2, 3), paddle.tanh, paddle.nn.Linear(3, 1)]
        >>> net = PipelineLayer(parts, num_stages=1)
        >>> net(paddle.ones([4, 2])).shape, list(net.state_dict())
        (paddle.Size([4, 1]), ['0.weight', '0.bias', '2.weight', '2.bias'])
    """

    def __init__(
        self,
        layers: Sequence[LayerDesc | Callable],
        num_stages: int | None = None,
        topology: CommunicateTopology | None = None,
        loss_fn: Callable | list[Callable] | None = None,
        seg_method: str | list[int] = "uniform",
        recompute_interval: int = 0,
        recompute_ctx: dict | None = None,
        num_virtual_pipeline_stages: int | None = None,
        use_cudagraph: bool = False,
        use_dualpipev: bool = False,
    ):
        super().__init__()
        if num_stages is None and topology is None:
            raise InvalidArgumentError("should provide num_stages or topology")
        if (num_virtual_pipeline_stages or 1) != 1:
            raise UnimplementedError(
                "A stage has one part: num_virtual_pipeline_stages must be 1, but received "
                f"{num_virtual_pipeline_stages}."
            )
        if use_dualpipev:
            raise UnimplementedError("use_dualpipev, another order of stages, is not supported.")
        unheeded(
            "PipelineLayer",
            "XLA makes graphs, and recompute keeps its tensors on the device",
            use_cudagraph=(use_cudagraph, False),
            recompute_ctx=(recompute_ctx, None),
        )
        stages = (topology.get_dim("pipe") if num_stages is None and topology else num_stages) or 1
        group = group_along("pipe")
        _check_stages(stages, group)
        self._topo = topology or CommunicateTopology()
        self._stage_id = 0 if group is None else group.rank
        self._num_stages = stages
        self._loss_fn = loss_fn if isinstance(loss_fn, list) else [loss_fn]
        self._recompute_interval = recompute_interval
        self._layers_desc = list(layers)
        self.segment_parts = segments(self._layers_desc, stages, seg_method)
        self._start, self._end = self.segment_parts[self._stage_id : self._stage_id + 2]
        self.shared_layers = paddle.nn.LayerDict()
        self.local_shared_layers = paddle.nn.LayerDict()
        self.run_function = self._own_functions()
        self.shared_comm = self._shared_groups()
        self._share_weights()

    def _own_functions(self) -> list[Callable]:
        """Create the Layers of this stage, and those of the others, whose draws come in between."""
        found = []
        for number, entry in enumerate(self._layers_desc):
            if self._start <= number < self._end:
                found.append(self._made(number, entry))
            elif isinstance(entry, LayerDesc) and not self._was_made(number):
                entry.build_layer()
        return found

    def _was_made(self, number: int) -> bool:
        """Return whether an earlier entry with the same key has created the Layer of an entry."""
        entry = self._layers_desc[number]
        return isinstance(entry, SharedLayerDesc) and any(
            isinstance(each, SharedLayerDesc) and each.layer_name == entry.layer_name
            for each in self._layers_desc[:number]
        )

    def _shared_groups(self) -> dict[str, Group]:
        """Create the groups of stages that share a Layer; return those of this process."""
        found: dict[str, Group] = {}
        grid = topology_of_all()
        if self._num_stages == 1 or grid is None:
            return found
        stages_of: dict[str, list[int]] = {}
        for number, entry in enumerate(self._layers_desc):
            if isinstance(entry, SharedLayerDesc):
                stages = stages_of.setdefault(entry.layer_name, [])
                stage = self.get_stage_from_index(number)
                stages += [] if stage in stages else [stage]
        for key, stages in stages_of.items():
            for line in grid.get_comm_list("pipe") if len(stages) > 1 else ():
                group = new_group([line[stage] for stage in stages])
                if group.is_member():
                    found[key] = group
        return found

    def _shared_parameters(self, key: str) -> list[Any]:
        """Return the parameters that stages share under a key."""
        entry = next(
            each
            for each in self._layers_desc
            if isinstance(each, SharedLayerDesc) and each.layer_name == key
        )
        layer = self.shared_layers[key]
        return [operator.attrgetter(name)(layer) for name in entry.shared_weight_attr]

    def _share_weights(self) -> None:
        """Send the weights of each shared Layer from its first stage to the others."""
        for key, group in self.shared_comm.items():
            for parameter in self._shared_parameters(key):
                broadcast(parameter, group.ranks[0], group)
                parameter.is_firstly_shared = group.rank == 0

    def _made(self, number: int, entry: LayerDesc | Callable) -> Callable:
        """Return the callable that runs an entry of the list."""
        if isinstance(entry, SharedLayerDesc):
            if entry.layer_name not in self.shared_layers:
                self.shared_layers[entry.layer_name] = entry.build_layer()
            layer = self.shared_layers[entry.layer_name]
            return layer if entry.forward_func is None else partial(entry.forward_func, layer)
        layer = entry.build_layer() if isinstance(entry, LayerDesc) else entry
        if isinstance(layer, paddle.nn.Layer):
            self.add_sublayer(str(number), layer)
        return layer

    def get_stage_from_index(self, layer_idx: int) -> int:
        """Return the stage that has an entry.

        Args:
            layer_idx: the index of the entry in the list.

        Raises:
            InvalidArgumentError: when there is no such entry.
        """
        if not 0 <= layer_idx < len(self._layers_desc):
            raise InvalidArgumentError(f"There is no entry {layer_idx}.")
        return bisect.bisect_right(self.segment_parts, layer_idx) - 1

    def get_num_virtual_stages(self) -> int:
        """Return the number of parts of each stage: 1."""
        return 1

    def allreduce_shared_weight_gradients(self) -> None:
        """Sum the gradients of parameters that stages share; with one stage, do nothing."""
        for key, group in self.shared_comm.items():
            average_gradients(self._shared_parameters(key), group, SUM)

    def _run(self, start: int, end: int, *inputs: Any) -> Any:
        given: Any = inputs if len(inputs) != 1 else inputs[0]
        for function in self.run_function[start:end]:
            given = function(*given) if isinstance(given, tuple) else function(given)
        return given

    def forward(self, input: object, chunk_id: int | None = None) -> Any:
        """Return the output of the last entry of this stage.

        Args:
            input: the input of the first entry of this stage; a tuple for several arguments.
            chunk_id: the part of the stage to run: 0 or None, as there is only one.

        Raises:
            UnimplementedError: for any other part.
        """
        if chunk_id:
            raise UnimplementedError(f"A stage has one part, 0, but received {chunk_id=}.")
        every = self._recompute_interval or max(len(self.run_function), 1)
        for start in range(0, len(self.run_function), every):
            inputs = input if isinstance(input, tuple) else (input,)
            part = partial(self._run, start, start + every)
            wants_grad = any(
                isinstance(each, paddle.Tensor) and not each.stop_gradient for each in inputs
            )
            again = self._recompute_interval and wants_grad
            input = recompute(part, *inputs) if again else part(*inputs)
        return input
