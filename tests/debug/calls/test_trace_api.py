"""FLAGS_trace_api: its output, the replaced functions, and their restoration."""

import gc
import math
import os
import re
import sys
import threading
import types

import numpy as np
import pytest

import jaxeager as paddle
from jaxeager.debug.calls import trace_api
from jaxeager.debug.calls.api_config import NoText, config_text, text_of
from jaxeager.errors import InvalidArgumentError, InvalidTypeError
from tests.support.processes import printed_by

FLAG = "FLAGS_trace_api"


class Trace:
    """The destination of a trace."""

    def __init__(self, folder):
        self.folder = folder
        self.path = folder / "api_config.txt"
        self.count = 0

    def start(self, *names, more=""):
        """Trace some APIs."""
        self.count += 1
        yaml = self.folder / f"api{self.count}.yaml"
        yaml.write_text("apis:\n" + "".join(f" - {name}\n" for name in names))
        paddle.set_flags({FLAG: f"{yaml},{self.path}{more}"})

    def lines(self):
        """Return the written lines."""
        return self.path.read_text().splitlines() if self.path.exists() else []


@pytest.fixture
def trace(tmp_path):
    yield Trace(tmp_path)
    paddle.set_flags({FLAG: ""})


# ---- the text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "None"), (True, "True"), (3, "3"), (-0.5, "-0.5"), (1e-5, "1e-05"),
        (math.inf, "math.inf"), (-math.inf, "-math.inf"), (math.nan, "nan"),
        (1 - 2j, "complex(1.0,-2.0)"), (complex(math.inf, 0), "complex(math.inf,0.0)"),
        ("bilinear", '"bilinear"'), ([1, 2], "list[1,2,]"), ((), "tuple()"), ([], "list[]"),
        ((8, [None]), "tuple(8,list[None,],)"), (slice(1, None), "slice(1,None,None)"),
        (Ellipsis, "Ellipsis"), (np.float32(0.5), "0.5"), (np.int8(3), "3"), (np.bool_(1), "True"),
        (np.dtype("int32"), "Dtype(int32)"), (float, "type(float)"),
        (np.float32, "type(numpy.float32)"), (np.zeros((2, 1), "int16"), 'Tensor([2, 1],"int16")'),
        ("two\nlines", '"two\\nlines"'),
    ],
)  # fmt: skip
def test_texts_of_values(value, text):
    assert text_of(value) == text


@pytest.mark.parametrize("dtype", ["bool", "uint8", "int64", "float32", "bfloat16", "complex64"])
def test_texts_of_tensors_and_dtypes(dtype):
    x = paddle.zeros([2, 0], dtype)
    assert text_of(x) == f'Tensor([2, 0],"{dtype}")'
    assert text_of(x.dtype) == f"Dtype({dtype})"
    assert text_of(paddle.zeros([], dtype)) == f'Tensor([],"{dtype}")'


def test_other_texts():
    assert text_of(paddle.CPUPlace()) == "Place(cpu)"
    assert text_of(slice(paddle.to_tensor(1), paddle.to_tensor(3))) == "slice(1,3,None)"
    assert text_of(paddle.ones([2, 3]).shape) == "list[2,3,]"
    with pytest.raises(NoText) as caught:
        config_text("paddle.f", (object(),), {})
    assert caught.value.kind is object


# ---- the output


def test_a_line_a_call(trace):
    trace.start("paddle.concat", "paddle.Tensor.__add__", "paddle.nn.functional.softmax")
    x = paddle.ones([2, 3])
    paddle.concat([x, x], axis=0)
    x + 1.5
    paddle.nn.functional.softmax(x, axis=-1)
    paddle.abs(x)
    assert trace.lines() == [
        'paddle.concat(list[Tensor([2, 3],"float32"),Tensor([2, 3],"float32"),], axis=0, )',
        'paddle.Tensor.__add__(Tensor([2, 3],"float32"), 1.5, )',
        'paddle.nn.functional.softmax(Tensor([2, 3],"float32"), axis=-1, )',
    ]


def test_a_failing_call_has_its_line_and_its_error_is_in_a_second_file(trace):
    trace.start("paddle.matmul")
    x = paddle.ones([2, 3])
    with pytest.raises(ValueError, match="matmul"):
        paddle.matmul(x, x)
    line = 'paddle.matmul(Tensor([2, 3],"float32"), Tensor([2, 3],"float32"), )'
    assert trace.lines() == [line]
    failed = (trace.folder / "api_config.txt.failed").read_text()
    assert failed.startswith(f"{line}\tInvalidArgumentError: ")
    assert failed.count("\n") == 1


def test_functions_that_were_imported_by_name_do_not_escape(trace):
    module = types.ModuleType("a_users_module")
    before = paddle.abs
    module.__dict__["abs"] = before
    sys.modules["a_users_module"] = module
    try:
        trace.start("paddle.abs")
        module.abs(paddle.ones([2]))
        assert trace.lines() == ['paddle.abs(Tensor([2],"float32"), )']
        module.__dict__["later"] = paddle.abs
        paddle.set_flags({FLAG: ""})
        assert module.abs is module.later is paddle.abs is before
    finally:
        del sys.modules["a_users_module"]


def test_a_call_in_place_shows_what_it_was_given(trace):
    trace.start("paddle.Tensor.reshape_")
    paddle.ones([2, 3]).reshape_([6])
    assert trace.lines() == ['paddle.Tensor.reshape_(Tensor([2, 3],"float32"), list[6,], )']


def test_an_argument_without_a_text_is_reported_once(trace):
    trace.start("paddle.abs")
    with (
        pytest.warns(UserWarning, match="calls of paddle.abs with a object are not written"),
        pytest.raises(TypeError),
    ):
        paddle.abs(object())
    with pytest.raises(TypeError):
        paddle.abs(object())
    assert trace.lines() == []


def test_calls_inside_calls_have_no_lines(trace):
    trace.start("paddle.nn.functional.mse_loss", "paddle.mean", "paddle.subtract", "paddle.square")
    paddle.nn.functional.mse_loss(paddle.ones([2]), paddle.zeros([2]))
    paddle.mean(paddle.ones([2]))
    assert [line.partition("(")[0] for line in trace.lines()] == [
        "paddle.nn.functional.mse_loss", "paddle.mean",
    ]  # fmt: skip


def test_layers_show_what_their_forward_calls_and_how_they_are_made(trace):
    trace.start("paddle.nn.Linear", "paddle.nn.functional.linear")
    layer = paddle.nn.Linear(3, 2)
    layer(paddle.ones([1, 3]))
    assert isinstance(layer, paddle.nn.Linear)
    assert trace.lines()[0] == "paddle.nn.Linear(3, 2, )"
    assert trace.lines()[1].startswith('paddle.nn.functional.linear(Tensor([1, 3],"float32")')


def test_unique_writes_a_configuration_once(trace):
    trace.start("paddle.abs", more=",unique")
    for shape in ([2], [2], [3]):
        paddle.abs(paddle.ones(shape))
    assert len(trace.lines()) == 2


def test_all_traces_every_public_function(trace):
    paddle.set_flags({FLAG: f"all,{trace.path}"})
    x = paddle.to_tensor([[1.0, 2.0]])
    y = (x + x.sum()).reshape([-1])[0]
    paddle.linalg.norm(paddle.nn.functional.relu(y))
    assert [line.partition("(")[0] for line in trace.lines()] == [
        "paddle.to_tensor", "paddle.Tensor.sum", "paddle.Tensor.__add__", "paddle.Tensor.reshape",
        "paddle.Tensor.__getitem__", "paddle.nn.functional.relu", "paddle.linalg.norm",
    ]  # fmt: skip
    assert len(trace_api.all_apis()) > 700


def test_threads_have_calls_of_their_own(trace):
    trace.start("paddle.abs")
    workers = [threading.Thread(target=paddle.abs, args=(paddle.ones([2]),)) for _ in range(3)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert len(trace.lines()) == 3


# ---- nothing changes


def test_results_and_gradients_are_the_same(trace):
    def run():
        x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
        y = paddle.tanh(x * x) + 1
        y.sum().backward()
        return y.tolist(), x.grad.numpy().tolist()

    before = run()
    paddle.set_flags({FLAG: f"all,{trace.path}"})
    assert run() == before


def test_everything_is_put_back(trace):
    def faces():
        found = [(name, id(value)) for name, value in vars(paddle).items() if name != "_"]
        found += [(name, id(value)) for name, value in vars(paddle.Tensor).items()]
        found += [(n, id(value)) for n, value in vars(paddle.nn.functional).items()]
        return [*found, ("init", id(paddle.nn.Linear.__init__))]

    paddle.set_flags({FLAG: f"all,{trace.path}"})
    paddle.set_flags({FLAG: ""})  # lazy rooms exist now
    before = faces()
    paddle.set_flags({FLAG: f"all,{trace.path}"})
    trace.start("paddle.abs", "paddle.nn.Linear", "paddle.Tensor.__add__")
    paddle.set_flags({FLAG: ""})
    assert faces() == before
    gc.collect()
    count = len(trace.lines())
    paddle.abs(paddle.ones([2]) + 1)
    assert len(trace.lines()) == count


def test_signatures_are_kept(trace):
    trace.start("paddle.concat")
    assert paddle.concat.__name__ == "concat"
    assert paddle.concat.__doc__


# ---- invalid settings


@pytest.mark.parametrize("value", ["x", "a,b,c", "a,,unique", "all,", "a,b,unique,d"])
def test_a_value_of_another_form_is_refused(value):
    with pytest.raises(InvalidArgumentError, match=r"should be 'api.yaml,out.txt'"):
        paddle.set_flags({FLAG: value})
    assert paddle.get_flags(FLAG) == {FLAG: ""}


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("apis: [paddle.abs]", "line 1"),
        ("apis:\n - paddle.abs\nother:\n", "line 3"),
        ("- paddle.abs", "line 1"),
        ("apis:\n  paddle.abs: 1", "line 2"),
        ("# nothing", "lists no API"),
    ],
)
def test_an_api_yaml_of_another_form_is_refused(tmp_path, text, line):
    (tmp_path / "api.yaml").write_text(text)
    with pytest.raises(InvalidArgumentError, match=line):
        paddle.set_flags({FLAG: f"{tmp_path / 'api.yaml'},{tmp_path / 'out.txt'}"})


def test_an_api_yaml_may_have_comments_and_quotes(tmp_path):
    (tmp_path / "api.yaml").write_text(
        "# a\napis: # b\n\n  - 'paddle.abs'  # c\n- \"paddle.sin\"\n"
    )
    assert trace_api.read_names(str(tmp_path / "api.yaml")) == ["paddle.abs", "paddle.sin"]


def test_names_that_do_not_exist_are_reported_together(trace):
    with pytest.warns(UserWarning, match=r"paddle.conkat \(is it paddle.concat\?\), paddle.nn.zz"):
        trace.start("paddle.conkat", "paddle.abs", "paddle.nn.zz", "paddle.float32")
    paddle.abs(paddle.ones([1]))
    assert len(trace.lines()) == 1
    with pytest.raises(InvalidArgumentError, match=re.escape("not functions here: paddle.zzz")):
        trace.start("paddle.zzzzzzz")
    paddle.abs(paddle.ones([1]))
    assert len(trace.lines()) == 2  # the earlier trace is still active


def test_a_file_that_cannot_be_read_or_written_is_refused(tmp_path):
    with pytest.raises(InvalidArgumentError, match="cannot be read"):
        paddle.set_flags({FLAG: f"{tmp_path / 'no.yaml'},{tmp_path / 'out.txt'}"})
    with pytest.raises(InvalidArgumentError, match="can be written"):
        paddle.set_flags({FLAG: "all,/proc/no/out.txt"})


def test_from_the_environment(tmp_path):
    (tmp_path / "api.yaml").write_text("apis:\n - paddle.abs\n")
    code = "from jaxeager import abs, ones; abs(ones([2]))"
    printed_by(code, **{FLAG: f"{tmp_path / 'api.yaml'},{tmp_path / 'deep' / 'out.txt'}"})
    assert (tmp_path / "deep" / "out.txt").read_text() == 'paddle.abs(Tensor([2],"float32"), )\n'


def test_a_kept_traced_function_writes_nothing_after_tracing_ends(trace):
    trace.start("paddle.exp", "paddle.Tensor.exp")
    kept, method = paddle.exp, paddle.ones([1]).exp
    kept(paddle.ones([1]))
    paddle.set_flags({FLAG: ""})
    before = trace.lines()
    assert kept(paddle.ones([1])).item() == method().item()
    with pytest.raises(InvalidTypeError, match="must be Tensor"):
        kept("none")
    assert trace.lines() == before


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no full device")
def test_a_full_disk_is_reported_once_and_stops_no_call():
    paddle.set_flags({FLAG: "all,/dev/full"})
    try:
        with pytest.warns(UserWarning, match="The output of FLAGS_trace_api is lost"):
            paddle.exp(paddle.zeros([2]))
        assert paddle.exp(paddle.zeros([2])).tolist() == [1.0, 1.0]  # without a second one
    finally:
        paddle.set_flags({FLAG: ""})


def test_a_list_whose_path_is_none(tmp_path):
    with pytest.raises(InvalidArgumentError, match="cannot be read"):
        paddle.set_flags({FLAG: f"a\0b,{tmp_path}/out"})


def test_a_class_of_the_users_is_not_the_one_it_is_made_of(trace):
    class Mine(paddle.nn.Linear):
        pass

    trace.start("paddle.nn.Linear")
    Mine(2, 3)
    assert trace.lines() == []
    paddle.nn.Linear(2, 3)
    assert trace.lines() == ["paddle.nn.Linear(2, 3, )"]
