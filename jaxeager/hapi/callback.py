"""Callback, whose methods a Model calls to report its progress, and the list of them."""

from typing import Any


class Callback:
    """Base of callbacks: a Model calls these methods as it trains, evaluates and predicts.

    Attributes:
        model: the Model.
        params: a dict: "epochs", "steps", "verbose", "metrics" (their names), "batch_size".

    Example:
        >>> import jaxeager as paddle
        >>> class Losses(paddle.callbacks.Callback):
        ...     def on_train_begin(self, logs=None):
        ...         self.seen = []
        ...
        ...     def on_train_batch_end(self, step, logs=None):
        ...         self.seen += logs["loss"]
    """

    def __init__(self):
        self.model: Any = None
        self.params: dict[str, Any] = {}

    def set_params(self, params):
        """Set the dict of parameters."""
        self.params = params

    def set_model(self, model):
        """Set the Model."""
        self.model = model

    def on_train_begin(self, logs=None):
        """Handle: ``fit`` begins; ``logs`` is None."""

    def on_train_end(self, logs=None):
        """Handle: ``fit`` ends; ``logs`` has the values of the last epoch."""

    def on_eval_begin(self, logs=None):
        """Handle: an evaluation begins; ``logs`` has its "steps" and "metrics"."""

    def on_eval_end(self, logs=None):
        """Handle: an evaluation ends; ``logs`` has its values."""

    def on_predict_begin(self, logs=None):
        """Handle: ``predict`` begins; ``logs`` has its "steps"."""

    def on_predict_end(self, logs=None):
        """Handle: ``predict`` ends."""

    def on_epoch_begin(self, epoch, logs=None):
        """Handle: an epoch, counted from 0, begins; ``logs`` is None."""

    def on_epoch_end(self, epoch, logs=None):
        """Handle: an epoch ends; ``logs`` has its values."""

    def on_train_batch_begin(self, step, logs=None):
        """Handle: a training batch begins; ``logs`` has the values of the previous one."""

    def on_train_batch_end(self, step, logs=None):
        """Handle: a training batch ends; ``logs`` has "loss", metrics, "step" and "batch_size"."""

    def on_eval_batch_begin(self, step, logs=None):
        """Handle: an evaluation batch begins; ``logs`` has the values of the previous one."""

    def on_eval_batch_end(self, step, logs=None):
        """Handle: an evaluation batch ends; ``logs`` has "loss", metrics, "step", "batch_size"."""

    def on_predict_batch_begin(self, step, logs=None):
        """Handle: a prediction batch begins, before its outputs are computed."""

    def on_predict_batch_end(self, step, logs=None):
        """Handle: a prediction batch ends; ``logs`` has "step" and "batch_size"."""


class CallbackList:
    """Callbacks that are called one after another.

    Args:
        callbacks: the callbacks.
        model: the Model they belong to.
        params: the ``params`` of each callback.
    """

    def __init__(self, callbacks: list, model, params: dict):
        self.callbacks = callbacks
        for callback in callbacks:
            callback.set_model(model)
            callback.set_params(params)

    def call(self, name: str, *args) -> None:
        """Call a method of each callback: ``call("epoch_end", 0, logs)``.

        Args:
            name: the method's name without ``on_``.
            *args: the arguments of the method.
        """
        for callback in self.callbacks:
            getattr(callback, f"on_{name}")(*args)
