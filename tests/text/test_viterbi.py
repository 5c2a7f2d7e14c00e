"""paddle.text.viterbi_decode: the size of the result, refusals, the layer."""

import pytest

import jaxeager as paddle
from jaxeager.errors import InvalidArgumentError

POTENTIALS = paddle.to_tensor([[[0.0, 1.0], [3.0, 0.0], [0.0, 9.0]]] * 2)
FREE = paddle.zeros([2, 2])


def test_the_path_is_as_long_as_the_longest():
    scores, path = paddle.text.viterbi_decode(POTENTIALS, FREE, paddle.to_tensor([2, 1]), False)
    assert scores.tolist() == [4.0, 1.0]
    assert path.tolist() == [[1, 0], [1, 0]]
    assert scores.stop_gradient
    assert path.stop_gradient


def test_a_dear_transition_is_avoided():
    transitions = paddle.to_tensor([[0.0, -20.0], [0.0, 0.0]])
    scores, path = paddle.text.viterbi_decode(
        POTENTIALS, transitions, paddle.to_tensor([3, 3]), include_bos_eos_tag=False
    )
    assert scores.tolist() == [10.0, 10.0]
    assert path.tolist() == [[1, 1, 1]] * 2


def test_lengths_beyond_the_end_are_refused():
    with pytest.raises(InvalidArgumentError, match=r"at most 3, .* but one is 9"):
        paddle.text.viterbi_decode(POTENTIALS, FREE, paddle.to_tensor([9, 1]))


def test_nothing_to_decode():
    scores, path = paddle.text.viterbi_decode(
        POTENTIALS[:0], FREE, paddle.zeros([0], "int64"), include_bos_eos_tag=True
    )
    assert scores.shape == [0]
    assert path.shape == [0, 0]


def test_the_layer_keeps_its_transitions_out_of_its_state():
    decoder = paddle.text.ViterbiDecoder(FREE, include_bos_eos_tag=False)
    assert decoder(POTENTIALS, paddle.to_tensor([3, 3]))[1].tolist() == [[1, 0, 1]] * 2
    assert decoder.state_dict() == {}
