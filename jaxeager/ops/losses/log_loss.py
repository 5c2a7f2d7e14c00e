"""The log_loss rows: binary cross entropy of probabilities with an epsilon inside the logarithm.

XLA would rewrite ``(1 - input) + epsilon`` as ``(1 + epsilon) - input``, which in float32 is 0
where the input is 1 and epsilon is below 6e-8; so ``_rest`` writes it differently.
"""

import jax.numpy as jnp
import numpy as np

from jaxeager.errors import InvalidArgumentError
from jaxeager.ops.register import op
from jaxeager.ops.rules.axes import same_dtype
from jaxeager.ops.rules.precision import in_float32
from jaxeager.ops.rules.real_only import real_only
from jaxeager.ops.rules.samples import BadInput, Sample, values


@real_only
def log_loss_forward(input, label, *, epsilon: float = 1e-4):
    """Return minus the logarithms of input and 1 - input, weighted by label and 1 - label."""
    if input.shape != label.shape:
        raise ValueError(
            "The dimensions of Input(Predicted) must be equal to the dimensions of Input(Labels), "
            f"but received dimensions of Input(Predicted) is {list(input.shape)}, received "
            f"dimensions of Input(Labels) is {list(label.shape)}."
        )
    if input.ndim != 2:
        raise ValueError(
            "The dimensions of Input(Predicted) must be 2,But received dimensions of "
            f"Input(Predicted)is [{input.ndim}]"
        )
    if input.shape[1] != 1:
        raise ValueError(
            "Each row of Input(Predicted) contains a real value, so the 2nd dimension of Input(X) "
            f"must be 1,But got [{input.shape[1]}]"
        )
    same_dtype(input, label)
    rest = _rest(input, epsilon)
    return -label * jnp.log(input + epsilon) - (1 - label) * jnp.log(rest)


def _rest(input, epsilon):
    """Return 1 - input + epsilon, rounded as it reads."""
    return epsilon - (input - 1)


def log_loss_vjp(input, label, dout, *, epsilon):
    """Multiply dout by (1 - label) / (1 - input + epsilon) - label / (input + epsilon)."""
    return dout * ((1 - label) / _rest(input, epsilon) - label / (input + epsilon))


def log_loss_with_label_vjp(input, label, dout, *, epsilon):
    """Add the label's gradient, the difference of the two logarithms."""
    dlabel = dout * (jnp.log(_rest(input, epsilon)) - jnp.log(input + epsilon))
    return log_loss_vjp(input, label, dout, epsilon=epsilon), dlabel


def log_loss_reference(input, label, epsilon=1e-4):
    """Compute the formula in NumPy."""
    return -label * np.log(input + epsilon) - (1 - label) * np.log(1 - input + epsilon)


def log_loss_samples():
    """Yield probabilities, hard labels, another epsilon, no samples."""
    yield Sample(values((5, 1), 0.05, 0.95), values((5, 1), 0.0, 1.0, seed=1))
    yield Sample(np.array([[0.25], [0.75]]), np.array([[0.0], [1.0]]), epsilon=0.1)
    yield Sample(values((0, 1)), values((0, 1)))


def log_loss_errors():
    """Yield shapes that are not [N, 1]."""
    bad = InvalidArgumentError
    yield BadInput((values((4, 1)), values((3, 1))), {}, bad, "must be equal to the dimensions")
    yield BadInput((values((4,)), values((4,))), {}, bad, "must be 2")
    yield BadInput((values((4, 3)), values((4, 3))), {}, bad, "2nd dimension of Input(X) must be 1")


log_loss = op(
    "log_loss",
    in_float32(log_loss_forward),
    vjp=in_float32(log_loss_vjp),
    saves="input label",
    nondiff="label",
    public=None,
    reference=log_loss_reference,
    samples=log_loss_samples,
    errors=log_loss_errors,
    formula="dinput = dout * ((1 - label) / (1 - input + epsilon) - label / (input + epsilon))",
    doc="Binary cross entropy with an epsilon in its logarithms; recorded by F.log_loss.",
    example="paddle.nn.functional.log_loss(paddle.to_tensor([[0.3]]), paddle.to_tensor([[1.0]]))",
)

log_loss_with_label = op(
    "log_loss_with_label",
    in_float32(log_loss_forward),
    vjp=in_float32(log_loss_with_label_vjp),
    saves="input label",
    public=None,
    grad_name="LogLossGradNode",
    reference=log_loss_reference,
    samples=log_loss_samples,
    formula="dinput = dout * ((1 - label) / (1 - input + epsilon) - label / (input + epsilon)); "
    "dlabel = dout * log((1 - input + epsilon) / (input + epsilon))",
    doc="log_loss of a label that needs a gradient.",
)
