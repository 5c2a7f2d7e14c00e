"""The state that a replay restores, also where the program makes, resizes or removes members."""

import jaxeager as paddle
from jaxeager.debug.replays.state import State


class Cached(paddle.nn.Layer):
    """A Layer whose forward makes a buffer, replaces one, resizes one and removes one."""

    def __init__(self):
        super().__init__()
        self.linear = paddle.nn.Linear(2, 2)
        self.mask = None
        self.register_buffer("seen", paddle.zeros([1]))
        self.register_buffer("old", paddle.ones([2]), persistable=False)
        self.count = paddle.zeros([2])

    def forward(self, x):
        """Change every kind of member."""
        if self.mask is None:
            self.mask = paddle.ones([2])
        self.made = x.detach().sum()
        self.seen = paddle.ones([5])
        self.count.unsqueeze_(0)
        self.count.add_(paddle.ones([1, 2]))
        self.extra = paddle.nn.Linear(2, 2)
        if hasattr(self, "old"):
            del self.old
        return self.extra(self.linear(x)).sum()


def test_members_that_forward_makes_replaces_resizes_and_removes():
    model = Cached()
    seen, count, old = model.seen, model.count, model.old
    state = State((model,))
    names = sorted(model.state_dict())
    for _ in range(2):
        model(paddle.ones([1, 2])).backward()
        assert model.count.shape == [1, 2]
        assert not hasattr(model, "old")
        state.restore()
        assert sorted(model.state_dict()) == names
        assert model.mask is None
        assert not hasattr(model, "made")
        assert not hasattr(model, "extra")
        assert model.seen is seen
        assert model.seen.tolist() == [0.0]
        assert model.count is count
        assert count.tolist() == [0.0, 0.0]
        assert model.old is old
        assert "old" not in model.state_dict()
        assert model.linear.weight.grad is None


def test_a_program_reads_the_restored_members():
    """A whole graph that was made with a member is not used when the member is gone."""
    model = Cached()
    marked = paddle.jit.to_static(lambda x: x + (0 if model.mask is None else 1), full_graph=True)
    state = State((model,))
    assert marked(paddle.zeros([1])).tolist() == [0.0]
    model.mask = paddle.ones([2])
    assert marked(paddle.zeros([1])).tolist() == [1.0]
    state.restore()
    assert marked(paddle.zeros([1])).tolist() == [0.0]


def test_the_tools_restore_them():
    model = Cached()
    assert paddle.debug.determinism(lambda: model(paddle.ones([3, 2])).backward(), model)
    assert len(paddle.debug.sensitivity(model, model, paddle.rand([3, 2]))) == 3
    assert model.mask is None
    assert model.count.tolist() == [0.0, 0.0]
    assert model.old.tolist() == [1, 1]


def test_attributes_hooks_modes_and_rates():
    model = paddle.nn.Linear(2, 2)
    model.count = 0
    sgd = paddle.optimizer.SGD(0.1, parameters=model.parameters())

    def step():
        model.count += 1
        model.tag = "x"
        model.eval()
        model.bias.stop_gradient = True
        model.register_forward_post_hook(lambda layer, given, out: out * 2)
        (model(paddle.ones([1, 2])) * model.count).sum().backward()
        sgd.step()
        sgd.set_lr(sgd.get_lr() / 2)

    assert paddle.debug.determinism(step, model, sgd)
    assert (model.count, model.training, sgd.get_lr()) == (0, True, 0.1)
    assert not hasattr(model, "tag")
    assert not model.bias.stop_gradient
    assert not model._forward_post_hooks
