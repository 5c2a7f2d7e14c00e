"""Stepwise decoding: Decoder, BeamSearchDecoder, and dynamic_decode, which runs them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

import jaxeager as paddle
from jaxeager.errors import InvalidArgumentError, UnimplementedError
from jaxeager.nn import functional as F
from jaxeager.tensor import Tensor
from jaxeager.utils.structure import flatten, map_structure

if TYPE_CHECKING:
    from jaxeager.nn.layer.layer import Layer
    from jaxeager.nn.layer.rnn_cells import RNNCellBase

LOWEST = -1e9  # the log probability of impossible tokens


class Decoder:
    """Base of decoders, which ``dynamic_decode`` runs step by step.

    A subclass defines ``initialize`` and ``step``, and ``finalize`` if the outputs of all steps
    need postprocessing.
    """

    def initialize(self, inits: Any) -> tuple[Tensor, Any, Tensor]:
        """Return the arguments of the first step: (inputs, states, finished).

        Args:
            inits: the argument of ``dynamic_decode``.
        """
        raise UnimplementedError(f"{type(self).__name__} does not define initialize().")

    def step(
        self, time: Tensor, inputs: Any, states: Any, **kwargs: Any
    ) -> tuple[Any, Any, Tensor, Tensor]:
        """Return one step's (outputs, next states, next inputs, finished).

        Args:
            time: int64[1], the number of the step.
            inputs: the inputs of the step.
            states: the states before the step.
            **kwargs: the keyword arguments of ``dynamic_decode``.
        """
        raise UnimplementedError(f"{type(self).__name__} does not define step().")

    def finalize(
        self, outputs: Any, final_states: Any, sequence_lengths: Tensor
    ) -> tuple[Tensor, Any]:
        """Return (outputs, states), computed from the outputs of all steps.

        Args:
            outputs: the outputs of all steps, stacked with time first.
            final_states: the states after the last step.
            sequence_lengths: int64, the number of steps after which each sequence finished.
        """
        raise UnimplementedError(f"{type(self).__name__} does not define finalize().")

    @property
    def tracks_own_finished(self) -> bool:
        """Return whether ``step`` itself keeps track of the sequences that finished earlier."""
        return False


class OutputWrapper(NamedTuple):
    """The result of a beam search step: scores, tokens, and the beams they continue."""

    scores: Tensor
    predicted_ids: Tensor
    parent_ids: Tensor


class StateWrapper(NamedTuple):
    """State of beam search: the cell's states, and the score, end flag and length of each beam."""

    cell_states: Any
    log_probs: Tensor
    finished: Tensor
    lengths: Tensor


class BeamSearchDecoder(Decoder):
    """Decoder that keeps the most likely continuations of each sequence at every step.

    Args:
        cell: an RNNCellBase, or a callable like one; its arguments are [batch * beam, ...].
        start_token: the token every sequence begins with.
        end_token: the token that finishes a sequence.
        beam_size: number of continuations to keep.
        embedding_fn: maps tokens, int64[batch, beam], to inputs; None for the identity.
        output_fn: maps the cell's outputs, [batch, beam, ...], to logits; None for the identity.

    Example:
        >>> import jaxeager as paddle
        >>> cell, linear = paddle.nn.GRUCell(4, 4), paddle.nn.Linear(4, 6)
        >>> embed = paddle.nn.Embedding(6, 4)
        >>> decoder = paddle.nn.BeamSearchDecoder(cell, 0, 1, 3, embed, linear)
        >>> ids, states = paddle.nn.dynamic_decode(decoder, paddle.zeros([2, 4]), max_step_num=4)
        >>> ids.shape[0], ids.shape[2]
        (2, 3)
    """

    OutputWrapper = OutputWrapper
    StateWrapper = StateWrapper

    def __init__(
        self,
        cell: RNNCellBase,
        start_token: int,
        end_token: int,
        beam_size: int,
        embedding_fn: Layer | Callable[..., Any] | None = None,
        output_fn: Layer | Callable[..., Any] | None = None,
    ):
        self.cell, self.embedding_fn, self.output_fn = cell, embedding_fn, output_fn
        self.start_token, self.end_token, self.beam_size = start_token, end_token, beam_size

    @staticmethod
    def tile_beam_merge_with_batch(x: Tensor, beam_size: int) -> Tensor:
        """Repeat each element of a batch, for additional inputs of the cell.

        Args:
            x: [batch, ...].
            beam_size: number of repetitions.

        Returns:
            [batch * beam_size, ...].

        Example:
            >>> import jaxeager as paddle
            >>> tile = paddle.nn.BeamSearchDecoder.tile_beam_merge_with_batch
            >>> tile(paddle.to_tensor([[1.0], [2.0]]), 2).tolist()
            [[1.0], [1.0], [2.0], [2.0]]
        """
        shape = x.shape
        repeated = paddle.tile(paddle.unsqueeze(x, [1]), [1, beam_size] + [1] * (len(shape) - 1))
        return paddle.reshape(repeated, [shape[0] * beam_size, *shape[1:]])

    def initialize(self, initial_cell_states: Any) -> tuple[Tensor, Any, Tensor]:
        """Return the first step's (inputs, states, finished), in which only the first beam counts.

        Args:
            initial_cell_states: the cell's states, each [batch, ...].
        """
        batch = flatten(initial_cell_states)[0].shape[0]
        tokens = paddle.full([batch, self.beam_size], self.start_token, "int64")
        scores = np.full((batch, self.beam_size), LOWEST, paddle.get_default_dtype())
        scores[:, 0] = 0
        finished = paddle.full([batch, self.beam_size], False, "bool")
        beams = map_structure(self._expand_to_beam_size, initial_cell_states)
        states = StateWrapper(beams, paddle.to_tensor(scores), finished, paddle.zeros_like(tokens))
        return self._embedded(tokens), states, finished

    def step(
        self, time: Tensor, inputs: Any, states: StateWrapper, **kwargs: Any
    ) -> tuple[Any, Any, Tensor, Tensor]:
        """Return one step's (outputs, next states, next inputs, finished).

        Args:
            time: int64[1], the number of the step.
            inputs: [batch, beam, ...].
            states: a StateWrapper.
            **kwargs: passed to the cell.
        """
        outputs, next_states = self.cell(
            map_structure(self._merge_batch_beams, inputs),
            map_structure(self._merge_batch_beams, states.cell_states),
            **kwargs,
        )
        outputs = map_structure(self._split_batch_beams, outputs)
        next_states = map_structure(self._split_batch_beams, next_states)
        logits = outputs if self.output_fn is None else self.output_fn(outputs)
        found, states = self._beam_search_step(time, logits, next_states, states)
        found.predicted_ids.stop_gradient = True
        return found, states, self._embedded(found.predicted_ids), states.finished

    def finalize(
        self, outputs: OutputWrapper, final_states: StateWrapper, sequence_lengths: Tensor
    ) -> tuple[Tensor, Any]:
        """Return (tokens, states), where each beam's tokens are traced back from the last step.

        Args:
            outputs: an OutputWrapper of all steps, stacked with time first.
            final_states: the states after the last step.
            sequence_lengths: int64[batch, beam], unused.
        """
        return F.gather_tree(outputs.predicted_ids, outputs.parent_ids), final_states

    @property
    def tracks_own_finished(self) -> bool:
        """Return True: beams change places, and their end flags move with them."""
        return True

    def _embedded(self, tokens: Tensor):
        return tokens if self.embedding_fn is None else self.embedding_fn(tokens)

    # A subclass that overrides `step`, such as PaddleNLP's for transformers, calls these methods by
    # the names that they have in Paddle.

    def _expand_to_beam_size(self, x: Tensor) -> Tensor:
        """Return x, [batch, ...], repeated as [batch, beam, ...]."""
        return paddle.tile(paddle.unsqueeze(x, [1]), [1, self.beam_size] + [1] * (x.ndim - 1))

    def _merge_batch_beams(self, x: Tensor) -> Tensor:
        """Return x, [batch, beam, ...], as [batch * beam, ...]."""
        return paddle.reshape(x, [-1, *x.shape[2:]])

    def _split_batch_beams(self, x: Tensor) -> Tensor:
        """Return x, [batch * beam, ...], as [batch, beam, ...]."""
        return paddle.reshape(x, [-1, self.beam_size, *x.shape[1:]])

    def _beam_search_step(
        self, time: Tensor, logits: Tensor, next_cell_states: Any, beam_state: StateWrapper
    ) -> tuple[OutputWrapper, StateWrapper]:
        """Return the best continuations over all beams, and their states.

        Args:
            time: unused.
            logits: [batch, beam, words].
            next_cell_states: the cell's states, each [batch, beam, ...].
            beam_state: the StateWrapper before the step.
        """
        words = logits.shape[-1]
        scores = self._mask_probs(paddle.log(F.softmax(logits)), beam_state.finished)
        scores = scores + beam_state.log_probs.unsqueeze(2)
        best, places = paddle.topk(scores.reshape([-1, self.beam_size * words]), self.beam_size)
        beams, tokens = places // words, places % words
        finished = self._gather(beam_state.finished, beams)
        lengths = self._gather(beam_state.lengths, beams)
        lengths = lengths + paddle.logical_not(finished).astype(lengths.dtype)
        finished = paddle.logical_or(finished, tokens == self.end_token)
        next_states = map_structure(lambda x: self._gather(x, beams), next_cell_states)
        return (
            self.OutputWrapper(best, tokens, beams),
            self.StateWrapper(next_states, best, finished, lengths),
        )

    def _mask_probs(self, probs: Tensor, finished: Tensor) -> Tensor:
        """Return the scores, where a finished beam can only end again, at no cost.

        Args:
            probs: [batch, beam, words], logarithms of probabilities.
            finished: bool[batch, beam].
        """
        ends = np.full(probs.shape[-1], LOWEST)
        ends[self.end_token] = 0
        return paddle.where(finished.unsqueeze(2), paddle.to_tensor(ends, dtype=probs.dtype), probs)

    def _gather(self, x: Tensor, indices: Tensor, batch_size: Tensor | int | None = None) -> Tensor:
        """Return x, [batch, beam, ...], with its beams reordered; the size is that of x."""
        rows = paddle.arange(x.shape[0], dtype=indices.dtype).unsqueeze(1).expand(indices.shape)
        return paddle.gather_nd(x, paddle.stack([rows, indices], axis=2))


def dynamic_decode(
    decoder: Decoder,
    inits: Any = None,
    max_step_num: int | None = None,
    output_time_major: bool = False,
    impute_finished: bool = False,
    is_test: bool = False,
    return_length: bool = False,
    **kwargs: Any,
) -> tuple:
    """Run a decoder until every sequence is finished; waits for the device at each step.

    Args:
        decoder: a Decoder.
        inits: passed to its ``initialize``.
        max_step_num: largest step number, counted from 0; None for no limit.
        output_time_major: return the outputs as [time, batch, ...], not [batch, time, ...].
        impute_finished: keep the previous states of finished sequences; for decoders that do
            not track what is finished themselves.
        is_test: ignored.
        return_length: also return the lengths.
        **kwargs: passed to each ``step``.

    Returns:
        (outputs, final states), and the sequence lengths, int64, if requested.

    Raises:
        InvalidArgumentError: if every sequence is finished before the first step.

    Example:
        >>> import jaxeager as paddle
        >>> class Count(paddle.nn.decode.Decoder):
        ...     def initialize(self, inits):
        ...         return inits, inits, paddle.to_tensor([False])
        ...
        ...     def step(self, time, inputs, states):
        ...         total = states + inputs
        ...         return total, total, inputs, total[:, 0] >= 3
        >>> outputs, total = paddle.nn.dynamic_decode(Count(), paddle.ones([1, 1]))
        >>> outputs.tolist()
        [[[2.0], [3.0]]]
    """
    inputs, states, finished = decoder.initialize(inits)
    lengths = paddle.zeros_like(finished).astype("int64")
    outputs: list = []
    while not bool(paddle.all(finished)):
        if max_step_num is not None and len(outputs) > max_step_num:
            break
        time = paddle.full([1], len(outputs), "int64")
        found, next_states, inputs, now = decoder.step(time, inputs, states, **kwargs)
        if decoder.tracks_own_finished:
            lengths = getattr(next_states, "lengths", lengths)
        else:
            now = paddle.logical_or(now, finished)
            lengths = lengths + paddle.logical_not(now).astype(lengths.dtype)
            if impute_finished:
                next_states = _imputed(next_states, states, now)
        finished, states = now, next_states
        outputs.append(found)
    if not outputs:
        raise InvalidArgumentError(
            "Every sequence is finished before the first step: there is nothing to decode."
        )
    result = map_structure(lambda *each: paddle.stack(list(each), axis=0), *outputs)
    if type(decoder).finalize is not Decoder.finalize:
        result, states = decoder.finalize(result, states, lengths)
    if not output_time_major:
        result = map_structure(lambda x: paddle.transpose(x, [1, 0, *range(2, x.ndim)]), result)
    return (result, states, lengths) if return_length else (result, states)


def _imputed(new, old, finished: Tensor):
    """Return the new states, with the old ones for finished sequences."""

    def kept(new, old):
        return paddle.where(finished.reshape([-1] + [1] * (new.ndim - 1)), old, new)

    return map_structure(kept, new, old)
