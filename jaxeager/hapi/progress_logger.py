"""ProgBarLogger: the callback that prints the progress of training, evaluation and prediction."""

import time

from jaxeager.hapi.callback import Callback
from jaxeager.hapi.progress_bar import ProgressBar


class _Run:
    """One pass over data: its bar, its counts and its times.

    Args:
        steps: the number of steps, or None.
        metrics: names of the values to show.
        verbose: as for ProgressBar.
    """

    def __init__(self, steps, metrics, verbose: int):
        self.steps, self.metrics, self.verbose = steps, metrics, verbose
        self.step = self.samples = 0
        self.bar = ProgressBar(steps, verbose=verbose)
        self._mark = time.time()
        self._clear()

    def _clear(self) -> None:
        self._reading = self._computing = 0.0
        self._batches = self._batch_samples = 0

    def begin_batch(self) -> None:
        now = time.time()
        self._reading += now - self._mark
        self._mark = now

    def end_batch(self, samples: int) -> None:
        now = time.time()
        self._computing += now - self._mark
        self._mark = now
        self.step += 1
        self.samples += samples
        self._batches += 1
        self._batch_samples += samples

    def is_due(self, log_freq: int) -> bool:
        return self.step % log_freq == 0 and (self.steps is None or self.step < self.steps)

    def show(self, logs: dict) -> None:
        """Write the line of the step."""
        values = [(name, logs[name]) for name in self.metrics if name in logs]
        if self.verbose == 3:
            batches, samples = self._batches or 1, self._batch_samples or 1
            spent = self._reading + self._computing
            values.append(("avg_reader_cost", f"{self._reading / batches:.5f} sec"))
            values.append(("avg_batch_cost", f"{self._computing / batches:.5f} sec"))
            values.append(("ips", f"{samples / spent if spent else 0:.5f} samples/sec"))
            self._clear()
        self.bar.update(self.step, values)


class ProgBarLogger(Callback):
    """A callback that prints losses, metrics and pace. Every Model has one if ``verbose`` is not 0.

    Args:
        log_freq: the number of steps between prints.
        verbose: 0 prints nothing, 1 draws a bar, 2 prints a line each time, 3 also prints times.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.callbacks.ProgBarLogger(log_freq=10, verbose=2).log_freq
        10
    """

    def __init__(self, log_freq=1, verbose=2):
        super().__init__()
        self.log_freq, self.verbose = log_freq, verbose
        self.epochs = self.steps = None

    def _say(self, text: str) -> None:
        if self.verbose:
            print(text)

    def on_train_begin(self, logs=None):
        """Print the meaning of the numbers."""
        self.epochs = self.params["epochs"]
        self._say(
            "The loss value printed in the log is the current step, and the metric is the average "
            "value of previous steps."
        )

    def on_epoch_begin(self, epoch, logs=None):
        """Print which epoch begins."""
        self.steps = self.params["steps"]
        if self.epochs:
            self._say(f"Epoch {epoch + 1}/{self.epochs}")
        self._train = _Run(self.steps, self.params["metrics"], self.verbose)

    def on_train_batch_begin(self, step, logs=None):
        """Record the time."""
        self._train.begin_batch()

    def on_train_batch_end(self, step, logs=None):
        """Print a step's values, every ``log_freq`` steps."""
        self._end_batch(self._train, logs)

    def on_epoch_end(self, epoch, logs=None):
        """Print the values of the last step."""
        if self.verbose and self.steps is not None:
            self._train.show(logs or {})

    def on_eval_begin(self, logs=None):
        """Print that an evaluation begins."""
        logs = logs or {}
        self._eval = _Run(logs.get("steps"), logs.get("metrics", []), self.verbose)
        self._say("Eval begin...")

    def on_eval_batch_begin(self, step, logs=None):
        """Record the time."""
        self._eval.begin_batch()

    def on_eval_batch_end(self, step, logs=None):
        """Print a step's values, every ``log_freq`` steps."""
        self._end_batch(self._eval, logs)

    def on_eval_end(self, logs=None):
        """Print the values of the evaluation, and the number of samples."""
        if self.verbose and self._eval.steps is not None:
            self._eval.show(logs or {})
            print(f"Eval samples: {self._eval.samples}")

    def on_predict_begin(self, logs=None):
        """Print that a prediction begins."""
        logs = logs or {}
        self._predict = _Run(logs.get("steps"), logs.get("metrics", []), self.verbose)
        self._say("Predict begin...")

    def on_predict_batch_begin(self, step, logs=None):
        """Record the time."""
        self._predict.begin_batch()

    def on_predict_batch_end(self, step, logs=None):
        """Print the progress, every ``log_freq`` steps."""
        self._end_batch(self._predict, logs)

    def on_predict_end(self, logs=None):
        """Print the number of samples."""
        if self.verbose:
            if self._predict.step % self.log_freq != 0 or self.verbose == 1:
                self._predict.show(logs or {})
            print(f"Predict samples: {self._predict.samples}")

    def _end_batch(self, run: _Run, logs) -> None:
        logs = logs or {}
        run.end_batch(logs.get("batch_size", 1))
        if self.verbose and run.is_due(self.log_freq):
            run.show(logs)
