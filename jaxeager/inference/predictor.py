"""Predictor: runs models that ``paddle.jit.save`` wrote."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence

import jaxeager as paddle
from jaxeager.errors import (
    InvalidArgumentError,
    InvalidTypeError,
    PreconditionNotMetError,
    UnimplementedError,
)
from jaxeager.inference.config import Config
from jaxeager.inference.handles import Tensor
from jaxeager.inference.models import model_of
from jaxeager.jit.translated_layer import TranslatedLayer, load


class Predictor:
    """Runs a model; inputs and outputs are handles by name, or lists of tensors.

    Args:
        config: the model and its device.

    Raises:
        InvalidTypeError: when it is not a Config.
        NotFoundError: when there is no such model.
        InvalidArgumentError: when its files are damaged.

    Paddle: a Config can create any number of Predictors.

    Example:
        >>> import tempfile
        >>> import numpy as np
        >>> import jaxeager as paddle
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     spec = [paddle.static.InputSpec([None, 2], name="x")]
        ...     paddle.jit.save(paddle.nn.Linear(2, 3), folder + "/net", spec)
        ...     config = paddle.inference.Config(folder + "/net.json", folder + "/net.pdiparams")
        ...     predictor = paddle.inference.create_predictor(config)
        >>> predictor.get_input_handle("x").copy_from_cpu(np.ones([4, 2], "float32"))
        >>> predictor.run()
        >>> name = predictor.get_output_names()[0]
        >>> predictor.get_output_handle(name).copy_to_cpu().shape
        (4, 3)
    """

    def __init__(self, config: Config):
        if not isinstance(config, Config):
            raise InvalidTypeError(f"create_predictor takes a Config, but received {config!r}.")
        self._device = config.device()
        with self._at_place():
            prefix, method = model_of(config.model_dir(), config.prog_file())
            self._set_layer(load(prefix), method)

    def _set_layer(self, layer: TranslatedLayer, method: str) -> None:
        self._layer, self._method = layer, method
        saved = layer.method(method)
        inputs = zip(saved.inputs, saved.input_avals, strict=True)
        self._inputs = {name: Tensor(name, aval.dtype) for name, aval in inputs}
        outputs = [(f"fetch_name_{n}", aval) for n, aval in enumerate(saved.program.out_avals)]
        self._outputs = {name: Tensor(name, aval.dtype) for name, aval in outputs}

    @contextlib.contextmanager
    def _at_place(self) -> Iterator[None]:
        """Create tensors on the Config's device inside a ``with`` statement."""
        if self._device is None:
            yield
            return
        before = paddle.get_device()
        paddle.set_device(self._device)
        try:
            yield
        finally:
            paddle.set_device(before)

    def get_input_names(self) -> list[str]:
        """Return the names of the inputs, in order."""
        return list(self._inputs)

    def get_output_names(self) -> list[str]:
        """Return the names of the outputs, in order: "fetch_name_0" and so on."""
        return list(self._outputs)

    def get_input_handle(self, name: str) -> Tensor:
        """Return an input, whose values are to be set.

        Args:
            name: its name.

        Raises:
            PreconditionNotMetError: when there is no input of that name.
        """
        return _named(self._inputs, name, "input")

    def get_output_handle(self, name: str) -> Tensor:
        """Return an output, which has values after a run.

        Args:
            name: its name.

        Raises:
            PreconditionNotMetError: when there is no output of that name.
        """
        return _named(self._outputs, name, "output")

    def run(self, inputs: Sequence[paddle.Tensor] | None = None) -> list[paddle.Tensor] | None:
        """Run the model.

        Args:
            inputs: tensors, one for each input; by default the handles' values are used.

        Returns:
            the outputs, if inputs were passed; else None, and the handles have them.

        Raises:
            InvalidTypeError: when an input is not a tensor.
            InvalidArgumentError: for another number of inputs, or another shape or dtype than the
                saved one.
            PreconditionNotMetError: when an input has no values.
        """
        if inputs is not None:
            self._take(inputs)
        values = [self._brought(handle.value()) for handle in self._inputs.values()]
        with self._at_place(), paddle.no_grad():
            found = self._layer.outputs_of(self._method, values)
        for handle, value in zip(self._outputs.values(), found, strict=True):
            handle.put(value)
        if inputs is None:
            return None
        for name, value in zip(self._outputs, found, strict=True):
            value.name = name
        return found

    def _brought(self, value: paddle.Tensor) -> paddle.Tensor:
        """Return an input on the model's device."""
        return value if self._device is None else value.to(self._device)

    def _take(self, inputs: Sequence[paddle.Tensor]) -> None:
        if len(inputs) != len(self._inputs):
            raise InvalidArgumentError(
                f"wrong feed input size, need {len(self._inputs)} but get {len(inputs)}."
            )
        for handle, value in zip(self._inputs.values(), inputs, strict=True):
            handle.share_external_data(value)

    def clone(self) -> Predictor:
        """Return another Predictor of the same model, which shares its weights."""
        other = object.__new__(Predictor)
        other._device = self._device
        other._set_layer(self._layer, self._method)
        return other

    def clear_intermediate_tensor(self) -> None:
        """Do nothing: XLA keeps nothing between runs."""

    def try_shrink_memory(self) -> int:
        """Return 0: XLA keeps nothing between runs."""
        return 0

    def register_input_hook(self, hook: Callable) -> None:
        """Raise: a compiled program has no observable steps.

        Args:
            hook: a function.

        Raises:
            UnimplementedError: always.
        """
        raise UnimplementedError(_NO_HOOKS)

    def register_output_hook(self, hook: Callable) -> None:
        """Raise: a compiled program has no observable steps.

        Args:
            hook: a function.

        Raises:
            UnimplementedError: always.
        """
        raise UnimplementedError(_NO_HOOKS)


_NO_HOOKS = (
    "A model runs as one compiled program, between whose steps nothing can be called. Run the "
    "Layer itself, with register_forward_post_hook on the layers within."
)


def create_predictor(config: Config) -> Predictor:
    """Return a Predictor of a Config.

    Args:
        config: the model and its device.

    Raises:
        InvalidTypeError: when it is not a Config.
        NotFoundError: when there is no such model.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.inference.create_predictor(paddle.inference.Config("no_such_folder"))
        Traceback (most recent call last):
            ...
        jaxeager.errors.NotFoundError: (NotFound) Cannot open file no_such_folder...
    """
    return Predictor(config)


class PredictorPool:
    """Several Predictors of one model, which share its weights: one for each thread.

    Args:
        config: the model and its device.
        size: the number of Predictors.

    Raises:
        InvalidArgumentError: for fewer than one.
        NotFoundError: when there is no such model.
    """

    def __init__(self, config: Config, size: int):
        if size < 1:
            raise InvalidArgumentError(
                f"The predictor pool size should be greater than 1, but it's ({size})"
            )
        first = Predictor(config)
        self._predictors = [first, *[first.clone() for _ in range(size - 1)]]

    def retrieve(self, idx: int) -> Predictor:
        """Return one of the Predictors.

        Args:
            idx: its number, from 0.

        Raises:
            InvalidArgumentError: when there is no Predictor of that number.
        """
        if not 0 <= idx < len(self._predictors):
            raise InvalidArgumentError(
                f"There are {len(self._predictors)} predictors in the pool, and no {idx}."
            )
        return self._predictors[idx]


def _named(handles: dict[str, Tensor], name: str, kind: str) -> Tensor:
    if name not in handles:
        raise PreconditionNotMetError(
            f"There is no {kind} named {name}; there are {', '.join(handles)}."
        )
    return handles[name]
