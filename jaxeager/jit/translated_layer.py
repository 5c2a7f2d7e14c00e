"""load, and the Layer that it returns: programs of ``jit.save`` with their weights."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MethodType
from typing import TYPE_CHECKING, Any, NoReturn

import jax
import numpy as np
from jax.export import Exported

from jaxeager.arrays import random
from jaxeager.core.open_conditions import broken_condition
from jaxeager.core.symbolic import is_symbolic
from jaxeager.errors import (
    InvalidArgumentError,
    InvalidTypeError,
    UnavailableError,
    UnimplementedError,
)
from jaxeager.jax_bridge.from_jax import from_jax
from jaxeager.jit.saved_model.checked_programs import can_run_here
from jaxeager.jit.saved_model.files import SIGNATURE, Method, Model, prefix_of, read_model
from jaxeager.jit.static_function import StaticFunction
from jaxeager.nn import Layer
from jaxeager.static.input_spec import InputSpec
from jaxeager.tensor import Parameter, Tensor, to_tensor
from jaxeager.utils import unique_name

if TYPE_CHECKING:
    from os import PathLike

    from jax.core import ShapedArray


class _SavedMethod(StaticFunction):
    """A method that is a saved program: a call of it captures nothing."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._function(*args, **kwargs)


class TranslatedLayer(Layer):
    """A Layer read by ``load``: it runs a program, and has its parameters and buffers.

    Calling it returns the tensor that the saved function returned, or a list of them. A call is one
    node of the graph: gradients go to inputs and parameters, so it can be trained further. The
    program is the one for inference, in ``train()`` as in ``eval()``: nothing is dropped, and
    running statistics do not change.

    Args:
        programs: the methods from ``load``, by name.
        persistable_vars: the weights by name, each with its entry in the signature.

    Raises:
        InvalidTypeError: when they are of other types; ``load`` makes them.

    Paddle: weights have the names of the saved Layer's state dict, and sizes that are numbers in an
    InputSpec are enforced.

    Example:
        >>> import tempfile
        >>> import jaxeager as paddle
        >>> net = paddle.nn.Sequential(paddle.nn.Linear(2, 3), paddle.nn.ReLU())
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     paddle.jit.save(net, folder + "/net", [paddle.static.InputSpec([None, 2])])
        ...     loaded = paddle.jit.load(folder + "/net")
        >>> sorted(loaded.state_dict()), loaded.training
        (['0.bias', '0.weight'], False)
        >>> loaded(paddle.ones([1, 2])).sum().backward()
        >>> loaded.parameters()[0].grad.shape
        paddle.Size([2, 3])
    """

    def __init__(self, programs: Mapping[str, Method], persistable_vars: Model):
        super().__init__()
        if not isinstance(persistable_vars, Model):
            raise InvalidTypeError("A TranslatedLayer is made by paddle.jit.load(path).")
        self._methods = dict(programs)
        self._weights = _placed(self, persistable_vars)
        self._ops: dict[str, Callable] = {}
        for name, method in self._methods.items():
            self._ops[name] = from_jax(_caller(method), name=f"saved_{name}")
            vars(self)[name] = _SavedMethod(_bound(self, name), _specs(method))
        super().eval()

    def forward(self, *inputs: Tensor | np.ndarray) -> Tensor | list[Tensor]:
        """Run the program; raise when the forward was left out (``skip_forward``)."""
        return self._run("forward", inputs)

    def _run(self, name: str, inputs: Sequence[Tensor | np.ndarray]) -> Tensor | list[Tensor]:
        found = self.outputs_of(name, inputs)
        return found[0] if len(found) == 1 else found

    def outputs_of(self, name: str, inputs: Sequence[Tensor | np.ndarray]) -> list[Tensor]:
        """Return the outputs of a method, always a list.

        Args:
            name: the method's name.
            inputs: tensors or arrays.

        Raises:
            InvalidTypeError: for an input that is neither.
            InvalidArgumentError: for more or fewer inputs than were saved, or for another shape or
                dtype.
            UnavailableError: when the program has no kernels for the present platform.
        """
        method = self.method(name)
        tensors = _checked_inputs(method, inputs)
        words = random.words_of(random.next_key()) if method.draws else random.no_key()
        return self._ops[name](self._weights, tensors, words)

    def method(self, name: str) -> Method:
        """Return a saved method: its program and the names of its inputs.

        Raises:
            InvalidArgumentError: when there is none of that name.
        """
        if name not in self._methods:
            raise InvalidArgumentError(
                f"The method `{name}` does not exist in loaded TranslatedLayer; there are "
                f"{sorted(self._methods)}."
            )
        return self._methods[name]

    def exported(self, method_name: str = "forward") -> Exported:
        """Return a program in JAX's form: ``exported().call(weights, [input], key_words)``.

        Args:
            method_name: the method's name.

        Raises:
            InvalidArgumentError: when there is none of that name.
        """
        return self.method(method_name).program

    def _input_spec(self, method_name: str = "forward") -> list[InputSpec]:
        """Return name, shape and dtype of each input of a method, as saved."""
        return _specs(self.method(method_name))

    def _output_spec(self, method_name: str = "forward") -> list[InputSpec]:
        """Return shape and dtype of each output of a method."""
        avals = self.method(method_name).program.out_avals
        return [_spec(aval, f"output_{number}") for number, aval in enumerate(avals)]

    def program(self, method_name: str = "forward") -> NoReturn:
        """Raise an error: there are no programs of Paddle.

        Args:
            method_name: the method's name.

        Raises:
            UnimplementedError: always.
        """
        raise UnimplementedError(
            "There are no static programs of Paddle here. exported() returns the program in "
            "JAX's form, and exported().mlir_module() its text."
        )


def load(path: str | PathLike, **configs: object) -> TranslatedLayer:
    """Return the Layer that ``save`` wrote. No content of a file is run when it is read.

    Args:
        path: the path given to ``save``.
        **configs: Paddle's ``model_filename`` and ``params_filename``, without effect here.

    Raises:
        InvalidTypeError: when the path is not one.
        InvalidArgumentError: when there are no such files, one is damaged, or it contains a program
            with steps that no saved program has.
        UnavailableError: when a package to read one of them is missing.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.jit.load("nowhere/net")
        Traceback (most recent call last):
            ...
        jaxeager.errors.InvalidArgumentError: (InvalidArgument) The ``path`` (nowhere/net) to...
    """
    for name in configs:
        if name not in ("model_filename", "params_filename"):
            raise InvalidArgumentError(
                f"The additional config ({name}) of `paddle.jit.load` is not supported."
            )
    prefix = prefix_of(path, "paddle.jit.load")
    model = read_model(prefix)
    try:
        return TranslatedLayer(model.methods, model)
    except (AttributeError, KeyError, TypeError, ValueError) as error:  # names that no Layer has
        raise InvalidArgumentError(
            f"{prefix}{SIGNATURE} names weights or methods that no Layer can have: "
            f"{type(error).__name__}: {error}."
        ) from error


# ---- construction


def _placed(root: Layer, model: Model) -> dict[str, Tensor]:
    """Store the weights in a Layer and its sublayers, under their names.

    Returns:
        the weights for the programs, by name.
    """
    taken = {}
    for name, value in model.weights.items():
        entry = model.entries[name]
        tensor_name = unique_name.generate(str(entry["tensor_name"]))
        stops = bool(entry["stop_gradient"])
        if entry["kind"] == "parameter":
            tensor: Tensor = Parameter(value._array, trainable=not stops, name=tensor_name)
        else:
            tensor = value
            tensor.stop_gradient, tensor.name = stops, tensor_name
        for full in (name, *entry["also"]):
            layer, last = layer_of(root, full)
            if isinstance(tensor, Parameter):
                layer._parameters[last] = tensor
            else:
                layer.register_buffer(last, tensor, persistable=bool(entry["persistable"]))
        taken[name] = tensor
    return taken


def layer_of(root: Layer, name: str) -> tuple[Layer, str]:
    """Return the Layer to which "block.0.weight" belongs, and "weight"."""
    *parts, last = name.split(".")
    for part in parts:
        if part not in root._sub_layers:
            root._sub_layers[part] = Layer()
        root = root._sub_layers[part]
    return root, last


def _caller(method: Method) -> Callable:
    program = method.program

    def call(weights: dict, inputs: list, words: jax.Array) -> Any:
        return program.call(weights, inputs, words)

    if program.has_vjp():
        return call
    without_gradients = jax.custom_vjp(call)
    without_gradients.defvjp(lambda *given: (call(*given), None), _refuse_gradients)
    return without_gradients


def _refuse_gradients(*_: object) -> NoReturn:
    raise UnimplementedError(
        "The program was saved without its derivative: one of its steps has no derivative, or "
        "none for sizes that are unknown (a convolution over an image of any size). Save it with "
        "numbers in the InputSpec, or call it under paddle.no_grad()."
    )


def _bound(layer: TranslatedLayer, name: str) -> Callable:
    """Return a method of a Layer, which becomes a copy's own method when the Layer is copied."""

    def run(self: TranslatedLayer, *inputs: Tensor | np.ndarray) -> Tensor | list[Tensor]:
        return self._run(name, inputs)

    run.__name__ = run.__qualname__ = name
    return MethodType(run, layer)


def _specs(method: Method) -> list[InputSpec]:
    pairs = zip(method.inputs, method.input_avals, strict=True)
    return [_spec(aval, name) for name, aval in pairs]


def _spec(aval: ShapedArray, name: str) -> InputSpec:
    return InputSpec([None if is_symbolic(n) else n for n in aval.shape], aval.dtype, name)


# ---- calls


def _checked_inputs(method: Method, inputs: Sequence[Tensor | np.ndarray]) -> list[Tensor]:
    if not can_run_here(method.program):
        raise UnavailableError(
            f"The program was saved for {', '.join(method.program.platforms)}, but this machine "
            f"has {jax.export.default_export_platform()}. Save it again on such a machine."
        )
    if len(inputs) != len(method.inputs):
        raise InvalidArgumentError(
            f"{method.name} takes {len(method.inputs)} inputs ({', '.join(method.inputs)}), but "
            f"received {len(inputs)}. Lists and dicts are flattened: pass their tensors."
        )
    sizes: dict[str, tuple[int, str]] = {}
    named = zip(method.inputs, method.input_avals, inputs, strict=True)
    tensors = [_checked(name, aval, value, sizes) for name, aval, value in named]
    _check_conditions(method, sizes)
    return tensors


def _check_conditions(method: Method, sizes: dict[str, tuple[int, str]]) -> None:
    """Raise where sizes break the conditions of the program: see saved_model/open_sizes.py.

    Args:
        method: the called method.
        sizes: by the text of an open size its value, and the input that it is in.
    """
    avals = method.input_avals
    open_ones = {str(n): n for aval in avals for n in aval.shape if is_symbolic(n)}
    for text, (given, name) in sizes.items():
        broken = broken_condition(open_ones[text], given, method.bounds)
        if broken is not None:
            raise InvalidArgumentError(
                f"{method.name} was saved for {broken}, but {text} is {given} in {name}. The "
                "saved function refuses such a size too, or was not traced for it; save it again "
                "with that number in its InputSpec."
            )


def _checked(name: str, aval: ShapedArray, value: object, sizes: dict) -> Tensor:
    if not isinstance(value, (Tensor, np.ndarray)):
        raise InvalidTypeError(
            f"The type of input in TranslatedLayer must be numpy array or Tensor, but {name} is a "
            f"{type(value).__name__}."
        )
    tensor = value if isinstance(value, Tensor) else to_tensor(value)
    shape = tuple(tensor.shape)
    wanted = f"{aval.dtype}[{', '.join(map(str, aval.shape))}]"
    if tensor._array.dtype != aval.dtype or len(shape) != len(aval.shape):
        raise InvalidArgumentError(
            f"{name} was saved as {wanted}, but received {tensor._array.dtype}{list(shape)}."
        )
    for size, given in zip(aval.shape, shape, strict=True):
        if not is_symbolic(size):
            known, where = size, ""
        elif given < 1:
            raise InvalidArgumentError(f"{name} ({wanted}) must not be empty: {list(shape)}.")
        else:
            known, where = sizes.setdefault(str(size), (given, name))
        if given != known:
            also = f", and {known} in {where}" if where else ""
            raise InvalidArgumentError(
                f"{name} was saved as {wanted}, but received the shape {list(shape)}: {size} is "
                f"{given} in it{also}."
            )
    return tensor
