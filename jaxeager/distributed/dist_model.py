"""paddle.distributed.to_static: a model on a mesh, each step of which is one XLA program."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from jaxeager.distributed.compiled_steps import CompiledStep, no_gradients
from jaxeager.errors import InvalidArgumentError, PreconditionNotMetError, UnimplementedError
from jaxeager.nn.layer.layer import Layer
from jaxeager.optimizer import Optimizer
from jaxeager.tensor import Tensor


def _refuse_passes(strategy: Any) -> None:
    """Raise UnimplementedError when a strategy enables passes that change numbers."""
    for name in ("amp", "gradient_merge", "qat"):
        if getattr(getattr(strategy, name, None), "enable", False):
            raise UnimplementedError(
                f"to_static: strategy.{name} is not there: leave it off, and change the layer or "
                "the loss instead (paddle.amp.auto_cast, a smaller batch, paddle.quantization)."
            )


class DistModel:
    """A model whose steps of training, evaluation and prediction are one XLA program each.

    Made by ``paddle.distributed.to_static``. Called with a batch it does a step in its mode: the
    inputs of the layer, and behind them the label where there is a loss.

    Attributes:
        mode: "train", "eval" or "predict"; the first that what it was given allows.

    Example:
        >>> import jaxeager as paddle
        >>> net, dist = paddle.nn.Linear(2, 1), paddle.distributed
        >>> sgd = paddle.optimizer.SGD(0.1, parameters=net.parameters())
        >>> model = dist.to_static(net, None, paddle.nn.MSELoss(), sgd)
        >>> losses = [model(paddle.ones([4, 2]), paddle.ones([4, 1])).item() for _ in range(3)]
        >>> losses[0] > losses[1] > losses[2]
        True
    """

    def __init__(
        self,
        layer: Layer,
        loader: Any = None,
        loss: Callable[..., Tensor] | None = None,
        optimizer: Optimizer | None = None,
        strategy: Any = None,
        metrics: list | None = None,
        input_spec: Any = None,
    ):
        _refuse_passes(strategy)
        self._layer, self._loss, self._optimizer = layer, loss, optimizer
        self._loader, self._metrics, self._input_spec = loader, metrics, input_spec
        self._steps: dict[str, CompiledStep] = {}
        self.mode = "predict"
        if loss is not None:
            self.mode = "eval" if optimizer is None else "train"
        getattr(self, self.mode)()

    def train(self) -> None:
        """Make each call a step of training: it returns the loss.

        Raises:
            InvalidArgumentError: without a loss or an optimizer.
        """
        if self._loss is None or self._optimizer is None:
            raise InvalidArgumentError("train() needs a loss and an optimizer: give both.")
        self._layer.train()
        self.mode = "train"

    def eval(self) -> None:
        """Make each call return the loss, and change nothing.

        Raises:
            InvalidArgumentError: without a loss.
        """
        if self._loss is None:
            raise InvalidArgumentError("eval() needs a loss: give it to to_static.")
        self._layer.eval()
        self.mode = "eval"

    def predict(self) -> None:
        """Make each call return what the layer does, and change nothing."""
        self._layer.eval()
        self.mode = "predict"

    def __call__(self, *args: Any) -> Any:
        return self._step()(*args)

    def compiled(self, *args: Any) -> Any:
        """Return the step for such a batch as ``jax.stages.Compiled``: its HLO and its memory."""
        return self._step().compiled(*args)

    def dist_main_program(self, mode: str | None = None) -> CompiledStep:
        """Return the step of a mode; its ``compiled(*batch)`` has the HLO.

        Args:
            mode: "train", "eval" or "predict"; the one it is in when None.
        """
        return self._step(mode)

    def state_dict(self, mode: str = "all") -> dict:
        """Return parameters and buffers, the optimizer's state, or both.

        Args:
            mode: "param", "opt" or "all".

        Raises:
            InvalidArgumentError: for another word.
        """
        if mode not in ("param", "opt", "all"):
            raise InvalidArgumentError(f"The mode is 'param', 'opt' or 'all', not {mode!r}.")
        found = dict(self._layer.state_dict()) if mode != "opt" else {}
        if mode != "param" and self._optimizer is not None:
            found |= self._optimizer.state_dict()
        return found

    def set_state_dict(self, state_dict: dict) -> None:
        """Restore what ``state_dict`` returned: each value lies as what it is restored to.

        Args:
            state_dict: parameters and buffers, with or without the optimizer's state.
        """
        own = self._layer.state_dict()
        self._layer.set_state_dict({name: state_dict[name] for name in own if name in state_dict})
        rest = {name: each for name, each in state_dict.items() if name not in own}
        if rest and self._optimizer is not None:
            self._optimizer.set_state_dict(rest)
            self._steps.pop("train", None)

    def _step(self, mode: str | None = None) -> CompiledStep:
        mode = mode or self.mode
        step = self._steps.get(mode)
        if step is None:
            state = [*self._layer.parameters(), *self._layer.buffers()]
            optimizer = self._optimizer if mode == "train" else None
            function = {"train": self._train, "eval": self._evaluate, "predict": self._layer}[mode]
            if mode != "train":
                function = no_gradients(function)
            step = self._steps[mode] = CompiledStep(function, state, optimizer)
        return step

    def _evaluate(self, *args: Any) -> Tensor:
        if len(args) < 2:
            raise PreconditionNotMetError(
                f"A step with a loss takes inputs and a label, but received {len(args)} tensors."
            )
        assert self._loss is not None
        return self._loss(self._layer(*args[:-1]), args[-1])

    def _train(self, *args: Any) -> Tensor:
        loss = self._evaluate(*args)
        loss.backward()
        return loss


def to_static(
    layer: Layer,
    loader: Any = None,
    loss: Callable[..., Tensor] | None = None,
    optimizer: Optimizer | None = None,
    strategy: Any = None,
    input_spec: Any = None,
) -> DistModel:
    """Return a model whose steps are one XLA program each: forward, backward and update.

    XLA then sees the messages of the whole step together, and there is one call for it: see Note
    [Steps as one program] in compiled_steps.py. The numbers are those of the program op by op, but
    for the order of sums.

    Args:
        layer: the layer, with its parameters where they are to lie.
        loader: the data that it will be called with; kept, and not looked at.
        loss: a function of the layer's output and a label.
        optimizer: the optimizer of the layer's parameters.
        strategy: settings of Paddle's passes over static graphs. XLA needs none of those that
            change no number, and the others are refused.
        input_spec: shapes of the inputs; they are taken from each call.

    Example:
        >>> import jaxeager as paddle
        >>> model = paddle.distributed.to_static(paddle.nn.Linear(2, 3))
        >>> model.mode, model(paddle.ones([1, 2])).shape
        ('predict', paddle.Size([1, 3]))
    """
    return DistModel(layer, loader, loss, optimizer, strategy, None, input_spec)
