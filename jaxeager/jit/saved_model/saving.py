"""save: a Layer or a function as files that run without its class."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from jaxeager.core.user_lines import warn
from jaxeager.errors import InvalidArgumentError, InvalidTypeError, PreconditionNotMetError
from jaxeager.framework.io.paths import writing
from jaxeager.jit.saved_model.argument_specs import Arguments, Recorded, given_specs
from jaxeager.jit.saved_model.checked_programs import trust
from jaxeager.jit.saved_model.exporting import Traced, exported, serialized
from jaxeager.jit.saved_model.files import SIGNATURE, Method, prefix_of, write_model
from jaxeager.jit.saved_model.graph import graph_of
from jaxeager.jit.saved_model.program_json import graph_json
from jaxeager.jit.saved_model.weights import weights_of
from jaxeager.jit.static_function import StaticFunction
from jaxeager.jit.switching import is_enabled
from jaxeager.nn import Layer

if TYPE_CHECKING:
    from os import PathLike


# The settings of Paddle's save. Only "output_spec" and "skip_forward" change the result.
_CONFIGS = (
    "clip_extra", "combine_params", "input_names_after_prune", "output_spec", "separate_parameters",
    "skip_forward", "skip_prune_program", "with_hook",
)  # fmt: skip


def save(
    layer: Layer | Callable,
    path: str | PathLike,
    input_spec: Sequence[object] | None = None,
    **configs: Any,
) -> None:
    """Write a Layer or a function as a program that ``load``, and plain JAX, can run.

    The program is the one for inference, whatever mode the Layer is in: as after ``eval()``, and
    nothing is dropped. It accepts any size where the InputSpec has None, and runs on CPU, CUDA and
    TPU. Random numbers are drawn again in each run. Buffers that it writes have their new values
    within a run, and are not kept. ``if`` and ``while`` on tensors become branches and loops of the
    program (docs/compiling.md). The files are ``path.signature.json``, ``path.forward.stablehlo``
    and ``path.safetensors`` (``path.pdparams`` without the package safetensors). ``path.json`` has
    the graph in the form of Paddle's file of that name, for Netron to show; nothing here reads it.

    Args:
        layer: a Layer, or a function. For a Layer its forward is saved, and every further method
            that is marked by ``to_static``; for a function no parameters are saved.
        path: the beginning of the names of the files.
        input_spec: for each argument an ``InputSpec``, a tensor as an example, lists and dicts of
            such, or a value that becomes part of the program. By default that of ``to_static`` is
            used, or the arguments of the last call of the marked function; then the first size of
            each tensor is left open, if the function works with that.
        **configs: ``output_spec``, the numbers of the outputs to keep; ``skip_forward=True`` saves
            only the other methods. Paddle's further settings are accepted and change nothing.

    Raises:
        InvalidTypeError: when it is neither a Layer nor a function, or the input_spec is not a
            list.
        InvalidArgumentError: when the path does not name a file, the arguments of the function are
            unknown, or the input_spec has more or fewer arguments than the function.
        UnimplementedError: when the function reads values of tensors, or does not work with unknown
            sizes.
        PreconditionNotMetError: after ``enable_to_static(False)``.
        UnavailableError: when the package flatbuffers is not installed.

    Paddle: an input may be unrelated to the outputs, and names of the weights are those of the
    Layer's state dict.

    Example:
        >>> import tempfile
        >>> import jaxeager as paddle
        >>> net = paddle.nn.Linear(2, 3)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     paddle.jit.save(net, folder + "/net", [paddle.static.InputSpec([None, 2])])
        ...     loaded = paddle.jit.load(folder + "/net")
        >>> x = paddle.ones([4, 2])
        >>> bool((loaded(x) == net(x)).all())
        True
    """
    if not is_enabled():
        raise PreconditionNotMetError(
            "The paddle.jit.save doesn't work when setting 'paddle.jit.enable_to_static' to False."
        )
    for name in configs:
        if name not in _CONFIGS:
            raise InvalidArgumentError(
                f"The additional config ({name}) of `paddle.jit.save` is not supported; it takes "
                f"{', '.join(_CONFIGS)}."
            )
    check_kind(layer, "paddle.jit.save")
    prefix = prefix_of(path, "paddle.jit.save")
    layer = without_parallel(layer)
    owner = owner_of(layer)
    weights = weights_of(owner)
    functions = _functions(layer, input_spec, bool(configs.get("skip_forward")))
    programs = {}
    for name, function in functions.items():
        is_forward = name == "forward" and owner is layer
        traced = traced_of(function, is_forward, owner, input_spec, configs.get("output_spec"))
        program = exported(traced)
        programs[name] = Method(name, program, traced.arguments.names), serialized(program)
    for _, data in programs.values():
        trust(data)
    write_model(prefix, programs, weights)
    _write_graphs(prefix, [method for method, _ in programs.values()])


def _write_graphs(prefix: str, methods: Iterable[Method]) -> None:
    """Write what Netron opens: Note [Programs as Paddle's JSON]."""
    for method in methods:
        ending = ".json" if method.name == "forward" else f".{method.name}.json"
        if ending != SIGNATURE:  # of a method that is called signature
            with writing(prefix + ending) as out:
                out.write(graph_json(graph_of(method)).encode())


def traced_of(
    function: Callable,
    is_forward: bool,
    owner: Layer | None,
    input_spec: Sequence[object] | None,
    outputs: list[int] | None,
) -> Traced:
    """Return the data for the tracing of a function.

    Args:
        function: the function; a StaticFunction knows its arguments.
        is_forward: whether it is traced by calling its Layer.
        owner: the Layer it belongs to.
        input_spec: the user's description of the arguments.
        outputs: the numbers of the outputs to keep; None for all.

    Raises:
        InvalidArgumentError: when the arguments are unknown.
    """
    given, is_recorded = _given(function, input_spec)
    plain = function.dygraph_function if isinstance(function, StaticFunction) else function
    called = owner if is_forward and owner is not None else plain
    arguments = Arguments(plain, given)
    return Traced(called, owner, weights_of(owner), arguments, is_recorded, outputs, set())


def check_kind(layer: object, caller: str) -> None:
    """Raise an error for anything but a Layer or a function; warn of a function without a Layer."""
    if isinstance(layer, Layer):
        return
    if not inspect.isfunction(layer) and not isinstance(layer, StaticFunction):
        raise InvalidTypeError(
            f"The input of {caller} should be 'Layer' or 'Function', but received input type "
            f"is {type(layer)}."
        )
    if owner_of(layer) is None:
        warn(
            "What is saved is a function: tensors that it does not take as arguments are constants "
            "of the program, and the loaded program has no parameters. Save the Layer to keep them."
        )


def without_parallel(layer: Layer | Callable) -> Layer | Callable:
    """Return the Layer within a DataParallel, and any other as it is."""
    if not hasattr(layer, "_layers"):
        return layer
    from jaxeager.distributed import DataParallel  # to_static works without it

    return layer._layers if isinstance(layer, DataParallel) else layer


def owner_of(function: object) -> Layer | None:
    """Return the Layer that is given, or to which a marked method belongs."""
    owner = function if isinstance(function, Layer) else getattr(function, "class_instance", None)
    return owner if isinstance(owner, Layer) else None


def _functions(
    layer: Layer | Callable, input_spec: object, skips_forward: bool
) -> dict[str, Callable]:
    """Return the functions to save, by name: a Layer's forward and its other marked methods."""
    if not isinstance(layer, Layer):
        return {"forward": layer}
    names = {*vars(type(layer)), *vars(layer)}.union(*[vars(c) for c in type(layer).__mro__])
    others = {
        name: getattr(layer, name)
        for name in sorted(names - {"forward"})
        if isinstance(_member(layer, name), StaticFunction)
    }
    if others and input_spec is not None:
        raise InvalidArgumentError(
            "If there are static functions other than 'forward' that need to be saved, the input "
            f"'input_spec' should be None, but received the type of 'input_spec' is "
            f"{type(input_spec)}."
        )
    return others if skips_forward else {"forward": layer.forward, **others}


def _member(layer: Layer, name: str) -> object:
    """Return an attribute as defined, without evaluating properties."""
    return vars(layer).get(name, inspect.getattr_static(type(layer), name, None))


def _given(function: Callable, input_spec: object) -> tuple[Recorded, bool]:
    """Return the arguments of a function, and whether they are from a call of it."""
    if input_spec is None:
        input_spec = getattr(function, "input_spec", None)
    if input_spec is not None:
        return given_specs(input_spec), False
    called = getattr(function, "called", None)
    if called is None:
        name = getattr(function, "__name__", type(function).__name__)
        raise InvalidArgumentError(
            f"No valid transformed program for function: {name}, input_spec: None. Give "
            "paddle.jit.save an input_spec; or mark the function with @paddle.jit.to_static, with "
            "an input_spec or called once."
        )
    return called, True
