"""Calls between processes, with only one process."""

import inspect
import pickle

import pytest

import jaxeager as paddle
from jaxeager import distributed as dist


@pytest.fixture
def world():
    dist.init_parallel_env()
    yield dist.get_group()
    if dist.is_initialized():
        dist.destroy_process_group()


def x(*values):
    return paddle.to_tensor(values or (1.0, 2.0))


def test_groups_have_numbers_and_are_forgotten(world):
    own = dist.new_group([0])
    assert [world.id, own.id, dist.new_group().id] == [0, 10, 11]
    assert dist.get_group(10) is own
    assert [own.rank, own.world_size, own.is_member(), own.get_group_rank(0)] == [0, 1, True, 0]
    dist.destroy_process_group(own)
    assert dist.get_group(10) is None
    with pytest.raises(ValueError, match="no group number 10"):
        dist.destroy_process_group(own)
    dist.destroy_process_group()
    assert not dist.is_initialized()
    with pytest.raises(RuntimeError, match="The global group is not initialized"):
        dist.destroy_process_group()


def test_a_group_of_others_has_no_member_here():
    group = dist.communication.group.Group(-1, 5, [3, 4])
    assert [group.world_size, group.get_group_rank(3), group.get_global_rank(0)] == [-1, -1, -1]
    with pytest.raises(ValueError, match=r"distinct processes below 1.*ranks=\[0, 1\]"):
        dist.new_group([1, 0])


def test_a_receiving_tensor_gets_the_value_and_stays_the_same_tensor(world):
    for receive in (
        lambda t: dist.scatter(t, [x()]),
        lambda t: dist.reduce_scatter(t, [x()]),
        lambda t: dist.alltoall_single(t, x(), [2], [2]),
        lambda t: dist.all_gather([t], x()),
        lambda t: dist.all_gather(t, x()),
        lambda t: dist.gather(x(), [t]),
        lambda t: dist.alltoall([t], [x()]),
        lambda t: dist.broadcast(t.set_value(x()) or t, 0),
    ):
        weight = paddle.to_tensor([0.0, 0.0], stop_gradient=False)
        task = receive(weight)
        assert weight.tolist() == [1.0, 2.0]
        assert (weight.is_leaf, weight.inplace_version, task.is_completed()) == (True, 0, True)


def test_gathered_tensors_are_copies_without_history(world):
    weight = paddle.to_tensor([1.0], stop_gradient=False)
    found = []
    dist.all_gather(found, weight * 2)
    dist.alltoall(found_too := [], [weight])
    assert found[0].stop_gradient
    found_too[0].add_(x(5.0))
    assert weight.tolist() == [1.0]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: dist.all_reduce(x(), op=77), "Unknown reduce_op type for 77"),
        (lambda: dist.all_reduce([1.0]), "must be Tensor, but got list"),
        (lambda: dist.reduce(x(), 1), r"Process 1 is not in the group of \[0\]"),
        (lambda: dist.broadcast(x(), 7), r"Process 7 is not in the group of \[0\]"),
        (lambda: dist.scatter(x()), "must give a tensor_list"),
        (lambda: dist.gather(x()), "must give a gather_list"),
        (lambda: dist.scatter(x(), [x(), x()]), "one tensor for each of the 1 processes.*2"),
        (lambda: dist.scatter(x(1.0), [x()]), r"float32 \[1\], the other paddle.float32 \[2\]"),
        (lambda: dist.all_gather([x(1)], x(1.0)), r"one is paddle.int64 \[1\], the other"),
        (lambda: dist.alltoall_single(x(), x(), [3]), r"sizes \[3\] do not add up to 2 rows"),
        (lambda: dist.scatter_object_list([], [1, 2]), "one object for each of the 1.*received 2"),
        (lambda: dist.scatter_object_list([]), "received None"),
        (lambda: dist.send(x(), 1), r"there is no process 1; the group has \[0\]"),
        (lambda: dist.wait(3), "must be Tensor, but got int"),
    ],
)
def test_bad_calls(world, call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_objects_arrive_as_copies(world):
    sent, found, part = {"a": [1]}, [9], [5]
    dist.all_gather_object(found, sent)
    dist.scatter_object_list(part, [sent])
    assert found == [9, {"a": [1]}]
    assert part == [{"a": [1]}]
    assert found[1] is not sent
    # Python 3.14 raises the last of them
    with pytest.raises((AttributeError, TypeError, pickle.PicklingError), match="lambda"):
        dist.all_gather_object([], lambda: None)


def test_sent_tensors_are_received_in_the_order_of_their_sending(world):
    weight = x(1.0)
    dist.isend(weight, 0)
    weight.add_(x(5.0))
    dist.send(x(2.0), 0)
    a, b = x(0.0), x(0.0)
    assert dist.recv(a, 0).is_sync()
    assert not dist.irecv(b).is_sync()
    assert [a.item(), b.item()] == [1.0, 2.0]
    with pytest.raises(RuntimeError, match="nothing was sent that could be received"):
        dist.recv(a, 0)


def test_a_sent_tensor_is_not_lost_when_the_receiver_does_not_fit(world):
    dist.send(x(2.0), 0)
    with pytest.raises(ValueError, match=r"recv\(\): the receiving tensor must be like"):
        dist.recv(x(), 0)
    dist.recv(a := x(0.0), 0)
    assert a.item() == 2.0


def test_several_calls_at_once(world):
    a = x(0.0)
    calls = [dist.P2POp(dist.irecv, a, 0), dist.P2POp(dist.isend, x(3.0), 0)]
    assert len(dist.batch_isend_irecv(calls)) == 2
    assert a.item() == 3.0
    with pytest.raises(TypeError, match=r"op must be paddle.distributed.isend or"):
        dist.P2POp(dist.send, a, 0)
    with pytest.raises(TypeError, match="Each item must be a P2POp, but received int"):
        dist.batch_isend_irecv([3])


def test_the_helper_answers_whether_processes_communicate(world):
    helper = dist.parallel_helper
    assert helper._is_parallel_ctx_initialized()
    assert not helper._is_data_parallel_mode()
    layer = paddle.nn.Linear(2, 2)
    before = layer.weight.tolist()
    helper._broadcast_parameters(layer.parameters())
    assert layer.weight.tolist() == before
    dist.destroy_process_group()
    assert not helper._is_parallel_ctx_initialized()


def test_streams_have_a_further_argument(world):
    signature = inspect.signature(dist.stream.all_gather)
    assert list(signature.parameters) == [
        "tensor_or_tensor_list", "tensor", "group", "sync_op", "use_calc_stream",
    ]  # fmt: skip
    found = []
    dist.stream.all_gather(found, x(), use_calc_stream=True)
    assert len(found) == 1
    a = x(0.0, 0.0, 0.0)
    dist.stream.alltoall_single(a, x(1.0, 2.0, 3.0), out_split_sizes=[3], in_split_sizes=[3])
    assert a.tolist() == [1.0, 2.0, 3.0]
    with pytest.raises(RuntimeError, match="use_calc_stream can only be true in sync op"):
        dist.stream.all_reduce(x(), sync_op=False, use_calc_stream=True)
