"""distributed.rpc and sent objects, with one process."""

import pytest

import jaxeager as paddle
from jaxeager import distributed
from jaxeager.distributed import rpc
from jaxeager.distributed.ranks.job_key import is_of_this_machine


@pytest.fixture
def worker():
    rpc.init_rpc("me", 0, 1, "127.0.0.1:8000")
    yield
    rpc.shutdown()


def test_functions_are_called_by_the_name_of_this_process(worker):
    assert rpc.rpc_sync("me", divmod, (7, 2)) == (3, 1)
    future = rpc.rpc_async("me", dict, kwargs={"a": 1}, timeout=5)
    assert future.wait() == {"a": 1}
    assert rpc.rpc_sync("me", paddle.add, (paddle.ones([2]), 1.0)).tolist() == [2.0, 2.0]
    info = rpc.get_worker_info("me")
    assert (info.name, info.rank) == ("me", 0)
    assert rpc.get_all_worker_infos() == [info]
    assert rpc.get_current_worker_info() == info
    with pytest.raises(ZeroDivisionError):
        rpc.rpc_sync("me", divmod, (1, 0))
    with pytest.raises(ValueError, match="no process 'you'; the only one is called 'me'"):
        rpc.rpc_sync("you", divmod, (1, 2))
    with pytest.raises(RuntimeError, match="was called before"):
        rpc.init_rpc("again")


def test_calls_need_a_beginning():
    with pytest.raises(RuntimeError, match=r"Call paddle.distributed.rpc.init_rpc\(\) first"):
        rpc.rpc_sync("me", len)
    with pytest.raises(ValueError, match="rank 1 is not one of 1 processes"):
        rpc.init_rpc("me", 1, 1)
    with pytest.raises(ValueError, match="2 processes need a master_endpoint"):
        rpc.init_rpc("me", 1, 2)
    with pytest.raises(RuntimeError, match="anyone could send functions to run"):
        rpc.init_rpc("me", 1, 2, "10.1.2.3:4567")


def test_a_process_that_does_not_come_is_named(monkeypatch):
    monkeypatch.setattr(rpc.agents, "MEET_SECONDS", 0.2)
    with pytest.raises(RuntimeError, match=r"processes those of ranks \[1, 2\] have not connected"):
        rpc.init_rpc("me", 0, 3, "127.0.0.1:0")
    rpc.init_rpc("me", 0, 1)  # nothing of it is left
    rpc.shutdown()


@pytest.mark.parametrize(
    ("host", "is_here"),
    [
        *[(host, True) for host in ("localhost", "127.0.0.1", "127.9.8.7", "::1", "[::1]")],
        *[(host, False) for host in ("127.example.com", "10.1.2.3", "", "127.0.0.256", "0.0.0.0")],
    ],
)
def test_an_address_of_this_machine(host, is_here):
    assert is_of_this_machine(host) is is_here


def test_objects_arrive_as_copies():
    distributed.init_parallel_env()
    sent = [{"a": [1]}, "b"]
    distributed.send_object_list(sent, dst_in_group=0)
    sent[0]["a"].append(2)
    found = [None, None]
    distributed.recv_object_list(found, 0)
    assert found == [{"a": [1]}, "b"]
    with pytest.raises(RuntimeError, match="nothing was sent"):
        distributed.recv_object_list(found)
    distributed.send_object_list([1])
    with pytest.raises(ValueError, match="1 objects were sent, but object_list has 2 places"):
        distributed.recv_object_list(found)
    with pytest.raises(ValueError, match="there is no process 3"):
        distributed.send_object_list([1], 3)
    with pytest.raises(ValueError, match="or its rank in the group"):
        distributed.send_object_list([1], 0, None, 0)
    with pytest.raises(ValueError, match="cannot be None or empty"):
        distributed.send_object_list([])
    distributed.shutdown_process_group()
    distributed.restart_process_group()
    distributed.parallel.sync_params_buffers(paddle.nn.Linear(1, 1))
    distributed.destroy_process_group()


def test_a_part_is_recomputed_with_a_group():
    hybrid = distributed.fleet.recompute.recompute_hybrid
    layer, x = paddle.nn.Linear(3, 3), paddle.ones([1, 3])
    group = distributed.new_group([0])
    hybrid({"mp_group": group, "offload": True}, layer, x).sum().backward()
    assert layer.weight.grad.tolist() == [[1.0] * 3] * 3
    with pytest.raises(ValueError, match="ctx must contains mp_group"):
        hybrid({}, layer, x)
    distributed.destroy_process_group()


def test_an_object_without_the_key_is_not_unpickled(monkeypatch):
    """The port that carries objects between ranks accepts connections from any client."""
    from jaxeager.distributed.communication import objects

    monkeypatch.setenv("PADDLE_MASTER", "127.0.0.1:2345")
    monkeypatch.setenv("JAXEAGER_JOB_KEY", "of another job")
    packed = objects._packed({"a": 1})
    padded = objects._bytes(packed, len(packed) + 7)
    assert objects._unpacked(padded) == {"a": 1}
    changed = packed.copy()
    changed[-3] ^= 1
    with pytest.raises(RuntimeError, match="it is not unpickled"):
        objects._unpacked(objects._bytes(changed, len(changed)))
    monkeypatch.setenv("JAXEAGER_JOB_KEY", "of this job")
    with pytest.raises(RuntimeError, match="it is not unpickled"):
        objects._unpacked(padded)
    monkeypatch.delenv("JAXEAGER_JOB_KEY")
    monkeypatch.setenv("PADDLE_MASTER", "10.1.2.3:2345")  # several machines without a key
    packed = objects._packed([3])
    assert objects._unpacked(objects._bytes(packed, len(packed))) == [3]
