"""debug.align: a model next to its twin in PyTorch, real Paddle, Flax, or this library."""

import textwrap

import numpy as np
import pytest

import jaxeager as paddle
from jaxeager import debug, nn
from jaxeager.errors import InvalidArgumentError, InvalidTypeError
from tests.parity.harness import needed_paddle

X = np.random.default_rng(0).standard_normal((4, 6)).astype("float32")


class Model(nn.Layer):
    """Two linear layers around a norm; ``slope`` represents a user's mistake."""

    def __init__(self, slope=0.01):
        super().__init__()
        self.first = nn.Linear(6, 6)
        self.norm = nn.LayerNorm(6)
        self.act = nn.LeakyReLU(slope)
        self.second = nn.Linear(6, 3)

    def forward(self, x):
        return self.second(self.act(self.norm(self.first(x))))


def test_two_of_this_library():
    paddle.seed(0)
    found = debug.align(Model(), Model(), X)
    assert bool(found)
    assert str(found) == "5 outputs and 6 gradients agree."
    assert not debug.align(Model(), Model(), X, copy_weights=False)


def test_the_first_layer_that_differs():
    """Planted: the activation of the second model has another slope."""
    found = debug.align(Model(), Model(0.2), X)
    assert (found.first.kind, found.first.a) == ("output", "act")
    assert "The first that differs, of 5 outputs and 6 gradients, is output act." in str(found)
    assert [row.a for row in found.rows[:2] if row.is_close] == ["first", "norm"]


def test_a_gradient_that_differs_alone():
    """Planted: forward is the same, and the gradient stops before the first layer."""

    class Cut(Model):
        def forward(self, x):
            return self.second(self.act(self.norm(self.first(x)).detach()))

    found = debug.align(Model(), Cut(), X)
    assert (found.first.kind, found.first.a) == ("gradient", "norm.bias")
    assert found.first.apart == float("inf")


def test_models_that_do_not_correspond_are_refused():
    with pytest.raises(
        InvalidArgumentError,
        match=r"first.weight has shape \[6, 6\], but the other model has weight",
    ):
        debug.align(Model(), nn.Linear(6, 3), X)
    with pytest.raises(InvalidArgumentError, match="6 parameters and buffers, the other 2; the"):
        debug.align(Model(), nn.Linear(6, 6), X)
    with pytest.raises(InvalidTypeError, match="but received int"):
        debug.align(Model(), 3, X)


def test_pytorch():
    torch = pytest.importorskip("torch")

    class Theirs(torch.nn.Module):
        def __init__(self, slope=0.01):
            super().__init__()
            self.first = torch.nn.Linear(6, 6)
            self.norm = torch.nn.LayerNorm(6)
            self.act = torch.nn.LeakyReLU(slope)
            self.second = torch.nn.Linear(6, 3)

        def forward(self, x):
            return self.second(self.act(self.norm(self.first(x))))

    found = debug.align(Model(), Theirs(), X)
    assert found, str(found)
    assert debug.align(Model(), Theirs(0.2), X).first.a == "act"

    mine = nn.Sequential(
        nn.Conv2D(2, 3, 3), nn.BatchNorm2D(3), nn.ReLU(), nn.Flatten(), nn.Linear(12, 2)
    )
    theirs = torch.nn.Sequential(
        torch.nn.Conv2d(2, 3, 3), torch.nn.BatchNorm2d(3), torch.nn.ReLU(), torch.nn.Flatten(),
        torch.nn.Linear(12, 2),
    )  # fmt: skip
    image = np.random.default_rng(1).standard_normal((4, 2, 4, 4)).astype("float32")
    found = debug.align(mine, theirs, image)
    assert found, str(found)


def test_flax():
    linen = pytest.importorskip("flax.linen")
    import jax

    class Theirs(linen.Module):
        slope: float = 0.01

        @linen.compact
        def __call__(self, x):
            x = linen.LayerNorm(epsilon=1e-5)(linen.Dense(6)(x))
            return linen.Dense(3)(linen.leaky_relu(x, self.slope))

    class Mine(Model):
        def forward(self, x):
            return self.second(paddle.nn.functional.leaky_relu(self.norm(self.first(x))))

    mine = Mine()
    del mine._sub_layers["act"]
    made = Theirs().init(jax.random.key(0), X)
    found = debug.align(mine, (Theirs(), made), X)
    assert found, str(found)
    assert debug.align(mine, (Theirs(0.3), made), X).first.a == "second"


@pytest.mark.deep
def test_real_paddle(tmp_path):
    python = needed_paddle()
    source = tmp_path / "theirs.py"
    source.write_text(
        textwrap.dedent("""\
        from paddle import nn

        def build(slope=0.01):
            class Model(nn.Layer):
                def __init__(self):
                    super().__init__()
                    self.first, self.norm = nn.Linear(6, 6), nn.LayerNorm(6)
                    self.act, self.second = nn.LeakyReLU(slope), nn.Linear(6, 3)

                def forward(self, x):
                    return self.second(self.act(self.norm(self.first(x))))

            return Model()

        def wrong():
            return build(0.2)
        """)
    )
    found = debug.align(Model(), f"{source}:build", X, python=python)
    assert found, str(found)
    assert debug.align(Model(), f"{source}:wrong", X, python=python).first.a == "act"
