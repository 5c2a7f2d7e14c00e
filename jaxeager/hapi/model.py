"""Model: a network with its optimizer, loss and metrics, to train, evaluate and predict."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

import jaxeager as paddle
from jaxeager.errors import (
    InvalidArgumentError,
    InvalidTypeError,
    RefusedArgumentError,
    RefusedTypeError,
)
from jaxeager.hapi.callbacks import EarlyStopping, configured
from jaxeager.hapi.loaders import checked_iters, length_of, loader_of, two_sizes
from jaxeager.hapi.model_files import load_model, save_model, seen
from jaxeager.hapi.model_summary import summary
from jaxeager.hapi.precision import Precision
from jaxeager.metric import Metric
from jaxeager.tensor import Tensor
from jaxeager.utils.structure import flatten

if TYPE_CHECKING:
    from jaxeager.hapi.callback import Callback
    from jaxeager.io import DataLoader, Dataset
    from jaxeager.nn.layer.layer import Layer
    from jaxeager.optimizer.optimizer import Optimizer
    from jaxeager.static.input_spec import InputSpec
    from jaxeager.tensor.tensor import Parameter


def _listed(value) -> list:
    """Return a list of an argument that may be one value, several, or None."""
    if value is None:
        return []
    return list(value) if isinstance(value, (list, tuple)) else [value]


def _tensors(values) -> list[Tensor]:
    return [each if isinstance(each, Tensor) else paddle.to_tensor(each) for each in values]


def _arrays(values) -> list[np.ndarray]:
    """Return values as NumPy arrays; wait for the device."""
    return [each.numpy() if isinstance(each, Tensor) else np.asarray(each) for each in values]


class Model:
    """A network with the methods to train, evaluate and predict.

    Args:
        network: a Layer.
        inputs: the inputs of the network: a list, or one, of specifications with ``shape`` and
            ``name``. Their number determines which parts of a batch are inputs and which labels. By
            default as many as ``network.forward`` has parameters.
        labels: specifications of the labels, likewise.

    Raises:
        InvalidTypeError: when the network is not a Layer.
        InvalidArgumentError: for a specification without a name.

    Example:
        >>> import jaxeager as paddle
        >>> model = paddle.Model(paddle.nn.Linear(2, 1))
        >>> optimizer = paddle.optimizer.SGD(0.1, parameters=model.parameters())
        >>> model.prepare(optimizer, paddle.nn.MSELoss())
        >>> data = paddle.io.TensorDataset([paddle.ones([8, 2]), paddle.zeros([8, 1])])
        >>> model.fit(data, batch_size=4, epochs=2, verbose=0)
        >>> sorted(model.evaluate(data, batch_size=4, verbose=0))
        ['loss']
    """

    def __init__(
        self,
        network: Layer,
        inputs: InputSpec | Sequence[InputSpec] | dict[str, InputSpec] | None = None,
        labels: InputSpec | Sequence[InputSpec] | None = None,
    ):
        if not hasattr(network, "forward"):
            raise InvalidTypeError(f"Model takes a paddle.nn.Layer, but received {network!r}.")
        self.mode = "train"
        self.network = network
        self.stop_training = False
        self._has_specs = inputs is not None
        self._inputs = self._checked_specs(inputs)
        self._labels = self._checked_specs(labels) if labels is not None else []
        self._optimizer = self._loss = None
        self._metrics: list = []
        self._precision = Precision(None)
        self._is_prepared = False
        self._seen: list | None = None  # the specifications of the inputs of the first batch
        self._left = None  # how many batches are left, None for any number

    def _checked_specs(self, specs) -> list:
        names = list(inspect.signature(self.network.forward).parameters)
        if specs is None:
            return names
        if isinstance(specs, dict):
            specs = [specs[name] for name in names]
        for number, spec in enumerate(_listed(specs)):
            if getattr(spec, "name", None) is None:
                raise InvalidArgumentError(
                    f"Requires Input[{number}].name != None, but receive `None` with {spec}."
                )
        return _listed(specs)

    # ---- setting up

    def prepare(
        self,
        optimizer: Optimizer | None = None,
        loss: Layer | Callable[[Tensor, Tensor], Tensor] | None = None,
        metrics: Metric | list[Metric] | None = None,
        amp_configs: str | dict[str, Any] | None = None,
    ) -> None:
        """Set the optimizer, loss and metrics.

        Args:
            optimizer: the optimizer; required for training.
            loss: a Layer or function of outputs and labels; required for training.
            metrics: a Metric, or a list of them.
            amp_configs: mixed precision: "O1", "O2", or a dict of "level", the custom lists of
                ``paddle.amp.auto_cast`` and the settings of ``paddle.amp.GradScaler``.

        Raises:
            InvalidTypeError: when the optimizer is not one, or the loss cannot be called.
            RefusedTypeError: when a metric is not a Metric.
            InvalidArgumentError: for an unknown level or setting of mixed precision.
        """
        if optimizer is not None and not hasattr(optimizer, "step"):
            raise InvalidTypeError(f"prepare takes an Optimizer, but received {optimizer!r}.")
        if loss is not None and not callable(loss):
            raise InvalidTypeError(
                "'loss' must be sub classes of `paddle.nn.Layer` or any callable function, but "
                f"received {loss!r}."
            )
        for metric in _listed(metrics):
            if not isinstance(metric, Metric):
                raise RefusedTypeError(f"{type(metric).__name__} is not sub class of Metric")
        self._optimizer, self._loss, self._metrics = optimizer, loss, _listed(metrics)
        self._precision = Precision(amp_configs)
        self._is_prepared = True

    def parameters(self, *args: Any, **kwargs: Any) -> list[Parameter]:
        """Return the parameters of the network."""
        return self.network.parameters(*args, **kwargs)

    def summary(
        self,
        input_size: Sequence[int] | InputSpec | list[Sequence[int] | InputSpec] | None = None,
        dtype: str | Sequence[str] | None = None,
    ) -> dict[str, int]:
        """Print a table of the network's layers; see ``paddle.summary``.

        Args:
            input_size: the shape of the input, or a list of shapes; those of ``inputs`` when None.
            dtype: the dtype of each input.

        Raises:
            RefusedArgumentError: when no input size is known.
        """
        if input_size is None and not self._has_specs:
            raise RefusedArgumentError("'input_size' or 'self._input' must be set")
        return summary(self.network, self._inputs if input_size is None else input_size, dtype)

    # ---- one batch

    def train_batch(self, inputs: Any, labels: Any = None, update: bool = True) -> Any:
        """Train on one batch.

        Args:
            inputs: a tensor or array, or a list of them.
            labels: the same.
            update: whether to update the parameters; otherwise gradients accumulate.

        Returns:
            the losses, a list of arrays; with metrics, (losses, the result of each metric's
            update).

        Raises:
            RefusedArgumentError: when there is no optimizer or no loss.
        """
        self._check_ready(trains=True)
        self.mode = "train"
        self.network.train()
        labels = _tensors(_listed(labels))
        with self._precision.casting():
            outputs = self.network(*self._taken(inputs))
        losses = _listed(self._loss(*_listed(outputs), *labels))  # type: ignore[misc]
        total = paddle.add_n(losses)
        self._precision.run_backward(total)
        if update:
            self._precision.update(self._optimizer, total)
            self.network.clear_gradients()
        return self._results(losses, outputs, labels)

    def eval_batch(self, inputs: Any, labels: Any = None) -> Any:
        """Evaluate one batch, without gradients.

        Args:
            inputs: a tensor or array, or a list of them.
            labels: the same.

        Returns:
            the losses, a list of arrays; with metrics, (losses, the result of each metric's
            update); without a loss, only the latter.
        """
        self.mode = "eval"
        self.network.eval()
        labels = _tensors(_listed(labels))
        with paddle.no_grad():
            outputs = self.network(*self._taken(inputs))
            losses = _listed(self._loss(*_listed(outputs), *labels)) if self._loss else None
            return self._results(losses, outputs, labels)

    def predict_batch(self, inputs: Any) -> list[np.ndarray]:
        """Return the network's outputs for one batch, a list of arrays.

        Args:
            inputs: a tensor or array, or a list of them.
        """
        self.mode = "test"
        self.network.eval()
        with paddle.no_grad():
            return _arrays(_listed(self.network(*self._taken(inputs))))

    def _taken(self, inputs) -> list[Tensor]:
        """Return the inputs of a batch as tensors; keep the specifications of the first batch."""
        tensors = _tensors(_listed(inputs))
        if self._seen is None:
            self._seen = seen(tensors)
        return tensors

    def _results(self, losses, outputs, labels: list):
        """Update the metrics with a batch, and return the result of train_batch and eval_batch."""
        found = []
        for metric in self._metrics:
            computed = metric.compute(*_listed(outputs), *labels)
            found.append(metric.update(*_arrays(_listed(computed))))
        if losses is None:
            return found
        return (_arrays(losses), found) if found else _arrays(losses)

    # ---- many batches

    def fit(
        self,
        train_data: Dataset | DataLoader | None = None,
        eval_data: Dataset | DataLoader | None = None,
        batch_size: int | Sequence[int] = 1,
        epochs: int = 1,
        eval_freq: int = 1,
        log_freq: int = 10,
        save_dir: str | None = None,
        save_freq: int = 1,
        verbose: int = 2,
        drop_last: bool = False,
        shuffle: bool = True,
        num_workers: int = 0,
        callbacks: Sequence[Callback] | Callback | None = None,
        accumulate_grad_batches: int = 1,
        num_iters: int | None = None,
    ) -> None:
        """Train on all batches of a dataset, for several epochs.

        Args:
            train_data: a Dataset, a DataLoader, or an iterable of batches.
            eval_data: data for evaluations, likewise; None for no evaluations.
            batch_size: the batch size for a Dataset; a list of two for training and evaluation.
            epochs: the number of passes over the data.
            eval_freq: the number of epochs between evaluations.
            log_freq: the number of batches between prints.
            save_dir: where to save the model; None saves nothing.
            save_freq: the number of epochs between saves.
            verbose: how much to print, 0 to 3; see ProgBarLogger.
            drop_last: whether to drop a last batch that is not full.
            shuffle: read a Dataset in an order that depends on the epoch.
            num_workers: processes that load data; see DataLoader.
            callbacks: a Callback, or a list of them.
            accumulate_grad_batches: the number of batches between updates of the parameters.
            num_iters: the total number of batches, instead of ``epochs``.

        Raises:
            RefusedArgumentError: without data, or for an invalid number.
        """
        if train_data is None:
            raise RefusedArgumentError("train_data must be given!")
        self._check_ready(trains=True)
        train_size, eval_size = two_sizes(batch_size)
        loader = loader_of(train_data, train_size, num_workers, shuffle, drop_last)
        eval_loader = loader_of(eval_data, eval_size, num_workers)
        steps = length_of(loader)
        if num_iters is not None and steps is not None:
            epochs, steps = checked_iters(num_iters) // steps + 1, min(num_iters, steps)
        self._left, self.stop_training = num_iters, False
        run = configured(
            callbacks, self, epochs=epochs, steps=steps, log_freq=log_freq, save_freq=save_freq,
            save_dir=save_dir, verbose=verbose, metrics=self._names(),
        )  # fmt: skip
        if eval_loader is None and any(isinstance(c, EarlyStopping) for c in run.callbacks):
            warnings.warn("EarlyStopping needs validation data.", stacklevel=2)
        logs: dict = {}
        run.call("train_begin", None)
        for epoch in range(epochs):
            run.call("epoch_begin", epoch, None)
            logs, _ = self._run_epoch(loader, run, "train", accumulate_grad_batches)
            run.call("epoch_end", epoch, logs)
            if eval_loader is not None and epoch % eval_freq == 0:
                self._evaluate(eval_loader, run, length_of(eval_loader))
            if self.stop_training:
                break
        run.call("train_end", logs)

    def evaluate(
        self,
        eval_data: Dataset | DataLoader,
        batch_size: int = 1,
        log_freq: int = 10,
        verbose: int = 2,
        num_workers: int = 0,
        callbacks: Sequence[Callback] | Callback | None = None,
        num_iters: int | None = None,
    ) -> dict[str, float | np.ndarray]:
        """Evaluate all batches of a dataset.

        Args:
            eval_data: a Dataset, a DataLoader, or an iterable of batches.
            batch_size: the batch size for a Dataset.
            log_freq: the number of batches between prints.
            verbose: how much to print, 0 to 3; see ProgBarLogger.
            num_workers: processes that load data; see DataLoader.
            callbacks: a Callback, or a list of them.
            num_iters: the greatest number of batches to evaluate.

        Returns:
            a dict: "loss", the losses of the last batch, and each metric over all of them.
        """
        self._check_ready()
        loader = loader_of(eval_data, batch_size, num_workers)
        steps = length_of(loader)
        if num_iters is not None and steps is not None:
            steps = num_iters = min(checked_iters(num_iters), steps)
        self._left = num_iters
        run = configured(callbacks, self, log_freq=log_freq, verbose=verbose, metrics=self._names())
        logs = self._evaluate(loader, run, steps)
        return {name: logs[name] for name in self._names()}

    def predict(
        self,
        test_data: Any,
        batch_size: int = 1,
        num_workers: int = 0,
        stack_outputs: bool = False,
        verbose: int = 1,
        callbacks: Callback | Sequence[Callback] | None = None,
    ) -> Any:
        """Return the network's outputs for all batches of a dataset.

        Args:
            test_data: a Dataset, a DataLoader, or an iterable of batches; labels are left out.
            batch_size: the batch size for a Dataset.
            num_workers: processes that load data; see DataLoader.
            stack_outputs: whether to join the batches.
            verbose: how much to print, 0 to 3; see ProgBarLogger.
            callbacks: a Callback, or a list of them.

        Returns:
            for each output of the network, a tuple with the array of each batch, or one array.
        """
        self._check_ready()
        loader = loader_of(test_data, batch_size, num_workers)
        run = configured(callbacks, self, verbose=verbose)
        self._left = None
        run.call("predict_begin", {"steps": length_of(loader)})
        logs, outputs = self._run_epoch(loader, run, "predict")
        columns = list(zip(*outputs, strict=True))
        if stack_outputs:
            columns = [np.vstack(column) for column in columns]
        run.call("predict_end", logs)
        return columns

    def _evaluate(self, loader, run, steps) -> dict:
        run.call("eval_begin", {"steps": steps, "metrics": self._names()})
        logs, _ = self._run_epoch(loader, run, "eval")
        run.call("eval_end", logs)
        return logs

    def _check_ready(self, trains: bool = False) -> None:
        """Raise RefusedArgumentError before ``prepare``; training needs an optimizer and a loss."""
        if not self._is_prepared or (trains and None in (self._optimizer, self._loss)):
            end = ", with an optimizer and a loss" if trains else ""
            raise RefusedArgumentError(f"model not ready, please call `model.prepare()` first{end}")

    def _run_epoch(self, loader, run, mode: str, accumulate: int = 1) -> tuple[dict, list]:
        """Run all batches; return the values after the last one, and all outputs."""
        logs: dict = {}
        outputs, steps = [], length_of(loader)
        for step, batch in enumerate(loader):
            data = flatten(batch)
            run.call(f"{mode}_batch_begin", step, logs)
            inputs, labels = data[: len(self._inputs)], data[len(self._inputs) :]
            if mode == "predict":
                outputs.append(self.predict_batch(inputs))
            elif mode == "train":
                update = (step + 1) % accumulate == 0 or step + 1 == steps
                self._note(logs, self.train_batch(inputs, labels, update))
            else:
                self._note(logs, self.eval_batch(inputs, labels))
            logs |= {"step": step, "batch_size": data[0].shape[0]}
            run.call(f"{mode}_batch_end", step, logs)
            if self._is_last(mode):
                break
        for metric in self._metrics:
            metric.reset()
        return logs, outputs

    def _note(self, logs: dict, results) -> None:
        """Add a batch's losses and the current metrics to the values."""
        found = []
        if self._loss:
            losses = results[0] if self._metrics else results
            found.append([float(loss) for loss in losses])
        for metric in self._metrics:
            found.extend(_listed(metric.accumulate()))
        logs.update(zip(self._names(), found, strict=True))

    def _names(self) -> list[str]:
        """Return the names of the values: "loss" and the metrics'."""
        names = ["loss"] if self._loss else []
        return names + [name for metric in self._metrics for name in _listed(metric.name())]

    def _is_last(self, mode: str) -> bool:
        """Count a batch; return whether it was the last of ``num_iters``."""
        if self._left is None or mode == "predict":
            return False
        self._left -= 1
        if self._left > 0:
            return False
        self._left, self.stop_training = None, self.stop_training or mode == "train"
        return True

    # ---- files

    def save(self, path: str, training: bool = True) -> None:
        """Save the network as ``<path>.pdparams``, and the optimizer as ``<path>.pdopt``.

        Args:
            path: the target, without an ending.
            training: False saves a program that runs without the class instead, by
                ``paddle.jit.save``; its inputs are those given to the Model, or those of a batch it
                has run.

        Raises:
            PreconditionNotMetError: when ``training`` is False and the inputs are not known.
            UnimplementedError: when the network cannot be a program; see ``paddle.jit.save``.
        """
        save_model(self, path, training)

    def load(self, path: str, skip_mismatch: bool = False, reset_optimizer: bool = False) -> None:
        """Load the files that ``save`` wrote.

        Args:
            path: the path without an ending, or with ".pdparams" or ".pdopt".
            skip_mismatch: warn of parameters that are missing or have another shape, and leave them
                as they are; then do not load the optimizer.
            reset_optimizer: do not load the optimizer.

        Raises:
            RefusedArgumentError: for any other ending, or when there is no such file.
            InvalidArgumentError: for a parameter that is missing or has another shape.
        """
        load_model(self, path, skip_mismatch, reset_optimizer)
