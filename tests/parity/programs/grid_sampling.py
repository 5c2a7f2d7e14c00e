"""grid_sample and affine_grid: modes, paddings, corners, places at the kinks."""

from ..probe import array, attempt, graph, leaf, pull, refuses
from ..registry import CRASHES, differs, program


def _sampled(paddle, np, x, grid, **kwargs):
    x, grid = leaf(paddle, x), leaf(paddle, grid)
    y = paddle.nn.functional.grid_sample(x, grid, **kwargs)
    pull(paddle, np, y)
    return [y.numpy(), array(x.grad), array(grid.grad), graph(y)]


def _each(paddle, np, x, grid):
    return {
        f"{mode} {padding} {corners}": _sampled(
            paddle, np, x, grid, mode=mode, padding_mode=padding, align_corners=corners
        )
        for mode in ("bilinear", "nearest")
        for padding in ("zeros", "border", "reflection")
        for corners in (True, False)
    }


@program
def grid_sample_of_images(paddle, np):
    """Each mode, padding and alignment, places inside and far outside."""
    r = np.random.default_rng(51)
    grid = r.uniform(-2.3, 2.3, size=(2, 3, 5, 2)).astype("float32")
    return _each(paddle, np, r.normal(size=(2, 2, 4, 5)).astype("float32"), grid)


@program
def grid_sample_of_volumes(paddle, np):
    """Each mode, padding and alignment of five dimensions."""
    r = np.random.default_rng(52)
    grid = r.uniform(-1.6, 1.6, size=(1, 2, 3, 2, 3)).astype("float32")
    return _each(paddle, np, r.normal(size=(1, 2, 3, 4, 3)).astype("float32"), grid)


@program
def grid_sample_at_elements(paddle, np):
    """Gradients at places that are exactly elements, and at the first one."""
    x = np.arange(9.0, dtype="float32").reshape(1, 1, 3, 3) ** 2
    grid = np.array([[[[0, 0], [-1, -1], [-1, 0.25], [0, -0.5]]]], "float32")
    return {
        padding: _sampled(paddle, np, x, grid, padding_mode=padding)
        for padding in ("zeros", "border", "reflection")
    }


@differs(
    "beyond the last element padding repeats it, so the slope there is 0; Paddle's is that to a 0",
    right=[0.0, 0.0],
    paddle_gives=[-9.0, -9.0],
)
def grid_sample_at_the_last_element(paddle, np):
    """The gradient of a place on the last element, with border and with reflection."""
    found = []
    for padding in ("border", "reflection"):
        x = leaf(paddle, [[[[1.0, 4.0, 9.0], [1.0, 4.0, 9.0], [1.0, 4.0, 9.0]]]])
        grid = leaf(paddle, [[[[1.0, 0.0]]]])
        paddle.nn.functional.grid_sample(x, grid, padding_mode=padding).backward()
        found.append(float(grid.grad.numpy()[0, 0, 0, 0]))
    return found


@differs(
    "an image that wants no gradient is an ordinary input",
    right=[1.5, 0.0],
    paddle_gives=CRASHES,
)
def grid_sample_of_a_constant_image(paddle, np):
    """The gradient of the grid alone."""
    grid = leaf(paddle, [[[[0.0, 0.0]]]])
    x = paddle.to_tensor([[[[1.0, 4.0], [1.0, 4.0]]]])
    paddle.nn.functional.grid_sample(x, grid).backward()
    return grid.grad.numpy()[0, 0, 0].tolist()


@program
def affine_grids(paddle, np):
    """Grids of images and volumes, with and without corners, the shape as a Tensor."""
    F, out, r = paddle.nn.functional, {}, np.random.default_rng(53)
    for shape, size in (([2, 1, 3, 4], (2, 2, 3)), ([2, 1, 2, 3, 4], (2, 3, 4))):
        for corners in (True, False):
            theta = leaf(paddle, r.normal(size=size).astype("float32"))
            y = F.affine_grid(theta, shape, align_corners=corners)
            pull(paddle, np, y)
            out[f"{shape} {corners}"] = [y.numpy(), array(theta.grad), graph(y)]
    shape = paddle.to_tensor([1, 1, 2, 2], dtype="int32")
    out["tensor"] = F.affine_grid(paddle.ones([1, 2, 3]), shape).numpy()
    one = F.affine_grid(paddle.ones([1, 2, 3]), [1, 1, 1, 2], align_corners=False)
    return out | {"one": one.numpy()}


@differs(
    "an axis of one element has its center in the middle",
    right=[[0.5, 0.25]],
    paddle_gives=[[float("nan"), float("nan")]],
)
def affine_grid_of_one_element(paddle, np):
    """The coordinates of an image of one pixel, the corners being the centers."""
    theta = paddle.to_tensor([[[1.0, 0.0, 0.5], [0.0, 1.0, 0.25]]])
    return paddle.nn.functional.affine_grid(theta, [1, 1, 1, 1]).numpy()[0, 0].tolist()


@program
def grid_sampling_refused(paddle, np):
    """Modes that are none, shapes that do not fit."""
    F, x, grid = paddle.nn.functional, paddle.ones([2, 1, 2, 2]), paddle.zeros([2, 1, 1, 2])
    return {
        "mode": refuses(lambda: F.grid_sample(x, grid, mode="cubic")),
        "padding": refuses(lambda: F.grid_sample(x, grid, padding_mode="wrap")),
        "last": refuses(lambda: F.grid_sample(x, paddle.zeros([2, 1, 1, 3]))),
        "batch": refuses(lambda: F.grid_sample(x, grid[:1])),
        "theta": attempt(lambda: F.affine_grid(paddle.ones([2, 2, 2]), [2, 1, 2, 2]))["error"],
        "shape": attempt(lambda: F.affine_grid(paddle.ones([2, 2, 3]), [2, 1, 2]))["error"],
    }
