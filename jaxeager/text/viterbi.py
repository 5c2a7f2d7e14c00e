"""Viterbi decoding of the most likely sequence of tags, as a function and as a layer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jaxeager.errors import InvalidArgumentError
from jaxeager.nn.layer.layer import Layer
from jaxeager.ops.call.dispatch import raw
from jaxeager.ops.nn.viterbi import viterbi_decode as decode_row

if TYPE_CHECKING:
    from jaxeager.tensor.tensor import Tensor


def viterbi_decode(
    potentials: Tensor,
    transition_params: Tensor,
    lengths: Tensor,
    include_bos_eos_tag: bool = True,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """Return the highest score of a sequence of tags, and that sequence.

    It waits for the device: the size of the result is the largest length.

    Args:
        potentials: float[batch, n, tags], the score of each tag at each position.
        transition_params: float[tags, tags], the score of each transition between tags.
        lengths: int[batch], number of positions of each sequence.
        include_bos_eos_tag: whether to add the last row of ``transition_params`` at the start,
            and the second to last at the end.
        name: accepted for compatibility.

    Returns:
        scores of shape [batch], and tags of shape [batch, max(lengths)], int64; 0 after the end.

    Raises:
        InvalidArgumentError: for shapes or dtypes that do not match, and lengths above ``n``.

    Example:
        >>> import jaxeager as paddle
        >>> potentials = paddle.to_tensor([[[0.0, 1.0], [2.0, 0.0]]])
        >>> scores, path = paddle.text.viterbi_decode(
        ...     potentials, paddle.zeros([2, 2]), paddle.to_tensor([2]), False
        ... )
        >>> scores.tolist(), path.tolist()
        ([3.0], [[1, 0]])
    """
    scores, path = decode_row(potentials, transition_params, lengths, include_bos_eos_tag)
    longest, shortest = int(raw(lengths).max(initial=0)), int(raw(lengths).min(initial=0))
    if longest > path.shape[1] or shortest < 0:
        raise InvalidArgumentError(
            f"lengths must be at most {path.shape[1]}, the number of places, and not "
            f"negative, but one is {shortest if shortest < 0 else longest}."
        )
    return scores, path[:, :longest]


class ViterbiDecoder(Layer):
    """Layer that finds the most likely sequences of tags; see ``viterbi_decode``.

    Args:
        transitions: float[tags, tags], the score of each transition between tags.
        include_bos_eos_tag: whether its last rows are those of start and stop.
        name: accepted for compatibility.

    Shape:
        potentials [batch, n, tags] and lengths [batch] to scores [batch] and tags
        [batch, max(lengths)].

    Example:
        >>> import jaxeager as paddle
        >>> decoder = paddle.text.ViterbiDecoder(paddle.zeros([3, 3]))
        >>> scores, path = decoder(paddle.ones([2, 4, 3]), paddle.to_tensor([4, 2]))
        >>> path.shape
        paddle.Size([2, 4])
    """

    def __init__(
        self, transitions: Tensor, include_bos_eos_tag: bool = True, name: str | None = None
    ):
        super().__init__()
        self.transitions = transitions
        self.include_bos_eos_tag = include_bos_eos_tag
        self.name = name

    def forward(self, potentials: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        return viterbi_decode(
            potentials, self.transitions, lengths, self.include_bos_eos_tag, self.name
        )
