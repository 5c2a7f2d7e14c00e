"""BeamSearchDecoder and dynamic_decode."""

from ..probe import attempt
from ..registry import program
from .recurrent import draw, fill


def _seq2seq(paddle, np, cell, seed=41):
    """Returns a cell, an embedding and an output layer of 7 words, filled."""
    nn = paddle.nn
    parts = nn.LayerList([cell, nn.Embedding(7, 3), nn.Linear(4, 7)])
    r = np.random.default_rng(seed)
    for parameter in parts.parameters():
        parameter.set_value((r.normal(size=parameter.shape) * 1.5).astype("float32"))
    return parts


def _states(paddle, np, cell, batch):
    """Returns states to begin with, values of their own for each sequence."""
    states = [paddle.to_tensor(draw(np, batch, 4, seed=s)) for s in (1, 2)]
    return tuple(states) if isinstance(cell, paddle.nn.LSTMCell) else states[0]


def _leaves(states):
    """Returns the cell states as a list of arrays."""
    many = states if isinstance(states, (list, tuple)) else [states]
    return [each.numpy() for each in many]


@program
def decoding_beams(paddle, np):
    """Tokens, scores, lengths and states of beam search, for each cell and several beams."""
    nn = paddle.nn
    found = {}
    for key, cell in (("gru", nn.GRUCell(3, 4)), ("lstm", nn.LSTMCell(3, 4))):
        cell, embed, output = _seq2seq(paddle, np, cell)
        for beams in (1, 2, 4):
            for end in (1, 3):
                decoder = nn.BeamSearchDecoder(cell, 0, end, beams, embed, output)
                ids, states, lengths = nn.dynamic_decode(
                    decoder, _states(paddle, np, cell, 3), max_step_num=6, return_length=True
                )
                found[f"{key} {beams} {end}"] = [
                    ids.numpy(), str(ids.dtype), lengths.numpy(), states.log_probs.numpy(),
                    states.finished.numpy(), _leaves(states.cell_states), ids.stop_gradient,
                ]  # fmt: skip
    return found


@program
def decoding_in_time_order(paddle, np):
    """output_time_major, and how many steps max_step_num allows."""
    nn = paddle.nn
    cell, embed, output = _seq2seq(paddle, np, nn.GRUCell(3, 4), seed=5)
    decoder = nn.BeamSearchDecoder(cell, 0, 6, 3, embed, output)
    found = []
    for more in ({}, {"output_time_major": True}):
        for steps in (0, 1, 4):
            result = nn.dynamic_decode(
                decoder, _states(paddle, np, cell, 2), max_step_num=steps, **more
            )
            found += [len(result), result[0].numpy(), type(result[1]).__name__]
    return found


@program
def decoding_one_step(paddle, np):
    """initialize and step of a beam search, called alone."""
    nn = paddle.nn
    cell, embed, output = _seq2seq(paddle, np, nn.GRUCell(3, 4))
    decoder = nn.BeamSearchDecoder(
        cell, start_token=2, end_token=1, beam_size=2, embedding_fn=embed, output_fn=output
    )
    inputs, states, finished = decoder.initialize(paddle.to_tensor(draw(np, 2, 4)))
    start = [inputs.numpy(), _leaves(states.cell_states), states.log_probs.numpy()]
    start += [finished.numpy(), states.lengths.numpy(), str(states.lengths.dtype)]
    outputs, states, inputs, finished = decoder.step(
        paddle.zeros([1], dtype="int64"), inputs, states
    )
    tile = nn.BeamSearchDecoder.tile_beam_merge_with_batch(paddle.to_tensor(draw(np, 2, 3)), 2)
    return [
        start, outputs._fields, [each.numpy() for each in outputs], states._fields,
        inputs.numpy(), finished.numpy(), states.lengths.numpy(), tile.numpy(),
        decoder.tracks_own_finished,
    ]  # fmt: skip


def _counter(paddle, limits):
    """Returns a decoder that adds its inputs until each sequence has reached its limit."""

    class Counter(paddle.nn.decode.Decoder):
        def initialize(self, inits):
            return paddle.ones_like(inits), inits, paddle.zeros([inits.shape[0]], dtype="bool")

        def step(self, time, inputs, states, scale=1.0):
            total = states + inputs * scale
            done = paddle.sum(total, axis=1) >= limits
            return {"total": total, "time": time + paddle.zeros([2], "int64")}, total, inputs, done

    return Counter()


@program
def decoding_of_a_user(paddle, np):
    """A decoder of one's own: lengths, states of finished sequences, arguments."""
    limits = paddle.to_tensor([3.0, 7.0])
    found = {}
    for text, more in {
        "plain": {},
        "imputed": {"impute_finished": True},
        "argument": {"scale": 0.5, "max_step_num": 4},
        "time": {"output_time_major": True, "is_test": True},
    }.items():
        outputs, states, lengths = paddle.nn.dynamic_decode(
            _counter(paddle, limits), paddle.zeros([2, 1]), return_length=True, **more
        )
        found[text] = [outputs["total"].numpy(), states.numpy(), lengths.numpy()]
    base = paddle.nn.decode.Decoder()
    found["base"] = [attempt(lambda: base.initialize(None))["error"], base.tracks_own_finished]
    return found


@program
def decoding_without_embedding(paddle, np):
    """A cell that takes tokens and gives logits itself."""
    nn = paddle.nn

    class Table(nn.RNNCellBase):
        def __init__(self):
            super().__init__()
            self.table = fill(np, nn.Embedding(6, 6), seed=8)

        def forward(self, inputs, states):
            return self.table(inputs) + states, states * 0.5

    decoder = nn.BeamSearchDecoder(Table(), 0, 5, 3)
    ids, states = nn.dynamic_decode(decoder, paddle.to_tensor(draw(np, 2, 6)), max_step_num=5)
    return [ids.numpy(), states.lengths.numpy(), states.cell_states.numpy()]


@program
def decoding_by_a_subclass(paddle, np):
    """A subclass has its own step: positions, and states that grow, as transformers have."""
    nn, map_structure = paddle.nn, paddle.utils.map_structure
    cell, embed, output = _seq2seq(paddle, np, nn.GRUCell(3, 4), seed=9)

    def grown(pair, states):
        (tokens, positions), (hidden, seen) = pair, states
        hidden, _ = cell(embed(tokens[:, 0]) + 0.1 * positions.astype("float32"), hidden)
        seen = paddle.concat([seen, hidden.unsqueeze(1)], axis=1)
        return output(seen.mean(1)).unsqueeze(1), (hidden, seen)

    class Decoder(nn.BeamSearchDecoder):
        def step(self, time, inputs, states, **kwargs):
            tokens = paddle.reshape(inputs, [-1, 1])
            pair = tokens, paddle.ones_like(tokens) * time
            logits, grew = self.cell(
                pair, map_structure(self._merge_batch_beams, states.cell_states)
            )
            logits = map_structure(lambda x: paddle.squeeze(x, [1]), logits)
            found, states = self._beam_search_step(
                time=time,
                logits=map_structure(self._split_batch_beams, logits),
                next_cell_states=map_structure(self._split_batch_beams, grew),
                beam_state=states,
            )
            return found, states, found.predicted_ids, states.finished

    start = paddle.to_tensor(draw(np, 2, 4, seed=1)), paddle.to_tensor(draw(np, 2, 1, 4, seed=2))
    decoder = Decoder(grown, 0, 1, 3)
    ids, states = nn.dynamic_decode(decoder, start, max_step_num=4)
    picked = decoder._gather(states.lengths, ids[:, 0] % 3, paddle.to_tensor(2))
    return [ids.numpy(), states.log_probs.numpy(), _leaves(states.cell_states), picked.numpy()]
