"""Generators and readers: tests beyond the parity programs."""

import pytest

import jaxeager as paddle
from jaxeager.errors import InvalidArgumentError


def test_a_generator_has_its_own_stream():
    paddle.seed(1)
    expected = paddle.rand([2]).tolist()
    paddle.seed(1)
    generator = paddle.Generator()
    generator.manual_seed(9)
    generator.random()
    assert paddle.rand([2]).tolist() == expected


def test_numbers_of_a_generator_differ_and_fit_into_int64():
    generator = paddle.Generator().manual_seed(3)
    drawn = [generator.random() for _ in range(5)]
    assert len(set(drawn)) == 5
    assert all(0 <= number < 2**63 for number in drawn)


def test_seed_draws_a_new_seed():
    generator = paddle.Generator()
    assert generator.seed() == generator.initial_seed()
    assert generator.seed() != generator.seed()


def test_a_generator_for_a_device_that_is_not_there():
    with pytest.raises(InvalidArgumentError, match="There is no device 'gpu:99'"):
        paddle.Generator("gpu:99")


def test_states_of_gpus(monkeypatch):
    monkeypatch.setattr("jaxeager.framework.random._has_gpu", lambda: True)
    state = paddle.get_cuda_rng_state()
    drawn = paddle.rand([2]).tolist()
    paddle.set_cuda_rng_state(state)
    assert paddle.rand([2]).tolist() == drawn
    with pytest.raises(InvalidArgumentError, match="should be 1, but it is 2"):
        paddle.set_cuda_rng_state(state * 2)


def test_set_rng_state_refuses_an_empty_list():
    with pytest.raises(InvalidArgumentError, match="should be equal to 1, but it is 0"):
        paddle.set_rng_state([])


def test_readers_begin_again():
    reader = paddle.batch(lambda: iter(range(3)), 2, drop_last=True)
    assert list(reader()) == list(reader()) == [[0, 1]]


def test_static_mode_is_refused():
    with pytest.raises(NotImplementedError, match="no static graphs"):
        paddle.enable_static()
    assert paddle.in_dynamic_mode()


def test_classes_of_paddle_are_classes_here():
    assert isinstance(paddle.Generator(), paddle.Generator)
    assert isinstance(paddle.FloatTensor, type)
    assert type(paddle.FloatTensor([1.0])) is paddle.Tensor
    assert type(paddle.LongTensor(2, 3)) is paddle.Tensor
    assert paddle.FloatTensor.__name__ == "FloatTensor"
