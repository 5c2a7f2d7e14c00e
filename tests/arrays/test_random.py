"""The stateful generator: seeds, states, threads."""

import threading

import jax

import jaxeager as paddle
from jaxeager.arrays.random import Generator


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


def chain(seed, count):
    """Return the words of the first keys of a seed by one split for each, and the state after."""
    state, drawn = jax.random.key(seed), []
    for _ in range(count):
        state, key = jax.random.split(state)
        drawn.append(words(key))
    return drawn, words(state)


def test_keys_that_are_made_together_are_those_of_one_split_each():
    for count in (0, 1, 15, 16, 17, 40):
        generator = Generator(11)
        drawn = [words(generator.next_key()) for _ in range(count)]
        assert (drawn, words(generator.get_state())) == chain(11, count)


def test_a_state_may_be_put_back_at_any_draw():
    generator = Generator(6)
    expected, _ = chain(6, 40)
    for count in (3, 20):
        generator.manual_seed(6)
        for _ in range(count):
            generator.next_key()
        state = generator.get_state()
        later = [words(generator.next_key()) for _ in range(18)]
        generator.set_state(state)
        assert [words(generator.next_key()) for _ in range(18)] == later
        assert later == expected[count : count + 18]


def test_a_stream_goes_back_to_a_mark_as_often_as_one_likes():
    expected, _ = chain(6, 60)
    for count in (0, 1, 5, 16, 17):
        generator = Generator(6)
        for _ in range(count):
            generator.next_key()
        mark = generator.mark()
        for _ in range(3):
            drawn = [words(generator.next_key()) for _ in range(20)]
            assert drawn == expected[count : count + 20]
            generator.go_back(mark)


def test_keys_of_another_implementation_draw_as_well():
    generator = Generator()
    state = jax.random.key(4, impl="rbg")
    generator.set_state(state)
    after, key = jax.random.split(state)
    assert words(generator.next_key()) == words(key)
    assert words(generator.get_state()) == words(after)


def test_a_random_op_takes_words_and_keys_alike():
    from jaxeager.ops.nn.dropout import dropout

    x, key = paddle.ones([50]), jax.random.key(9)
    expected = dropout(x, key, 0.5).tolist()
    assert dropout(x, jax.random.key_data(key), 0.5).tolist() == expected
    assert set(expected) == {0.0, 2.0}


# Drawn when each draw split the state by itself.
RECORDED = {
    "uniform": [0.1045, 0.218],
    "randn": [0.9437, -0.4809],
    "randint": [15, 12, 93, 62],
    "randperm": [2, 4, 0, 1, 3],
    "bernoulli": [0.0, 0.0, 0.0, 1.0],
    "multinomial": [1, 0, 0, 1],
    "poisson": [1.0, 2.0, 5.0, 9.0],  # since all elements are drawn at once
    "dropout": [0.0, 1.0, 1.4, 0.0],
    "exponential": [0.305, 0.5659, 1.6229, 1.8379],
    "gumbel": [0.4487, 0.5513, 0.2698, 0.7302],
}


def test_the_first_numbers_of_a_seed_stay_what_they_are():
    paddle.seed(2026)
    x = paddle.to_tensor([[0.1, 0.5], [0.7, 0.9]])
    drawn = {
        "uniform": paddle.uniform([2]), "randn": paddle.randn([2]),
        "randint": paddle.randint(0, 100, [4]), "randperm": paddle.randperm(5),
        "bernoulli": paddle.bernoulli(x), "multinomial": paddle.multinomial(x, 2),
        "poisson": paddle.poisson(x * 9), "dropout": paddle.nn.functional.dropout(x, 0.5),
        "exponential": x.clone().exponential_(), "gumbel": paddle.nn.functional.gumbel_softmax(x),
    }  # fmt: skip
    got = {name: [round(each, 4) for each in t.flatten().tolist()] for name, t in drawn.items()}
    assert got == RECORDED
