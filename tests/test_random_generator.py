"""The stateful generator: seeds, states, threads."""

import threading

import jax

import jaxeager as paddle
from jaxeager.random import Generator


def words(key):
    return jax.random.key_data(key).tolist()


def test_a_seed_fixes_the_stream():
    first, second = Generator(3), Generator(3)
    assert [words(first.next_key()) for _ in range(3)] == [
        words(second.next_key()) for _ in range(3)
    ]
    assert words(Generator(4).next_key()) != words(Generator(3).next_key())
    assert first.initial_seed() == 3


def test_state_can_be_kept_and_put_back():
    paddle.seed(5)
    paddle.rand([1])
    state = paddle.get_rng_state()
    expected = paddle.rand([4]).tolist()
    paddle.set_rng_state(state)
    assert paddle.rand([4]).tolist() == expected


def test_threads_never_draw_the_same_key():
    generator, drawn = Generator(0), []
    threads = [
        threading.Thread(
            target=lambda: drawn.extend(words(generator.next_key()) for _ in range(50))
        )
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({tuple(each) for each in drawn}) == 200
