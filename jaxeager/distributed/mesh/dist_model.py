"""paddle.distributed.to_static: a model on a mesh whose steps are one XLA program each."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from jaxeager.distributed.mesh.compiled_steps import CompiledStep, no_gradients
from jaxeager.errors import InvalidArgumentError, PreconditionNotMetError, UnimplementedError
from jaxeager.nn.layer.layer import Layer
from jaxeager.optimizer import Optimizer
from jaxeager.tensor import Tensor

if TYPE_CHECKING:
    from jax.stages import Compiled

    from jaxeager.distributed.auto_parallel.strategy import Strategy


def _refuse_passes(strategy: Strategy | None) -> None:
    """Raise UnimplementedError when a strategy enables passes that change the results."""
    for name in ("amp", "gradient_merge", "qat"):
        if getattr(getattr(strategy, name, None), "enable", False):
            raise UnimplementedError(
                f"to_static: strategy.{name} is not supported: leave it off, and change the layer "
                "or the loss instead (paddle.amp.auto_cast, a smaller batch, paddle.quantization)."
            )


class DistModel:
    """A model whose steps of training, evaluation and prediction are one XLA program each.

    Created by ``paddle.distributed.to_static``. Called with a batch, it runs a step in its mode:
    the batch consists of the inputs of the layer, followed by the label if there is a loss.

    Attributes:
        mode: "train", "eval" or "predict"; initially the first that the given objects allow.

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
        loader: object = None,
        loss: Callable[..., Tensor] | None = None,
        optimizer: Optimizer | None = None,
        strategy: Strategy | None = None,
        metrics: list | None = None,
        input_spec: object = None,
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
        """Switch to training: each call is a step and returns the loss.

        Raises:
            InvalidArgumentError: without a loss or an optimizer.
        """
        if self._loss is None or self._optimizer is None:
            raise InvalidArgumentError(
                "train() needs a loss and an optimizer: pass both to to_static."
            )
        self._layer.train()
        self.mode = "train"

    def eval(self) -> None:
        """Switch to evaluation: each call returns the loss, and changes nothing.

        Raises:
            InvalidArgumentError: without a loss.
        """
        if self._loss is None:
            raise InvalidArgumentError("eval() needs a loss: pass it to to_static.")
        self._layer.eval()
        self.mode = "eval"

    def predict(self) -> None:
        """Switch to prediction: each call returns the output of the layer, and changes nothing."""
        self._layer.eval()
        self.mode = "predict"

    def __call__(self, *args: object) -> Any:
        return self._step()(*args)

    def compiled(self, *args: object) -> Compiled:
        """Return the step for such a batch as ``jax.stages.Compiled``, with its HLO and memory."""
        return self._step().compiled(*args)

    def dist_main_program(self, mode: str | None = None) -> CompiledStep:
        """Return the step of a mode; its ``compiled(*batch)`` has the HLO.

        Args:
            mode: "train", "eval" or "predict"; the current one when None.
        """
        return self._step(mode)

    def state_dict(self, mode: str = "all") -> dict:
        """Return parameters and buffers, the optimizer's state, or both.

        Args:
            mode: "param", "opt" or "all".

        Raises:
            InvalidArgumentError: for any other mode.
        """
        if mode not in ("param", "opt", "all"):
            raise InvalidArgumentError(f"The mode is 'param', 'opt' or 'all', not {mode!r}.")
        found = dict(self._layer.state_dict()) if mode != "opt" else {}
        if mode != "param" and self._optimizer is not None:
            found |= self._optimizer.state_dict()
        return found

    def set_state_dict(self, state_dict: dict) -> None:
        """Restore the result of ``state_dict``: each value gets the placement of its target.

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
    loader: object = None,
    loss: Callable[..., Tensor] | None = None,
    optimizer: Optimizer | None = None,
    strategy: Strategy | None = None,
    input_spec: object = None,
) -> DistModel:
    """Return a model whose steps are one XLA program each: forward, backward and update.

    XLA then sees the messages of the whole step together, and each step is one call: see Note
    [Steps as one program] in compiled_steps.py. The results are those of the program op by op,
    except for the order of sums.

    Args:
        layer: the layer, whose parameters already have their placements.
        loader: the data of the calls; stored, and otherwise ignored.
        loss: a function of the layer's output and a label.
        optimizer: the optimizer of the layer's parameters.
        strategy: settings of Paddle's passes over static graphs. XLA needs none of those that do
            not change results, and the others are refused.
        input_spec: ignored; the shapes of the inputs are those of each call.

    Example:
        >>> import jaxeager as paddle
        >>> model = paddle.distributed.to_static(paddle.nn.Linear(2, 3))
        >>> model.mode, model(paddle.ones([1, 2])).shape
        ('predict', paddle.Size([1, 3]))
    """
    return DistModel(layer, loader, loss, optimizer, strategy, None, input_spec)
