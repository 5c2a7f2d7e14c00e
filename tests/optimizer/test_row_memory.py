"""A step with a gradient of some rows takes memory for these rows, not for one more table."""

import pathlib

import numpy as np
import pytest

import jaxeager as paddle
from jaxeager.graph.few_rows import FewRows
from jaxeager.nn import functional as F

HEIGHT, WIDTH, COUNT = 250_000, 64, 4096
ROW_BYTES = COUNT * (WIDTH * 4 + 8)
STATUS, RESET = pathlib.Path("/proc/self/status"), pathlib.Path("/proc/self/clear_refs")

OPTIMIZERS: dict = {
    "sgd": lambda weight: paddle.optimizer.SGD(0.125, parameters=[weight]),
    "clipped sgd": lambda weight: paddle.optimizer.SGD(
        0.125, parameters=[weight], grad_clip=paddle.nn.ClipGradByGlobalNorm(1.0)
    ),
    "lazy adam": lambda weight: paddle.optimizer.Adam(0.125, parameters=[weight], lazy_mode=True),
}


def kilobytes(name: str) -> int:
    """Return a figure of this process, such as VmRSS."""
    (line,) = (each for each in STATUS.read_text().splitlines() if each.startswith(name))
    return int(line.split()[1])


def backward(weight, seed: int):
    ids = np.random.default_rng(seed).integers(0, len(weight), COUNT)
    (F.embedding(paddle.to_tensor(ids), weight, sparse=True) + 1).square().sum().backward()


def addresses(optimizer, weight) -> list[int]:
    state = [each for each in optimizer.state_dict().values() if isinstance(each, paddle.Tensor)]
    tables = [each for each in (weight, *state) if each.size == weight.size]
    return [each._array.unsafe_buffer_pointer() for each in tables]


CASES = [("sgd", False, HEIGHT), ("clipped sgd", True, HEIGHT), ("lazy adam", False, HEIGHT)]
CASES += [pytest.param("lazy adam", True, HEIGHT, marks=pytest.mark.deep)]


@pytest.mark.parametrize(("name", "scaled", "height"), CASES)
def test_a_step_writes_into_the_table(name, scaled, height):
    """Soon the table and its moments stay where they are, and the peak is low.

    From the third step on; in lazy mode from the fifth, when its segment is compiled.
    """
    if not RESET.exists():
        pytest.skip("needs Linux, for the peak of a process's memory")
    weight = paddle.nn.Parameter(paddle.zeros([height, WIDTH]))
    optimizer = OPTIMIZERS[name](weight)
    scaler = paddle.amp.GradScaler(
        scaled, init_loss_scaling=8.0, use_dynamic_loss_scaling=False
    )  # without one, it calls step

    def step(seed):
        backward(weight, seed)
        scaler.step(optimizer)
        scaler.update()
        optimizer.clear_grad()
        weight._array.block_until_ready()

    for seed in range(5):
        step(seed)
    where = addresses(optimizer, weight)
    assert len(where) == (3 if name == "lazy adam" else 1)
    RESET.write_text("5")  # the peak begins at the present size
    before = kilobytes("VmRSS")
    step(5)
    assert addresses(optimizer, weight) == where
    assert (kilobytes("VmHWM") - before) * 1024 < height * WIDTH * 4 / 4


def test_a_gradient_holds_its_rows():
    """So do its sum with another, its product with a number, and a clipped one."""
    weight = paddle.nn.Parameter(paddle.zeros([HEIGHT, WIDTH]))
    clip = paddle.nn.ClipGradByNorm(1.0)
    backward(weight, 0)
    ((_, clipped),) = clip([(weight, weight.grad)])
    held = [weight.grad, weight.grad * 2, weight.grad / 2, weight.grad.clone(), clipped]
    backward(weight, 1)
    (grad,) = paddle.grad((F.embedding(paddle.to_tensor([5]), weight, sparse=True)).sum(), weight)
    held += [weight.grad, grad]
    sizes = []
    for each in held:
        assert isinstance(each._rows, FewRows)
        assert each._dense is None
        sizes.append(each._rows.ids.nbytes + each._rows.values.nbytes)
    assert sizes == [*[ROW_BYTES] * 5, 2 * ROW_BYTES, WIDTH * 4 + 8]


@pytest.mark.single_calls
def test_a_step_is_compiled_for_few_numbers_of_ids(no_kernel_files):
    weight = paddle.nn.Parameter(paddle.zeros([1000, 2]))
    optimizer = paddle.optimizer.SGD(1.0, parameters=[weight])
    compiled = []
    for count in (5, 6, 7, 8):
        F.embedding(paddle.arange(count), weight, sparse=True).sum().backward()
        optimizer.step()
        calls = paddle.debug.compilations().calls
        compiled.append(sum(each.kernels for each in calls if each.name == "optimizer_step"))
        optimizer.clear_grad()
    assert compiled[0] > 0
    assert len(set(compiled)) == 1
    assert weight[:9, 0].tolist() == [-4.0] * 5 + [-3.0, -2.0, -1.0, 0.0]


def test_as_many_ids_as_rows():
    """A sum that would take more memory than the whole gradient is written out."""
    weight = paddle.nn.Parameter(paddle.zeros([4, 2]))
    for ids in ([1], [3, 1], [0, 0]):
        F.embedding(paddle.to_tensor(ids), weight, sparse=True).sum().backward()
    assert not isinstance(weight.grad._rows, FewRows)
    assert weight.grad.rows() == [0, 1, 3]
    assert weight.grad.tolist() == [[2.0, 2.0], [2.0, 2.0], [1.0, 1.0]]


CLIPS = {"None": None, "clip1": paddle.nn.ClipGradByGlobalNorm(0.5)}


@pytest.mark.parametrize(
    ("clip", "name"),
    [
        pytest.param(clip, name, id=f"{kind}-{name}", marks=() if usual else pytest.mark.deep)
        for kind, clip in CLIPS.items()
        for name in ("SGD", "Momentum", "Adagrad", "Adam", "RMSProp")
        for usual in [name in ("SGD", "Adam") if clip else name != "Adam"]
    ],
)
def test_both_forms_have_one_result(name, clip):
    """A gradient of few rows and the same one written out; ids that repeat and are out of order.

    They agree exactly: an update is elementwise, and no row is the sum of more than two values.
    """

    def trained(written_out: bool):
        weight = paddle.nn.Parameter(paddle.arange(64, dtype="float32").reshape([32, 2]) / 64)
        other = paddle.nn.Parameter(paddle.ones([2]))
        optimizer = getattr(paddle.optimizer, name)(
            0.125, parameters=[weight, other], grad_clip=clip
        )
        for ids in ([5, 1, 5], [31, 0], [1, 30, 7]):
            rows = F.embedding(paddle.to_tensor(ids), weight, sparse=True)
            (rows * rows * other).sum().backward()
            if written_out:
                weight.grad._array = weight.grad.to_dense()._array
            assert isinstance(weight.grad._rows, FewRows) is not written_out
            optimizer.step()
            optimizer.clear_grad()
        return weight.numpy()

    np.testing.assert_array_equal(trained(False), trained(True))


@pytest.mark.parametrize("lazily", [False, True])
def test_a_skipped_step_changes_no_row(lazily):
    """An overflow that a GradScaler finds leaves table and moments unchanged."""
    weight = paddle.nn.Parameter(paddle.ones([32, 2]))
    adam = paddle.optimizer.Adam(0.125, parameters=[weight], lazy_mode=lazily)
    scaler = paddle.amp.GradScaler(init_loss_scaling=8.0, use_dynamic_loss_scaling=False)
    found = []
    for factor in (1.0, np.inf):
        rows = F.embedding(paddle.to_tensor([3, 1, 3]), weight, sparse=True)
        scaler.scale((rows * factor).sum()).backward()
        scaler.step(adam)
        adam.clear_grad()
        found.append([weight.numpy(), *[v.numpy() for v in adam.state_dict().values()][:2]])
    for a, b in zip(*found, strict=True):
        np.testing.assert_array_equal(a, b)
    assert (found[0][0] != 1).any()
