"""paddle.sparse.nn: activations, softmax, batch norm, convolutions, pooling."""

from ..probe import error_of, leaf, refuses
from ..registry import differs, program
from .sparse_math import pulled
from .sparse_tensors import coo, csr, parts

VOXELS = [[0, 0, 0, 1], [0, 1, 2, 1], [0, 1, 0, 0], [0, 1, 2, 2]]
CHANNELS = [[1.0, 2.0], [3.0, 4.0], [5.0, 9.0], [-2.0, 0.5]]


def volume(paddle, values=CHANNELS):
    """Returns a sparse volume with two channels."""
    return coo(paddle, values, VOXELS, (2, 3, 3, 3, 2))


def image(paddle, values=CHANNELS):
    """Returns a sparse image with two channels."""
    return coo(paddle, values, VOXELS[:3], (2, 3, 3, 2))


@program
def sparse_activations(paddle, np):
    """relu, relu6, leaky_relu and their layers, with gradients."""
    nn, out = paddle.sparse.nn, []
    f = nn.functional
    for function in (f.relu, f.relu6, f.leaky_relu, lambda x: f.leaky_relu(x, 0.3), nn.ReLU(),
                     nn.ReLU6(), nn.LeakyReLU(0.2)):  # fmt: skip
        out.append(pulled(paddle, np, function, (-1.0, 2.0, 8.0)))
        out.append(parts(function(csr(paddle, (-1.0, 2.0, 8.0, 0.5)))))
    return [*out, refuses(lambda: f.relu(paddle.ones([2])))]


@program
def sparse_softmax(paddle, np):
    """softmax along each axis, with gradients."""
    f = paddle.sparse.nn.functional
    row = [[0, 0, 0], [0, 1, 2]]
    cube = coo(paddle, (1.0, 2.0, 3.0, 4.0), [[0, 0, 1, 1], [0, 1, 1, 0], [0, 0, 1, 1]], (2, 2, 2))
    vectors = coo(paddle, CHANNELS[:3], shape=(3, 3, 2))
    x = csr(paddle)
    y = f.softmax(x)
    y.backward(csr(paddle, (1.0, 10.0, 100.0, 1000.0), stop_gradient=True))
    return [
        pulled(paddle, np, f.softmax, indices=row),
        pulled(paddle, np, lambda x: f.softmax(x, 0), indices=row[::-1]),
        [parts(f.softmax(cube, axis)) for axis in (-1, 0, 1, 2)],
        parts(f.softmax(vectors)),
        parts(y),
        x.grad.values().numpy(),
        parts(paddle.sparse.nn.Softmax()(csr(paddle))),
        refuses(lambda: f.softmax(csr(paddle), 0)),
        refuses(lambda: f.softmax(paddle.ones([2, 2]))),
    ]


@program
def sparse_layer_text(paddle, np):
    """repr and the keys of the state of each layer."""
    nn = paddle.sparse.nn
    layers = [
        nn.ReLU(), nn.ReLU(name="a"), nn.ReLU6(), nn.LeakyReLU(0.3), nn.Softmax(), nn.BatchNorm(3),
        nn.BatchNorm(2, data_format="NHWC"), nn.SyncBatchNorm(3), nn.MaxPool3D(2, padding=1),
        nn.Conv3D(2, 3, 3), nn.SubmConv3D(2, 3, 3, key="k"), nn.SubmConv2D(2, 3, 3),
        nn.Conv2D(2, 3, 3, padding=1, stride=2, dilation=2), nn.Conv3D(2, 3, [3, 1, 1]),
        nn.Conv2D(2, 3, 1, bias_attr=False),
    ]  # fmt: skip
    return [
        [repr(layer), [[name, list(p.shape)] for name, p in layer.state_dict().items()]]
        for layer in layers
    ]


@program
def sparse_batch_norm(paddle, np):
    """BatchNorm in training, with gradients, and its conversion."""
    out = []
    for make, shape in ((volume, "NDHWC"), (image, "NHWC")):
        norm = paddle.sparse.nn.BatchNorm(2, data_format=shape)
        v = leaf(paddle, CHANNELS)
        y = norm(make(paddle, v))
        (y.values() ** 3).sum().backward()
        out.append([parts(y), v.grad.numpy(), norm.weight.grad.numpy(), norm._mean.numpy()])
    model = paddle.nn.Sequential(paddle.sparse.nn.BatchNorm(2), paddle.nn.BatchNorm2D(2))
    made = paddle.sparse.nn.SyncBatchNorm.convert_sync_batchnorm(model)
    return [*out, [type(each).__name__ for each in made]]


@differs(
    "eval() makes a layer use the running averages; Paddle keeps to what its first call was.",
    right=[[0.66, 1.16], [2.26, 2.6], [3.85, 6.2], [-1.74, 0.08]],
    paddle_gives=[[-0.29, -0.58], [0.48, 0.04], [1.26, 1.6], [-1.45, -1.05]],
)
def sparse_batch_norm_in_evaluation(paddle, np):
    """BatchNorm in evaluation, after a training step."""
    norm = paddle.sparse.nn.BatchNorm(2)
    norm(volume(paddle))
    norm.eval()
    return np.round(norm(volume(paddle)).values().numpy().astype("float64"), 2).tolist()


def _convolved(paddle, np, function, make, shape, bias=None, **more):
    v = leaf(paddle, CHANNELS)
    size = int(np.prod(shape))
    w = leaf(paddle, np.linspace(-1.0, 1.0, size, dtype="float32").reshape(shape))
    b = None if bias is None else leaf(paddle, bias)
    y = function(make(paddle, v), w, b, **more)
    (y.values() ** 2).sum().backward()
    grads = [v.grad.numpy(), w.grad.numpy(), None if b is None else b.grad.numpy()]
    return [parts(y), grads]


@program(rtol=1e-4, reason="sums of products of both signs, squared, in float32")
def sparse_conv3d(paddle, np):
    """conv3d: strides, padding, dilation, bias, with gradients."""
    f = paddle.sparse.nn.functional.conv3d
    two, three = (2, 2, 2, 2, 3), (3, 3, 3, 2, 2)
    return [
        _convolved(paddle, np, f, volume, two),
        _convolved(paddle, np, f, volume, three, padding=1),
        _convolved(paddle, np, f, volume, three, padding=[1, 2, 1]),
        _convolved(paddle, np, f, volume, two, [1.0, 2.0, 3.0], stride=2, padding=1),
        _convolved(paddle, np, f, volume, two, dilation=2),
        _convolved(paddle, np, f, volume, three, padding="VALID"),
        _convolved(paddle, np, f, volume, (1, 1, 1, 2, 4)),
    ]


@program(rtol=1e-4, reason="sums of products of both signs, squared, in float32")
def sparse_conv2d(paddle, np):
    """conv2d, and the submanifold convolutions, with gradients."""
    f = paddle.sparse.nn.functional
    two, three = (2, 2, 2, 3), (3, 3, 2, 2)
    return [
        _convolved(paddle, np, f.conv2d, image, two),
        _convolved(paddle, np, f.conv2d, image, three, stride=2, padding=[1, 1]),
        _convolved(paddle, np, f.conv2d, image, three, [1.0, 2.0], padding=1),
        _convolved(paddle, np, f.subm_conv2d, image, three),
        _convolved(paddle, np, f.subm_conv2d, image, three, [1.0, 2.0], stride=2),
        _convolved(paddle, np, f.subm_conv3d, volume, (3, 3, 3, 2, 2)),
        _convolved(paddle, np, f.subm_conv3d, volume, (3, 3, 3, 2, 1), [1.0], padding=1),
        _convolved(paddle, np, f.subm_conv3d, volume, (1, 1, 1, 2, 3)),
    ]


@program
def sparse_max_pool3d(paddle, np):
    """max_pool3d takes the entries alone, with gradients."""
    out = []
    f = paddle.sparse.nn.functional.max_pool3d
    for arguments in ((2,), (2, 1), (3, 1, 1), ([1, 2, 3], [1, 1, 2], [0, 1, 1])):
        v = leaf(paddle, CHANNELS)
        y = f(volume(paddle, v), *arguments)
        y.values().sum().backward()
        out.append([parts(y), v.grad.numpy()])
    return [*out, parts(paddle.sparse.nn.MaxPool3D(2)(volume(paddle)))]


@program
def sparse_conv_errors(paddle, np):
    """Groups, layouts, padding modes, tensors of another kind."""
    nn = paddle.sparse.nn
    f, w = nn.functional, paddle.ones([3, 3, 2, 2])
    return [
        error_of(lambda: f.conv2d(image(paddle), w, data_format="NCHW")),
        error_of(lambda: f.max_pool3d(volume(paddle), 2, data_format="NCDHW")) in (
            "AssertionError", "ValueError"),
        error_of(lambda: f.conv3d(coo(paddle), paddle.ones([1, 1, 1, 1, 1]))),
        error_of(lambda: nn.Conv3D(2, 3, 3, data_format="NCDHW")),
    ]  # fmt: skip


@differs(
    'padding="SAME" pads so that the size stays; Paddle pads nothing.',
    right=[2, 3, 3, 2],
    paddle_gives=[2, 1, 1, 2],
)
def sparse_conv_same(paddle, np):
    """The shape of a convolution with padding SAME."""
    w = paddle.ones([3, 3, 2, 2])
    return list(paddle.sparse.nn.functional.conv2d(image(paddle), w, padding="SAME").shape)


@differs(
    "A submanifold convolution keeps shape and entries; Paddle does not when it is dilated.",
    right=[2, 3, 3, 3, 1],
    paddle_gives=[2, 1, 1, 1, 1],
)
def sparse_subm_dilation(paddle, np):
    """The shape of a dilated submanifold convolution."""
    w = paddle.ones([3, 3, 3, 2, 1])
    return list(paddle.sparse.nn.functional.subm_conv3d(volume(paddle), w, dilation=2).shape)


@differs(
    "ceil_mode counts windows that are not full; Paddle ignores it.",
    right=[2, 2, 2, 2, 2],
    paddle_gives=[2, 1, 1, 1, 2],
)
def sparse_pool_ceil(paddle, np):
    """The shape of a pooling with ceil_mode."""
    f = paddle.sparse.nn.functional.max_pool3d
    return list(f(volume(paddle), 2, ceil_mode=True).shape)
