"""VisualDL: a callback that writes losses and metrics for the VisualDL program to draw."""

from __future__ import annotations

import numbers
from typing import TYPE_CHECKING, Any

from jaxeager.errors import UnavailableError
from jaxeager.hapi.callback import Callback
from jaxeager.utils.requirements import try_import

if TYPE_CHECKING:
    from collections.abc import Mapping


class VisualDL(Callback):
    """A callback that writes losses and metrics of training and evaluation with ``visualdl``.

    Each is a curve: ``train/loss`` over the steps, ``eval/acc`` over the epochs.

    Args:
        log_dir: the folder to write to; ``visualdl --logdir`` draws its content.

    Raises:
        UnavailableError: when training begins and the package ``visualdl`` is not installed.

    Example:
        >>> import jaxeager as paddle
        >>> callback = paddle.callbacks.VisualDL("visualdl_log")
        >>> model.fit(data, callbacks=callback)  # doctest: +SKIP
    """

    def __init__(self, log_dir: str):
        super().__init__()
        self.log_dir = log_dir
        self.epochs = self.steps = None
        self.epoch = self.train_step = 0
        self.train_metrics: list[str] = []
        self.eval_metrics: list[str] = []
        self.writer: Any = None
        self._is_fit = False

    def _open(self) -> None:
        if self.writer is None:
            try:
                package = try_import("visualdl")
            except ImportError as error:
                raise UnavailableError(
                    "paddle.callbacks.VisualDL writes with the package visualdl, which is not "
                    "installed: `pip install visualdl`, or leave the callback out."
                ) from error
            self.writer = package.LogWriter(self.log_dir)

    def _close(self) -> None:
        if self.writer is not None:
            self.writer.close()
            self.writer = None

    def _write(self, kind: str, names: list[str], step: int, logs: Mapping | None) -> None:
        for name in names:
            value = (logs or {}).get(name)
            value = value[0] if isinstance(value, (list, tuple)) else value
            if isinstance(value, numbers.Number):
                self.writer.add_scalar(tag=f"{kind}/{name}", step=step, value=value)

    def on_train_begin(self, logs=None):
        """Open the folder."""
        self._open()
        self.epochs, self.train_metrics = self.params["epochs"], self.params["metrics"]
        self._is_fit, self.train_step = True, 0

    def on_epoch_begin(self, epoch, logs=None):
        """Store the number of the epoch."""
        self.steps, self.epoch = self.params["steps"], epoch

    def on_train_batch_end(self, step, logs=None):
        """Write the losses and metrics of a step."""
        self.train_step += 1
        self._write("train", self.train_metrics, self.train_step, logs)

    def on_train_end(self, logs=None):
        """Close the folder."""
        self._close()

    def on_eval_begin(self, logs=None):
        """Store the names of the measured values."""
        self._open()
        self.eval_metrics = (logs or {}).get("metrics", [])

    def on_eval_end(self, logs=None):
        """Write the losses and metrics of an evaluation."""
        self._write("eval", self.eval_metrics, self.epoch, logs)
        if not self._is_fit:
            self._close()
