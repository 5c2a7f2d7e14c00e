"""FLAGS_op_timeout: an op that does not end is reported."""

import re
import time

import pytest

import jaxeager as paddle
from jaxeager.debug.hangs import recorder
from jaxeager.graph import events
from tests.debug.hangs.test_recorder import line_of, rows, run


@pytest.fixture
def limit():
    """Set a limit of 0.2 s, after compiling everything, which may take longer."""
    x = paddle.to_tensor([1.0], stop_gradient=False)
    (x * 2 + x * x).sum().backward()
    paddle.optimizer.SGD(0.1, parameters=[x]).step()
    paddle.ones([2])
    paddle.set_flags({"FLAGS_op_timeout": 0.2})
    yield
    paddle.set_flags({"FLAGS_op_timeout": 0})
    assert not events._observers
    assert recorder._recorder is None


def test_an_op_that_hangs_is_reported_with_its_line_and_all_stacks(tmp_path):
    code, said, text, _ = run("hang", tmp_path, FLAGS_op_timeout="0.4")
    assert code == 0
    head = r"The op lookup\(float32\[2, 3\]\) has not ended for 0\.[4-9] s \(FLAGS_op_timeout=0.4\)"
    assert re.search(head, said)
    assert f"at {line_of('the hang')}." in said
    assert "in slow" in said
    assert re.search(r"The op lookup has ended, after 1\.\d s", said)
    assert rows(text)[-1][:3] == ("runs", "op", "lookup(float32[2, 3])")
    assert "TimeoutError: The op lookup" in text


def test_a_slow_hook_is_reported_once_as_a_hook(limit, capfd):
    x = paddle.to_tensor([1.0], stop_gradient=False)
    y = x * 2
    y.register_hook(lambda grad: time.sleep(0.5))
    y.sum().backward()
    said = capfd.readouterr().err
    assert len(re.findall(r"The hook \S*<lambda>\(float32\[1\]\) has not ended", said)) >= 1
    assert said.count("Thread MainThread (most recent call last)") == 1
    assert "The node" not in said


def test_a_run_within_its_limit_reports_nothing(limit, capfd):
    x = paddle.to_tensor([1.0], stop_gradient=False)
    sgd = paddle.optimizer.SGD(0.1, parameters=[x])
    (x * x).sum().backward()
    sgd.step()
    assert x.tolist() == pytest.approx([0.8])
    assert "has not ended" not in capfd.readouterr().err


def test_a_wait_between_two_ops_is_reported_with_its_line(limit, capfd):
    paddle.ones([2]).tanh()
    time.sleep(0.9)
    here = test_a_wait_between_two_ops_is_reported_with_its_line.__code__.co_firstlineno
    said = capfd.readouterr().err
    assert re.search(r"^No op has run for 0\.[2-5] s \(FLAGS_op_timeout=0\.2\)\.$", said, re.M)
    assert f"The main thread is at {__file__}:{here + 2}." in said
    assert f"The last op was tanh(float32[2]), at {__file__}:{here + 1}." in said
    assert said.count("Thread MainThread (most recent call last)") == 1
    assert 1 <= said.count("No op has run") <= 3


def test_ops_that_follow_each_other_are_no_wait(limit, capfd):
    x = paddle.ones([2])
    for _ in range(8):
        x.tanh()
        time.sleep(0.05)
    assert "No op has run" not in capfd.readouterr().err
