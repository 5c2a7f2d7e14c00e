"""The files of Python stacks: of every API call, and of the nodes that backward runs."""

import os
import re
import threading

import jax
import pytest

import jaxeager as paddle
from jaxeager.debug.common import naming
from jaxeager.debug.stacks import stacks
from jaxeager.debug.stacks.files import API, FOLDER, NODE
from jaxeager.graph import events
from jaxeager.ops.call.observers import lookers
from tests.support.here import only_on_a_cpu
from tests.support.leaves import leaf


@pytest.fixture
def flags():
    """Yield a function that sets flags; no flag writes any more after the test."""
    naming.reset()
    yield paddle.set_flags
    paddle.set_flags({API: "", NODE: "", FOLDER: ""})
    assert not events._observers


def read(path):
    """Return the contents of a file whose name has the process id added."""
    return (path.parent / f"{path.name}.{os.getpid()}").read_text()


def calls(path):
    """Return the names of the entries of an API file."""
    return re.findall(r"^(\S+) : $", read(path), re.MULTILINE)


class Double(paddle.autograd.PyLayer):
    """Multiplies by two, with an op in backward."""

    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        return grad.tanh()


class Fails(paddle.autograd.PyLayer):
    """Raises in forward."""

    @staticmethod
    def forward(ctx, x):
        raise KeyError("on purpose")


def test_an_api_entry_is_the_name_and_the_frames(flags, tmp_path):
    x = leaf()
    flags({API: str(tmp_path / "api")})
    paddle.nn.functional.relu(x)
    name, *_, place, source, end = read(tmp_path / "api").split("\n")
    assert name == "relu1 : "
    assert re.fullmatch(rf'  File "{__file__}", line \d+, in test_an_api_entry_is\w+', place)
    assert source == "    paddle.nn.functional.relu(x)"
    assert end == ""


def test_ops_writes_and_py_layers_have_an_entry(flags, tmp_path):
    x = leaf()
    flags({API: str(tmp_path / "api")})
    y = x * x
    z = y + paddle.ones([2])
    z.add_(y)
    z[0] = 1.0
    Double.apply(z).sum().backward()
    assert calls(tmp_path / "api") == [
        "multiply1", "full1", "add1", "add_1", "set_value_1", "Double1", "scale1", "sum1", "tanh1",
    ]  # fmt: skip


def test_a_step_has_an_entry_per_parameter(flags, tmp_path):
    x, y = leaf(), leaf()
    first = paddle.optimizer.SGD(0.5, parameters=[x, y])
    second = paddle.optimizer.Adam(0.5, parameters=[x])
    (x * y).sum().backward()
    flags({API: str(tmp_path / "api")})
    first.step()
    second.step()
    first.step()
    assert calls(tmp_path / "api") == ["sgd_1", "sgd_2", "adam_1", "sgd_3", "sgd_4"]
    entry = read(tmp_path / "api").split("sgd_2 : \n")[1].split("adam_1")[0]
    assert re.search(r"in test_a_step_has_an_entry\w+\n    first.step\(\)\n  File", entry)
    assert re.search(r'File "\S+/optimizer/optimizer.py", line \d+, in', entry)
    x.stop_gradient = y.stop_gradient = True
    first.clear_grad()
    first.step()  # nothing to update
    assert len(calls(tmp_path / "api")) == 5


def test_a_step_that_a_scaler_skips_has_no_entry(flags, tmp_path):
    """Paddle does the same: the step is not called then."""
    x = leaf()
    optimizer = paddle.optimizer.SGD(0.1, parameters=[x])
    scaler = paddle.amp.GradScaler(init_loss_scaling=2.0, use_dynamic_loss_scaling=True)
    flags({API: str(tmp_path / "api")})
    for factor in (float("inf"), 1.0):
        with paddle.amp.auto_cast(dtype="float16"):
            loss = (x * factor).sum()
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
        optimizer.clear_grad()
    assert x.tolist() == pytest.approx([0.9, 1.9])
    assert [name for name in calls(tmp_path / "api") if "sgd" in name] == ["sgd_1"]


def test_steps_have_the_same_names_in_every_file(flags, tmp_path):
    x = leaf()
    optimizer = paddle.optimizer.Momentum(0.5, parameters=[x])
    (x * x).sum().backward()
    md5 = str(tmp_path / "md5")
    flags({API: str(tmp_path / "api"), "FLAGS_tensor_md5_checksum_output_path": md5})
    optimizer.step()
    optimizer.step()
    flags({"FLAGS_tensor_md5_checksum_output_path": ""})
    assert calls(tmp_path / "api") == ["momentum_1", "momentum_2"]
    lines = (tmp_path / "md5").read_text().splitlines()
    found = [line.split("_param_out")[0] for line in lines if "_param_out" in line]
    assert found == ["momentum_1", "momentum_2"]


def test_failed_calls_have_an_entry(flags, tmp_path):
    flags({API: str(tmp_path / "api")})
    x = leaf()
    with pytest.raises(ValueError, match="matmul"):
        paddle.matmul(paddle.ones([2, 3]), paddle.ones([4, 5]))
    with pytest.raises(KeyError, match="on purpose"):
        Fails.apply(x)
    Double.apply(x)
    names = calls(tmp_path / "api")
    assert names == ["full1", "full2", "matmul1", "Fails1", "Double2", "scale1"]


def test_an_entry_is_written_before_the_kernel_runs(flags, tmp_path):
    seen = []

    def look(a):
        seen.append(calls(tmp_path / "api"))
        return a

    def of_host(a):
        return jax.pure_callback(look, jax.ShapeDtypeStruct(a.shape, a.dtype), a)

    x = leaf()
    flags({API: str(tmp_path / "api")})
    paddle.autograd.from_jax(of_host, name="host")(x * x).numpy()
    assert seen == [["multiply1", "host1"]]


@only_on_a_cpu("what is not waited for is refused later")
def test_a_call_that_a_check_refuses_has_an_entry(flags, tmp_path):
    flags({API: str(tmp_path / "api")})
    x, far = paddle.ones([3, 2]), paddle.to_tensor([5])
    refused = [
        lambda: paddle.gather(x, far),
        lambda: paddle.nn.functional.embedding(far, x),
        lambda: x[5],
        lambda: paddle.bernoulli(x - 7),
        lambda: paddle.floor_divide(far, far - far),  # checked in the op
        lambda: paddle.autograd.from_jax(lambda a: a @ a, name="bad")(x),
    ]
    for call in refused:
        with pytest.raises((ValueError, IndexError, TypeError)):
            call()
    assert calls(tmp_path / "api") == [
        "full1", "gather1", "embedding1", "slice1", "scale1", "bernoulli1", "subtract1",
        "floor_divide1", "bad1",
    ]  # fmt: skip


def test_a_pylayer_has_an_entry_and_so_its_node_can_be_joined(flags, tmp_path):
    # BEAT: real Paddle writes none for the PyLayer itself
    flags({API: str(tmp_path / "api"), NODE: str(tmp_path / "node")})
    Double.apply(leaf()).sum().backward()
    assert "Double1" in calls(tmp_path / "api")
    assert "GradNodeBase GradNodePyLayer_Double ptr : 0x" in read(tmp_path / "node")


def test_ops_that_backward_runs_have_no_entry(flags, tmp_path):
    x = leaf()
    y = (x * x * x).sum()
    flags({API: str(tmp_path / "api")})
    paddle.grad(y, x, create_graph=True)
    assert set(calls(tmp_path / "api")) <= {"add1", "add2", "add3"}


def test_the_node_file_is_a_call_stack_log_per_backward(flags, tmp_path):
    flags({NODE: str(tmp_path / "node")})
    x = leaf()
    y = (x * x).sum()
    y.backward()
    square = y.grad_fn.next_functions[0]
    text = read(tmp_path / "node")
    assert text == stacks.call_stack_text([y.grad_fn, square, square.next_functions[0]])
    names = re.findall(r"^GradNodeBase (\S+) ptr : (0x\w+) call stack: $", text, re.MULTILINE)
    assert [name for name, _ in names] == [
        "sum1GradNode", "multiply1GradNode", "GradNodeAccumulation",
    ]  # fmt: skip
    assert names[0][1] == f"{y.grad_fn.node_ptr():#x}"
    paddle.grad(x * x, x)
    assert read(tmp_path / "node").count("Note : ") == 2


def test_the_order_of_nodes_is_that_of_backward_every_time(flags, tmp_path):
    # BEAT: random in real Paddle
    flags({NODE: str(tmp_path / "node")})
    seen = []
    for number in range(3):
        naming.reset()
        x = leaf()
        parts = [x.exp(), x.sin(), x.cos(), x.tanh(), x * x]
        (parts[0] + parts[1] + parts[2] + parts[3] + parts[4]).sum().backward()
        paddle.grad([part.sum() for part in [x.exp(), x.sin(), x.abs()]], x)
        texts = read(tmp_path / "node").split(stacks.NOTE)[1:]
        seen.append(
            [re.findall(r"^GradNodeBase (\S+)", text, re.M) for text in texts[2 * number :]]
        )
    assert seen[0] == seen[1] == seen[2]


def test_folders_of_stack_files_are_made(flags, tmp_path):
    # BEAT: in real Paddle the first op fails
    flags({API: str(tmp_path / "no" / "such" / "api"), FOLDER: str(tmp_path / "folder" / "deep")})
    leaf().exp().sum().backward()
    assert "exp1" in calls(tmp_path / "no" / "such" / "api")
    assert sorted(os.listdir(tmp_path / "folder" / "deep")) == [
        f"api_call_stack.{os.getpid()}", f"gradnode_call_stack.{os.getpid()}",
    ]  # fmt: skip


def test_a_folder_that_cannot_be_made_is_refused_at_once(flags, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(ValueError, match="path should name a file that can be written"):
        flags({NODE: str(tmp_path / "node"), API: str(tmp_path / "file" / "api")})
    assert paddle.get_flags([API, NODE]) == {API: "", NODE: ""}
    leaf().exp().sum().backward()
    assert sorted(os.listdir(tmp_path)) == ["file"]


def test_a_path_that_fails_keeps_the_one_before(flags, tmp_path):
    (tmp_path / "file").write_text("")
    flags({API: str(tmp_path / "api")})
    with pytest.raises(ValueError, match="should name a file that can be written"):
        flags({API: str(tmp_path / "file" / "api")})
    leaf().exp()
    assert calls(tmp_path / "api") == ["exp1"]


def test_an_empty_path_stops_it_and_the_flags_of_others_stay(flags, tmp_path):
    # BEAT: real Paddle switches unique names and level 3 on for good
    before = paddle.get_flags(["FLAGS_enable_unique_name", "FLAGS_call_stack_level"])
    x = leaf()
    x.exp()
    looking = list(lookers)
    flags({API: str(tmp_path / "api"), NODE: str(tmp_path / "node")})
    y = x.exp()
    assert y.name.startswith("eager_tmp_")
    assert y.grad_fn.name() == "ExpGradNode"
    assert paddle.get_flags(["FLAGS_enable_unique_name", "FLAGS_call_stack_level"]) == before
    flags({API: "", NODE: ""})
    size = len(read(tmp_path / "api"))
    x.exp().sum().backward()
    assert len(read(tmp_path / "api")) == size
    assert lookers == looking
    assert not hasattr(x.exp().grad_fn, "stack")


def test_another_path_takes_over(flags, tmp_path):
    flags({API: str(tmp_path / "one")})
    leaf().exp()
    flags({API: str(tmp_path / "two")})
    leaf().exp()
    assert (calls(tmp_path / "one"), calls(tmp_path / "two")) == (["exp1"], ["exp2"])


def test_the_path_and_the_folder_are_written_both(flags, tmp_path):
    # real Paddle writes the one that was set last
    flags({API: str(tmp_path / "api"), FOLDER: str(tmp_path)})
    leaf().exp()
    assert read(tmp_path / "api") == read(tmp_path / "api_call_stack")
    flags({API: ""})
    leaf().exp()
    assert calls(tmp_path / "api_call_stack") == ["exp1", "exp2"]


def test_a_relative_path_is_that_of_where_it_was_set(flags, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    flags({API: "api"})
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    leaf().exp()
    assert calls(tmp_path / "api") == ["exp1"]


def test_threads_write_whole_entries(flags, tmp_path):
    flags({API: str(tmp_path / "api")})

    def work():
        for _ in range(20):
            leaf().exp()

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    names = calls(tmp_path / "api")
    assert sorted(names) == sorted(f"exp{number}" for number in range(1, 81))
    lines = read(tmp_path / "api").splitlines()
    assert all(line.startswith(("exp", "  File ", "    ")) for line in lines)


def test_a_failing_backward_has_written_its_nodes(flags, tmp_path):
    flags({NODE: str(tmp_path / "node")})
    x = leaf()
    y = x * 2
    z = (y * y).sum()
    y.scale_(2.0)
    with pytest.raises(RuntimeError, match="modified by an inplace"):
        z.backward()
    assert read(tmp_path / "node").count("GradNodeBase") == 4


@pytest.mark.parametrize("dtype", ["bool", "int8", "float16", "bfloat16", "complex64"])
def test_every_dtype_and_empty_and_0d_tensors(flags, tmp_path, dtype):
    flags({API: str(tmp_path / "api")})
    for shape in ([], [0, 3], [2]):
        paddle.zeros(shape, dtype).reshape([-1])
    assert len(calls(tmp_path / "api")) == 6


def test_names_and_numbers_join_the_files_with_the_dumped_graph(flags, tmp_path):
    flags({API: str(tmp_path / "api"), NODE: str(tmp_path / "node")})
    x = leaf()
    y = Double.apply(x.exp() * x).sum()
    y.backward(dump_backward_graph_path=str(tmp_path / "graph"))
    entry = re.compile(r"^GradNodeBase (\S+) ptr : (\S+) call stack: \n((?: .*\n)*)", re.MULTILINE)
    (log,) = (tmp_path / "graph").glob("*call_stack.log")
    nodes = entry.findall(read(tmp_path / "node"))
    assert sorted(nodes) == sorted(entry.findall(log.read_text()))
    (dot,) = (tmp_path / "graph").glob("*backward_graph.dot")
    for name, number, _ in nodes:
        assert name in dot.read_text()
        assert number in dot.read_text()
    joined = {name.removesuffix("GradNode") for name, *_ in nodes if name[-9].isdigit()}
    assert joined == {"exp1", "multiply1", "sum1"}
    assert joined <= set(calls(tmp_path / "api"))
