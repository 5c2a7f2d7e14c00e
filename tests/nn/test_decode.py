"""Beam search finds the result of an exhaustive search; dynamic_decode stops when it should."""

import itertools

import numpy as np
import pytest

import jaxeager as paddle
from jaxeager import nn
from jaxeager.errors import InvalidArgumentError

WORDS, END = 4, 1


class Table(nn.RNNCellBase):
    """A cell whose next word depends on the last one only."""

    def __init__(self, logits):
        super().__init__()
        self.logits = paddle.to_tensor(logits)

    def forward(self, inputs, states):
        return self.logits[inputs], states


def score(log_probability, words):
    """Return the score of a sentence that starts with 0; words after its end do not count."""
    total, last = 0.0, 0
    for word in words:
        if last != END:
            total, last = total + log_probability[last, word], word
        elif word != END:
            return -np.inf
    return total


def test_wide_beams_find_the_best_sentences():
    logits = np.random.default_rng(7).normal(size=(WORDS, WORDS)).astype("float32")
    log_probability = logits - np.log(np.exp(logits).sum(1, keepdims=True))
    steps = 4
    decoder = nn.BeamSearchDecoder(Table(logits), 0, END, WORDS**3)
    ids, states = nn.dynamic_decode(decoder, paddle.zeros([1, 1]), max_step_num=steps - 1)
    every = sorted(
        itertools.product(range(WORDS), repeat=steps), key=lambda w: -score(log_probability, w)
    )
    found = [tuple(words) for words in ids.numpy()[0].T.tolist()]
    assert found[:5] == every[:5]
    expected = [score(log_probability, words) for words in every[:5]]
    np.testing.assert_allclose(states.log_probs.numpy()[0, :5], expected, rtol=1e-5)


def test_decoding_ends_when_all_beams_have_ended():
    logits = np.full((WORDS, WORDS), -30.0, "float32")
    logits[:, END] = logits[0, 2] = 0.0
    decoder = nn.BeamSearchDecoder(Table(logits), 0, END, 2)
    ids, states, lengths = nn.dynamic_decode(decoder, paddle.zeros([1, 1]), return_length=True)
    assert sorted(ids.numpy()[0].T.tolist()) == [[END, END], [2, END]]
    assert sorted(lengths.numpy()[0].tolist()) == [1, 2]
    assert states.finished.numpy().all()


def test_nothing_to_decode_is_refused():
    class Done(nn.decode.Decoder):
        def initialize(self, inits):
            return inits, inits, paddle.to_tensor([True])

    with pytest.raises(InvalidArgumentError, match="finished before the first step"):
        nn.dynamic_decode(Done(), paddle.ones([1]))


@pytest.mark.parametrize("name", ["initialize", "step", "finalize"])
def test_a_method_that_a_decoder_does_not_define_is_named(name):
    arguments = {"initialize": 1, "step": 3, "finalize": 3}[name] * [None]
    with pytest.raises(NotImplementedError, match=rf"Decoder does not define {name}\(\)"):
        getattr(nn.decode.Decoder(), name)(*arguments)
