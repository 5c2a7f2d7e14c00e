"""spectral_norm: divides a weight by its largest singular value before each call."""

import jaxeager as paddle
from jaxeager.errors import AlreadyExistsError, InvalidArgumentError
from jaxeager.graph.mode import unrecorded
from jaxeager.graph.views.atomic_writes import write_arrays
from jaxeager.nn import functional as F
from jaxeager.nn.layer.layer import Layer
from jaxeager.nn.utils.weight_norm_hook import find_hook, parameter_named

INPUTS_FIRST = {"Linear", "Conv1DTranspose", "Conv2DTranspose", "Conv3DTranspose"}


class SpectralNorm:
    """The forward pre-hook that computes ``name`` from ``name_orig``.

    ``name_u`` and ``name_v`` are the approximations of its singular vectors by power iteration.
    """

    def __init__(self, name: str, n_power_iterations: int, dim: int, eps: float):
        if n_power_iterations <= 0:
            raise InvalidArgumentError(
                "Expected n_power_iterations to be positive, but got "
                f"n_power_iterations={n_power_iterations}"
            )
        self.name, self.n_power_iterations = name, n_power_iterations
        self.dim, self.eps = dim, eps

    def __call__(self, layer, inputs) -> None:
        setattr(layer, self.name, self.compute_weight(layer, layer.training))

    def matrix_of(self, weight):
        """Return the weight as a matrix whose rows are ``dim``."""
        if self.dim != 0:
            others = [axis for axis in range(weight.ndim) if axis != self.dim]
            weight = weight.transpose([self.dim, *others])
        return weight.reshape([weight.shape[0], -1])

    def compute_weight(self, layer, iterates: bool):
        """Return the weight over its largest singular value; iterate first if ``iterates``."""
        weight = getattr(layer, f"{self.name}_orig")
        buffers = u, v = getattr(layer, f"{self.name}_u"), getattr(layer, f"{self.name}_v")
        matrix = self.matrix_of(weight)
        if iterates:
            # Not the buffers: the next call may overwrite those before this one's backward.
            u, v = unrecorded(self.iterate, matrix, u)
            write_arrays(list(buffers), [u._array, v._array], moves_version=True)
        return weight / paddle.dot(u, paddle.mv(matrix, v))

    def iterate(self, matrix, u) -> tuple:
        """Return the singular vectors after more power iterations."""
        v = u
        for _ in range(self.n_power_iterations):
            v = self.unit(paddle.matmul(matrix, u, transpose_x=True))
            u = self.unit(paddle.matmul(matrix, v))
        return u, v

    def unit(self, vector):
        """Return the vector scaled to length 1."""
        return F.normalize(vector, axis=0, epsilon=self.eps)


def spectral_norm(
    layer: Layer,
    name: str = "weight",
    n_power_iterations: int = 1,
    eps: float = 1e-12,
    dim: int | None = None,
) -> Layer:
    """Divide a layer's weight by its largest singular value before each call.

    The layer gets a trained parameter ``name_orig`` and buffers ``name_u`` and ``name_v``, which
    power iteration updates in training.

    Args:
        layer: the layer.
        name: name of the parameter.
        n_power_iterations: number of iterations of each call in training.
        eps: lower bound of the length that a vector is divided by.
        dim: the dimension of the outputs; None means 1 for Linear and transposed convolutions and
            0 for others.

    Returns:
        The layer.

    Raises:
        AlreadyExistsError: if that parameter has the hook already.
        InvalidArgumentError: if n_power_iterations is below 1, or there is no such parameter.

    Example:
        >>> import jaxeager as paddle
        >>> layer = paddle.nn.utils.spectral_norm(paddle.nn.Linear(3, 2))
        >>> {name: list(value.shape) for name, value in layer.state_dict().items()}
        {'bias': [2], 'weight_orig': [3, 2], 'weight_u': [2], 'weight_v': [3]}
    """
    if find_hook(layer, SpectralNorm, name) is not None:
        raise AlreadyExistsError(
            f"Cannot register two spectral_norm hooks on the same parameter {name}"
        )
    if dim is None:
        kinds = {each.__name__ for each in type(layer).__mro__}
        dim = 1 if kinds & INPUTS_FIRST else 0
    hook = SpectralNorm(name, n_power_iterations, dim, eps)
    weight = parameter_named(layer, name)
    if not 0 <= dim < weight.ndim:
        raise InvalidArgumentError(f"dim must be in [0, {weight.ndim}), but is {dim}.")
    with paddle.no_grad():
        rows, columns = hook.matrix_of(weight).shape
        u, v = (hook.unit(paddle.randn([size], weight.dtype)) for size in (rows, columns))
    del layer._parameters[name]
    layer.add_parameter(f"{name}_orig", weight)
    setattr(layer, name, weight * 1.0)
    layer.register_buffer(f"{name}_u", u)
    layer.register_buffer(f"{name}_v", v)
    layer.register_forward_pre_hook(hook)
    return layer
