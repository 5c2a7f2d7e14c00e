"""Streams and events: one queue for each device."""

import pytest

import jaxeager as paddle
from jaxeager import cuda, device


def test_a_stream_that_is_set_is_the_current_one():
    first = device.current_stream()
    one, other = device.Stream(), device.Stream("cpu", priority=1)
    with device.stream_guard(one):
        assert device.current_stream() is one
        with cuda.stream(other):
            assert cuda.current_stream("cpu") is other
        assert device.current_stream() is one
        with device.stream_guard(None):
            assert device.current_stream() is one
    assert device.current_stream() is first
    assert device.set_stream(one) is first
    assert device.set_stream(first) is one
    with pytest.raises(TypeError, match="takes a Stream, but received 3"):
        device.set_stream(3)  # type: ignore[arg-type]
    assert str(one).startswith("<paddle.device.Stream device=")
    assert not device.is_current_stream_capturing()


def test_a_stream_waits_for_what_was_started():
    stream = device.Stream()
    x = paddle.ones([300, 300])
    for _ in range(5):
        x = x @ x / 300.0
    stream.wait_stream(device.current_stream())
    stream.wait_event(stream.record_event())
    stream.synchronize()
    assert stream.query()
    assert x._array.is_ready()


def test_events_take_times():
    start, end = device.Event(enable_timing=True), device.cuda.Event(True)
    device.current_stream().record_event(start)
    x = paddle.ones([400, 400])
    for _ in range(10):
        x = x @ x / 400.0
    end.record()
    assert x._array.is_ready()
    assert 0.0 < start.elapsed_time(end) < 1e5
    assert end.elapsed_time(start) < 0.0
    with pytest.raises(RuntimeError, match="two events that were made with enable_timing"):
        start.elapsed_time(device.Event())


def test_an_event_knows_when_its_work_is_done():
    x = paddle.ones([500, 500])
    for _ in range(5):
        x = x @ x / 500.0
    event = device.Event()
    event.record()
    event.synchronize()
    assert event.query()
    assert str(event) == "Event(enable_timing=False)"


def test_names_of_cuda_work_on_any_device():
    free, total = cuda.mem_get_info()
    assert 0 < free <= total
    assert cuda.current_device() == 0
    assert cuda.is_initialized() == cuda.is_available()
    cuda.manual_seed_all(11)
    assert paddle.random.initial_seed() == 11
    first = paddle.rand([3]).tolist()
    cuda.manual_seed(11)
    assert paddle.rand([3]).tolist() == first
    cuda.set_device("cpu")
    cuda.set_device(0)
    assert paddle.get_device() == "cpu" or cuda.is_available()
