"""Callback, what Model tells about its progress, and the list of them."""

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
        """Take the dict of parameters."""
        self.params = params

    def set_model(self, model):
        """Take the Model."""
        self.model = model

    def on_train_begin(self, logs=None):
        """Is called when ``fit`` begins; ``logs`` is None."""

    def on_train_end(self, logs=None):
        """Is called when ``fit`` ends, with the values of the last epoch."""

    def on_eval_begin(self, logs=None):
        """Is called when an evaluation begins, with its "steps" and "metrics"."""

    def on_eval_end(self, logs=None):
        """Is called when an evaluation ends, with its values."""

    def on_predict_begin(self, logs=None):
        """Is called when ``predict`` begins, with its "steps"."""

    def on_predict_end(self, logs=None):
        """Is called when ``predict`` ends."""

    def on_epoch_begin(self, epoch, logs=None):
        """Is called when an epoch, counted from 0, begins; ``logs`` is None."""

    def on_epoch_end(self, epoch, logs=None):
        """Is called when an epoch has been trained, with its values."""

    def on_train_batch_begin(self, step, logs=None):
        """Is called before a batch is trained, with the values of the one before."""

    def on_train_batch_end(self, step, logs=None):
        """Is called after a batch was trained: "loss", metrics, "step" and "batch_size"."""

    def on_eval_batch_begin(self, step, logs=None):
        """Is called before a batch is evaluated, with the values of the one before."""

    def on_eval_batch_end(self, step, logs=None):
        """Is called after a batch was evaluated: "loss", metrics, "step" and "batch_size"."""

    def on_predict_batch_begin(self, step, logs=None):
        """Is called before the outputs of a batch are computed."""

    def on_predict_batch_end(self, step, logs=None):
        """Is called after the outputs of a batch were computed: "step" and "batch_size"."""


class CallbackList:
    """Callbacks that are called one after another.

    Args:
        callbacks: the callbacks.
        model: the Model they belong to.
        params: what each of them gets as ``params``.
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
            *args: what it is called with.
        """
        for callback in self.callbacks:
            getattr(callback, f"on_{name}")(*args)
