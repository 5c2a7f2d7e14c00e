"""net.json of jit.save: the graph in the form of Paddle's file, which Netron opens."""

import json

import pytest

import jaxeager as paddle
from jaxeager import nn
from jaxeager.static import InputSpec


class Branches(nn.Layer):
    """Has a constant, a weight that is used twice, two inputs, two outputs and an op of none."""

    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(3, 4), nn.Tanh())

    def forward(self, x, mask):
        y = self.body(x) + paddle.to_tensor([1.0, 2.0, 3.0, 4.0])
        return y * self.body[0].bias, mask


def ops_of(path):
    """Return the ops of the only block of a file."""
    program = json.loads(path.read_text(encoding="utf-8"))
    assert program["base_code"]["magic"] == "pir"
    (region,) = program["program"]["regions"]
    (block,) = region["blocks"]
    return block["ops"]


def made_by(op):
    return op["O"] if isinstance(op["O"], list) else [op["O"]]


@pytest.fixture(scope="module")
def ops(tmp_path_factory):
    folder = tmp_path_factory.mktemp("saved")
    specs = [InputSpec([None, 3], name="x"), InputSpec([2], "bool", name="mask")]
    paddle.jit.save(Branches(), str(folder / "net"), specs)
    return ops_of(folder / "net.json")


def test_weights_inputs_and_outputs_have_their_names(ops):
    assert [op["A"][3] for op in ops if op["#"] == "p"] == ["body.0.bias", "body.0.weight"]
    data = [op for op in ops if op["#"] == "1.data"]
    assert [op["A"][0]["AT"]["D"] for op in data] == ["x", "mask"]
    assert data[0]["O"][0]["TT"]["D"][:2] == [{"#": "0.t_f32"}, [-1, 3]]  # an open size
    assert data[1]["O"][0]["TT"]["D"][:2] == [{"#": "0.t_bool"}, [2]]
    fetched = [op for op in ops if op["#"] == "1.fetch"]
    assert [op["A"][0]["AT"]["D"] for op in fetched] == ["fetch_name_0", "fetch_name_1"]


def test_every_tensor_is_made_once_and_before_it_is_taken(ops):
    known = set()
    for op in ops:
        assert {each["%"] for each in op.get("I", ())} <= known
        made = {each["%"] for each in made_by(op)}
        assert not made & known
        known |= made
    assert known == set(range(1, len(known) + 1))


def test_ops_are_in_order_with_their_layer(ops):
    names = [op["#"] for op in ops if op["#"] not in ("p", "1.data", "1.fetch", "1.full")]
    assert names[0] == "1.matmul"
    assert "1.tanh" in names
    assert names[-1] == "1.multiply"
    matmul = next(op for op in ops if op["#"] == "1.matmul")
    texts = {each["N"]: each["AT"]["D"] for each in matmul["A"]}
    assert texts["struct_name"] == "/body/0/"


def test_a_constant_is_an_op_of_its_own(ops):
    (constant,) = [op for op in ops if op["#"] == "1.full"]
    assert constant["O"][0]["TT"]["D"][:2] == [{"#": "0.t_f32"}, [4]]


def test_each_method_has_a_file(tmp_path):
    class Two(nn.Layer):
        @paddle.jit.to_static(input_spec=[InputSpec([2])])
        def forward(self, x):
            return x + 1

        @paddle.jit.to_static(input_spec=[InputSpec([2])])
        def score(self, x):
            return x.exp()

    paddle.jit.save(Two(), str(tmp_path / "net"))
    assert any(op["#"] == "1.exp" for op in ops_of(tmp_path / "net.score.json"))
    assert not any(op["#"] == "1.exp" for op in ops_of(tmp_path / "net.json"))


def test_it_is_not_read(tmp_path):
    net = nn.Linear(2, 3)
    paddle.jit.save(net, str(tmp_path / "net"), [InputSpec([4, 2])])
    (tmp_path / "net.json").write_text("not JSON")
    x = paddle.ones([4, 2])
    assert bool((paddle.jit.load(str(tmp_path / "net"))(x) == net(x)).all())
