"""async_save: a file written in a thread, with the values at the time of the call."""

import io

import pytest

import jaxeager as paddle
from jaxeager.framework import async_save, clear_async_save_task_queue
from jaxeager.framework.io import async_save_queue


def test_async_save_writes_the_state_at_the_call(tmp_path):
    layer, path = paddle.nn.Linear(2, 3), str(tmp_path / "deep" / "layer.pdparams")
    wanted = layer.weight.tolist()
    async_save(layer.state_dict(), path)
    layer.weight.set_value(layer.weight * 0)
    clear_async_save_task_queue()
    assert async_save_queue == []
    assert paddle.load(path)["weight"].tolist() == wanted
    async_save(paddle.ones([2]), path, sync_other_task=True)
    clear_async_save_task_queue()
    assert paddle.load(path).tolist() == [1.0, 1.0]
    buffer = io.BytesIO()
    async_save({"a": paddle.ones([1])}, buffer)
    buffer.seek(0)
    assert paddle.load(buffer)["a"].tolist() == [1.0]


def test_async_save_refuses_bad_values_and_reports_a_failed_write(tmp_path):
    with pytest.raises(TypeError, match="does not support this type: <class 'list'>"):
        async_save([paddle.ones([1])], str(tmp_path / "x"))
    with pytest.warns(UserWarning, match="configs are not supported in async mode"):
        async_save(paddle.ones([1]), str(tmp_path / "x"), safetensors=True)
    (tmp_path / "file").write_text("")
    async_save(paddle.ones([1]), str(tmp_path / "file" / "x"))
    with pytest.raises(OSError, match="file"):
        clear_async_save_task_queue()
    clear_async_save_task_queue()
