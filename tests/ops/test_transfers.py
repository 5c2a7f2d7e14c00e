"""The detector of transfers finds them; functions that have to read values are known."""

import numpy as np
import pytest

import jaxeager as paddle
import jaxeager.nn.functional as F
from jaxeager.ops.call import kernels
from tests.support.transfers import as_on_an_accelerator, no_transfers

READERS = {
    "numpy": lambda x: x.numpy(),
    "item": lambda x: x.sum().item(),
    "float": lambda x: float(x.sum()),
    "bool": lambda x: bool((x > 0).all()),
    "tolist": lambda x: x.tolist(),
    "print": repr,
    "index": lambda x: [1, 2, 3][x.argmax()],
    "asarray": np.asarray,
}


@pytest.mark.parametrize("name", READERS)
def test_a_read_is_found(name):
    x = paddle.to_tensor([1.0, 2.0])
    READERS[name](x)
    with pytest.raises(AssertionError, match="reads what is on the device"), no_transfers():
        READERS[name](x)


def test_an_unrequested_upload_is_found():
    x = paddle.to_tensor([1.0, 2.0])
    with pytest.raises(Exception, match="Disallowed host-to-device"), no_transfers():
        x._array + np.ones(2)


def test_numbers_that_are_known_go_with_their_array():
    array = kernels.known_array(np.array([1, 2], "int32"))
    with no_transfers():
        assert kernels.numbers_of(array).tolist() == [1, 2]
    count = len(kernels._numbers)
    del array
    assert len(kernels._numbers) == count - 1
    assert kernels.numbers_of(paddle.ones([2])._array).tolist() == [1.0, 1.0]


# ---- besides the rows, which ops/test_rows.py checks one by one


class Things:
    """The operands of the calls below, created where uploads are allowed."""

    def __init__(self):
        paddle.seed(3)
        self.x, self.v = paddle.rand([4, 4]), paddle.zeros([4])
        self.x.stop_gradient = False
        self.mask, self.half = self.x.detach() > 0.5, paddle.to_tensor(0.5)
        self.one, self.two = paddle.to_tensor(1), paddle.to_tensor([1, 2])
        self.label, self.counts = paddle.to_tensor([0, 1, 2, 3]), paddle.to_tensor([1, 2, 1, 1])
        self.weight = paddle.nn.Parameter(paddle.rand([3]))
        (self.weight * 2).sum().backward()
        self.norm, self.lstm = paddle.nn.BatchNorm1D(4), paddle.nn.LSTM(4, 3)
        self.rate = paddle.optimizer.lr.StepDecay(0.1, 1)
        clip = paddle.nn.ClipGradByGlobalNorm(1.0)
        self.adam = paddle.optimizer.AdamW(self.rate, parameters=[self.weight], grad_clip=clip)
        self.scaler = paddle.amp.GradScaler(use_dynamic_loss_scaling=False)
        self.marked = paddle.jit.to_static(self.drawn, full_graph=True)
        self.marked_step = paddle.jit.to_static(self.trained, full_graph=True)

    def written(self, index, value):
        """Write into a copy of x."""
        copy = self.x.detach().clone()
        copy[index] = value
        return copy

    def written_view(self):
        """Write into a view of a view, and read the others."""
        base = self.x.detach().clone()
        rows = base[1:]
        row = rows[0]
        rows[self.mask[1:]] = 0.0
        row.zero_()
        return base + 1, rows + 1

    def stepped(self):
        """Make a step with a changing rate."""
        self.rate.step()
        self.adam.step()

    def drawn(self, x):
        """Draw, and add a constant of more elements than a program contains."""
        return F.dropout(x, 0.5) + paddle.arange(32, dtype="float32").reshape([8, 4])[:4]

    def trained(self, x):
        """Run a training step."""
        loss = (
            F.softmax(x) * paddle.arange(16, dtype="float32").reshape([4, 4])
        ).sum() * self.weight.sum()
        loss.backward()
        self.adam.step()
        self.adam.clear_grad()
        return loss

    def marked_and_moved(self):
        """Run marked steps, each after a step of the learning rate; the first are captured."""
        for _ in range(3):
            self.rate.step()
            self.marked_step(self.x.detach())

    def cast(self):
        """Multiply in half precision."""
        with paddle.amp.auto_cast():
            return self.x @ self.x


STAYS = {
    "index by tensor": lambda t: t.x[t.two],
    "index by number": lambda t: t.x[0, 1:3],
    "write by number": lambda t: t.written(0, t.v),
    "write by mask": lambda t: t.written(t.mask, t.half),
    "write into a view": Things.written_view,
    "masked_fill": lambda t: paddle.masked_fill(t.x, t.mask, t.half),
    "where": lambda t: paddle.where(t.mask, t.x, t.x),
    "embedding": lambda t: F.embedding(t.two, t.x),
    "one_hot": lambda t: F.one_hot(t.two, 4),
    "cross_entropy": lambda t: F.cross_entropy(t.x, t.label),
    "dropout": lambda t: F.dropout(t.x, 0.5),
    "batch_norm": lambda t: t.norm(t.x),
    "lstm": lambda t: t.lstm(t.x.unsqueeze(0)),
    "creation": lambda t: (paddle.rand([2]), paddle.full([2], 1.5), paddle.arange(4)),
    "numbers": lambda t: (t.x + 1.5, t.x**2, t.x.clip(t.half, 0.9)),
    "multinomial": lambda t: paddle.multinomial(t.x.detach(), 2),
    "linalg": lambda t: (paddle.linalg.inv(t.x), paddle.linalg.eigh(t.x @ t.x.T)),
    "backward": lambda t: F.cross_entropy(t.x, t.label).backward(),
    "step": Things.stepped,
    "scaler": lambda t: t.scaler.step(t.adam),
    "clip_grad_norm_": lambda t: paddle.nn.utils.clip_grad_norm_([t.weight], 1.0),
    "clip_grad_value_": lambda t: paddle.nn.utils.clip_grad_value_([t.weight], 1.0),
    "auto_cast": Things.cast,
    "to_static": lambda t: t.marked(t.x).sum().backward(),
    "a step under to_static": Things.marked_and_moved,
    "detach, shape, numel": lambda t: (t.x.detach(), paddle.shape(t.x), paddle.numel(t.x)),
}

# Reads, and why: a value on the device determines the size of the result, or the next line.
READ_BY_NATURE = {
    "index by mask": lambda t: t.x[t.mask],
    "nonzero": lambda t: paddle.nonzero(t.mask),
    "masked_select": lambda t: paddle.masked_select(t.x, t.mask),
    "unique": lambda t: paddle.unique(t.two),
    "repeat_interleave by a tensor": lambda t: paddle.repeat_interleave(t.x, t.counts, 0),
    "bincount": lambda t: paddle.bincount(t.two),
    "a slice that ends at a tensor": lambda t: t.x[: t.one],
    "a row by a 0-D tensor": lambda t: t.x[t.one],  # a view: its place is a Python number
    "a shape of tensors": lambda t: t.x.reshape([t.one, 16]),
    "if": lambda t: bool(t.one),
    "static.nn.cond": lambda t: paddle.static.nn.cond(t.one > 0, lambda: t.x, lambda: t.x),
}


def moves(call):
    """Run a call twice, and raise when the second one transfers data."""
    things = Things()
    with as_on_an_accelerator():
        call(things)
        with no_transfers():
            call(things)


@pytest.mark.parametrize("name", STAYS)
def test_a_call_that_reads_no_value_transfers_nothing(name):
    moves(STAYS[name])


@pytest.mark.parametrize("name", READ_BY_NATURE)
def test_functions_that_read_by_nature_are_noticed(name):
    with pytest.raises(AssertionError, match="reads what is on the device"):
        moves(READ_BY_NATURE[name])
