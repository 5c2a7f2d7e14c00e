"""Checkpoints of ShardedWeights in Paddle's files, on one process."""

import os
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

import jaxeager as paddle
from jaxeager import distributed as dist
from jaxeager.distributed import build_sharded_state_dict
from jaxeager.distributed.checkpoint_files import paddle_files
from jaxeager.distributed.sharded_weights import ShardedWeight
from jaxeager.framework.restricted_pickle.part_records import (
    LocalTensorIndex,
    LocalTensorMetadata,
    Metadata,
)
from tests.parity.harness import needed_paddle
from tests.parity.questions import ROOT, environment

VALUES = np.arange(24, dtype=np.float32).reshape(6, 4)


def names_in(folder):
    return sorted(each.name for each in Path(folder).iterdir())


def test_tensors_are_filled_with_what_was_saved(tmp_path):
    saved = {
        "a": paddle.to_tensor(VALUES),
        "half": paddle.to_tensor([1.5, 2.5], dtype="bfloat16"),
        "one": paddle.to_tensor(3, dtype="int64"),
        "none": paddle.zeros([0, 3]),
    }
    dist.save_state_dict({"model": build_sharded_state_dict(saved)}, tmp_path)
    assert names_in(tmp_path) == ["0.metadata", "0_0.distcp"]
    blank = {name: paddle.zeros_like(each) for name, each in saved.items()}
    dist.load_state_dict({"model": build_sharded_state_dict(blank)}, tmp_path)
    for name, each in saved.items():
        assert blank[name].tolist() == each.tolist()
        assert blank[name].dtype == each.dtype
    plain = {"model": {"a": paddle.zeros([6, 4])}}
    dist.load_state_dict(plain, tmp_path)
    assert plain["model"]["a"].tolist() == VALUES.tolist()
    merged = dist.load_merged_state_dict(tmp_path)
    assert sorted(merged["model"]) == sorted(saved)
    assert merged["model"]["a"].tolist() == VALUES.tolist()
    assert sorted(dist.load_merged_state_dict(tmp_path, "model.")) == sorted(saved)


def test_nothing_is_a_checkpoint_too(tmp_path):
    dist.save_state_dict({}, tmp_path)
    assert "0.metadata" in names_in(tmp_path)
    dist.load_state_dict({}, tmp_path)


def test_the_last_checkpoint_is_replaced(tmp_path):
    for number in (1.0, 2.0):
        parts = build_sharded_state_dict({"x": paddle.full([2], number)})
        dist.save_state_dict(parts, tmp_path)
    assert names_in(tmp_path) == ["0.metadata", "0_0.distcp"]
    dist.save_state_dict(parts, tmp_path, unique_id=3)
    x = paddle.zeros([2])
    dist.load_state_dict({"x": x}, tmp_path, unique_id=0)
    assert x.tolist() == [2.0, 2.0]
    with pytest.raises(RuntimeError, match=r"no checkpoint 7 in .* it has \[0, 3\]"):
        dist.load_state_dict({"x": x}, tmp_path, unique_id=7)


def test_parts_are_written_in_the_background(tmp_path, monkeypatch):
    """The values are those of the call; the checkpoint is there once it is whole."""
    may_write, write = threading.Event(), paddle_files.save

    def wait_and_write(*arguments):
        may_write.wait(60)
        write(*arguments)

    monkeypatch.setattr(paddle_files, "save", wait_and_write)
    x = paddle.full([2], 1.0)
    dist.save_state_dict(build_sharded_state_dict({"x": x}), tmp_path, async_save=True)
    x.add_(paddle.ones([2]))
    assert names_in(tmp_path) == []
    may_write.set()
    dist.load_state_dict({"x": x}, tmp_path)
    assert x.tolist() == [1.0, 1.0]
    assert names_in(tmp_path) == ["0.metadata", "0_0.distcp"]


def test_an_error_in_the_background_is_raised_by_the_next_call(tmp_path):
    (tmp_path / "0_0.distcp").mkdir()
    parts = build_sharded_state_dict({"x": paddle.zeros([2])})
    dist.save_state_dict(parts, tmp_path, async_save=True)
    with pytest.raises((OSError, ValueError), match=r"0_0\.distcp"):
        dist.save_state_dict(parts, tmp_path / "other")
    assert names_in(tmp_path) == ["0_0.distcp"]


def written(folder, cut):
    """Write the parts of VALUES, as two processes would: each (offset, shape, range, values)."""
    places, files = [], {}
    for rank, parts in enumerate(cut):
        for offset, shape, span, values in parts:
            place = (offset, shape, "float32", (6, 4), span is not None, span)
            places.append(LocalTensorMetadata(*place))
            index = LocalTensorIndex("x", offset, span is not None, span, local_shape=shape)
            files[index] = f"{rank}_0.distcp"
            paddle.save({"x": paddle.to_tensor(values)}, str(folder / f"{rank}_0.distcp"))
    paddle.save(Metadata({"x": places}, files, {"x": ("x",)}), str(folder / "0.metadata"))


ROWS = [[((0, 0), (2, 4), None, VALUES[:2])], [((2, 0), (4, 4), None, VALUES[2:])]]
COLUMNS = [[((0, 0), (6, 1), None, VALUES[:, :1])], [((0, 1), (6, 3), None, VALUES[:, 1:])]]
FLAT = [
    [((0, 0), (6, 4), (0, 9), VALUES.reshape(-1)[:9])],
    [((0, 0), (6, 4), (9, 24), VALUES.reshape(-1)[9:])],
]


@pytest.mark.parametrize("cut", [ROWS, COLUMNS, FLAT], ids=["rows", "columns", "flat"])
def test_parts_are_cut_from_other_parts(tmp_path, cut):
    written(tmp_path, cut)
    whole = paddle.zeros([6, 4])
    dist.load_state_dict({"x": whole}, tmp_path)
    assert whole.tolist() == VALUES.tolist()
    middle = paddle.zeros([3, 2])
    part = ShardedWeight("x", middle, (3, 2), (6, 4), (1, 1))
    dist.load_state_dict({"x": part}, tmp_path)
    assert middle.tolist() == VALUES[1:4, 1:3].tolist()
    flat = paddle.zeros([5])
    part = ShardedWeight("x", flat, (3, 4), (6, 4), (1, 0), True, slice(4, 9))
    dist.load_state_dict({"x": part}, tmp_path)
    assert flat.tolist() == VALUES[1:4].reshape(-1)[4:9].tolist()
    assert dist.load_merged_state_dict(tmp_path)["x"].tolist() == VALUES.tolist()


def test_parts_may_be_in_memory():
    load = dist.flex_checkpoint.dcp.load_state_dict
    places = [LocalTensorMetadata((at, 0), (3, 4), "float32") for at in (0, 3)]
    files = {LocalTensorIndex("x", (at, 0)): f"{at}.pdopt" for at in (0, 3)}
    source = {"0.pdopt": {"x": paddle.to_tensor(VALUES[:3])}, "3.pdopt": {"x": VALUES[3:]}}
    x = paddle.zeros([6, 4])
    load._load_state_dict({"x": x}, source, [Metadata({"x": places}, files)], offload=True)
    assert x.tolist() == VALUES.tolist()
    with pytest.raises(ValueError, match=r"the state dict: the file 3.pdopt has no values of 'x'"):
        load._load_state_dict({"x": x}, {**source, "3.pdopt": {}}, [Metadata({"x": places}, files)])
    with pytest.raises(ValueError, match="must have the records of one checkpoint, but has 0"):
        load._load_state_dict({}, {}, [])


def test_one_process_reads_each_file():
    read = dist.flex_checkpoint.dcp.load_state_dict.get_rank_to_read_files
    assert read({0: ["a"], 1: ["a", "b"]}, {0: ["a", "b"], 1: ["b"]}) == ["a"]
    assert read({1: ["a", "b", "c"]}, {0: ["a", "b"], 1: ["b", "c"]}) == ["a"]
    assert read({0: ["a"]}, {}) == []


def test_a_flattened_part_is_written(tmp_path):
    flat = ShardedWeight("x", paddle.arange(6.0), (2, 3), (2, 3), (0, 0), True, slice(0, 6))
    dist.save_state_dict({"x": flat}, tmp_path)
    assert dist.load_merged_state_dict(tmp_path)["x"].tolist() == [[0, 1, 2], [3, 4, 5]]


def test_missing_parts_are_an_error(tmp_path):
    upper = ShardedWeight("x", paddle.zeros([2, 4]), (2, 4), (6, 4), (0, 0))
    with pytest.raises(ValueError, match="have 8 of the 24 elements of 'x'"):
        dist.save_state_dict({"x": upper}, tmp_path)
    written(tmp_path, ROWS[:1])
    dist.load_state_dict({"x": upper}, tmp_path)
    with pytest.raises(ValueError, match="has 8 of the 24 elements of 'x' that are needed"):
        dist.load_state_dict({"x": paddle.zeros([6, 4])}, tmp_path)
    (tmp_path / "0_0.distcp").unlink()
    with pytest.raises(RuntimeError, match=r"no file .*0_0.distcp, which 0.metadata names"):
        dist.load_state_dict({"x": upper}, tmp_path)


def test_what_does_not_fit_is_an_error_and_nothing_is_filled(tmp_path):
    written(tmp_path, ROWS)
    x = paddle.zeros([6, 4])
    with pytest.raises(RuntimeError, match=r"lacks 'y'; it has \['x'\]"):
        dist.load_state_dict({"x": x, "y": x}, tmp_path)
    with pytest.raises(
        ValueError, match=r"'x' has shape \[5\] and dtype float32, but shape \[6, 4"
    ):
        dist.load_state_dict({"x": paddle.zeros([5])}, tmp_path)
    with pytest.raises(ValueError, match=r"dtype int64, but shape .* and dtype float32"):
        dist.load_state_dict({"x": paddle.zeros([6, 4], "int64")}, tmp_path)
    with pytest.raises(ValueError, match="n: a state dict has tensors and dicts"):
        dist.load_state_dict({"x": x, "n": 3}, tmp_path)
    with pytest.raises(ValueError, match="the part has 8 elements, but its place has 24"):
        dist.save_state_dict(
            {"x": ShardedWeight("x", paddle.zeros([2, 4]), (6, 4), (6, 4), (0, 0))}, tmp_path
        )
    assert not x.numpy().any()


@pytest.mark.parametrize(
    ("records", "said"),
    [
        ({"x": 1}, "has no records of a checkpoint in parts"),
        (
            Metadata(
                {"x": [LocalTensorMetadata((0,), (1,), "float32", (1,))]},
                {LocalTensorIndex("x", (0,), local_shape=(1,)): "../0_0.distcp"},
                {},
            ),
            r"names a file '\.\./0_0\.distcp'",
        ),
        (
            Metadata({"x": [LocalTensorMetadata((0,), (1,), "float32", (1,))]}, {}, {}),
            "has no file for a part of 'x'",
        ),
    ],
)
def test_damaged_records_are_an_error(tmp_path, records, said):
    paddle.save(records, str(tmp_path / "0.metadata"))
    with pytest.raises(ValueError, match=said):
        dist.load_state_dict({"x": paddle.zeros([1])}, tmp_path)


HUGE = 10**12


@pytest.mark.parametrize(
    "parts",
    [
        [],
        [LocalTensorMetadata((0,), (4,), "float32", (HUGE,))],
        [LocalTensorMetadata((0,), (HUGE,), "float32", (HUGE,), True, (0, 4))],
        [LocalTensorMetadata((4 * n,), (4,), "float32", (40,)) for n in range(10)],
        [LocalTensorMetadata((0,), (4, 1), "float32", (4,))],
        [LocalTensorMetadata((0,), (4,), "float32", (4, 1))],
        [LocalTensorMetadata((-4,), (4,), "float32", (4,))],
        [LocalTensorMetadata((0,), (-4,), "float32", (4,))],
        [LocalTensorMetadata((0,), (8,), "float32", (4,))],
        [LocalTensorMetadata((0,), (4,), "float64", (4,))],
        [LocalTensorMetadata((0,), (4,), "float32", (4,), True, (0, 1, 2))],
        [LocalTensorMetadata((0,), (4,), "float32", (4,), True, (0, 9))],
        [
            LocalTensorMetadata((0,), (2,), "float32", None),
            LocalTensorMetadata((2, 0), (2, 1), "float32", None),
        ],
    ],
    ids=[
        "none", "huge", "huge and flat", "one file for all", "rank of a part", "rank", "offset",
        "size", "beyond", "dtype", "range", "long range", "two ranks",
    ],
)  # fmt: skip
def test_records_that_no_files_fit_are_an_error(tmp_path, parts):
    """The memory they may ask for is bounded by the size of the files."""
    files = {
        LocalTensorIndex(
            "x", each.global_offset, each.is_flattened, each.flattened_range, None, each.local_shape
        ): "0_0.distcp"
        for each in parts
    }
    paddle.save(Metadata({"x": parts}, files, {}), str(tmp_path / "0.metadata"))
    paddle.save({"x": paddle.ones([4])}, str(tmp_path / "0_0.distcp"))
    said = "parts of 'x' are not of one tensor|elements of 'x'|'x' is float32 in the file"
    for config in (None, {"aoa_statements": ["x -> y"]}):
        with pytest.raises(ValueError, match=said):
            dist.load_merged_state_dict(tmp_path, aoa_config=config)


def trained(steps, folder=None):
    """Return the losses of an AdamW; with a folder, from its checkpoint on."""
    with paddle.utils.unique_name.guard():
        paddle.seed(3 if folder is None else 4)
        net = paddle.nn.Sequential(paddle.nn.Linear(4, 4), paddle.nn.Tanh(), paddle.nn.Linear(4, 1))
    adamw = paddle.optimizer.AdamW(0.1, parameters=net.parameters())
    if folder is not None:
        adamw._create_accumulators(
            paddle.static.default_main_program().global_block(), net.parameters()
        )
        weights = net.sharded_state_dict()
        dist.load_state_dict(weights, folder / "model")
        dist.load_state_dict(adamw.sharded_state_dict(weights), folder / "state")
    x, losses = paddle.linspace(-1, 1, 12).reshape([3, 4]), []
    for _ in range(steps):
        loss = (net(x) - 1).square().mean()
        loss.backward()
        adamw.step()
        adamw.clear_grad()
        losses.append(loss.item())
    return losses, net, adamw


def test_a_run_goes_on_with_moments_and_powers(tmp_path):
    wanted = trained(6)[0]
    _, net, adamw = trained(3)
    weights = net.sharded_state_dict()
    dist.save_state_dict(weights, tmp_path / "model")
    dist.save_state_dict(adamw.sharded_state_dict(weights), tmp_path / "state")
    np.testing.assert_allclose(trained(3, tmp_path)[0], wanted[3:], rtol=1e-6)


def test_equal_powers_are_shared_again_at_the_next_step(tmp_path):
    _, net, adamw = trained(2)
    adamw.sharded_state_dict(net.sharded_state_dict())
    assert len({id(each) for each in adamw._state._powers.values()}) == 4
    net(paddle.ones([1, 4])).sum().backward()
    adamw.step()
    assert len({id(each) for each in adamw._state._powers.values()}) == 1


EXCHANGE = """
import sys
import numpy as np
import paddle
from paddle import distributed as dist
how, folder = sys.argv[1:]
net = paddle.nn.Linear(3, 2)
if how == "write":
    net.weight.set_value(np.arange(6, dtype="float32").reshape(3, 2))
    net.bias.set_value(np.array([7, 8], "float32"))
    dist.save_state_dict(net.sharded_state_dict(), folder)
    dist.save_state_dict({}, folder + "/none")
else:
    dist.load_state_dict(net.sharded_state_dict(), folder)
    dist.load_state_dict({}, folder + "/none")
    assert net.weight.numpy().tolist() == [[0, 1], [2, 3], [4, 5]]
    assert net.bias.numpy().tolist() == [7, 8]
"""


@pytest.mark.live
@pytest.mark.parametrize("writer", ["paddle", "jaxeager"])
def test_each_library_reads_the_files_of_the_other(tmp_path, writer):
    program = tmp_path / "exchange.py"
    program.write_text(EXCHANGE)
    paddles = [needed_paddle(), "-W", "ignore", str(program)], environment("paddle")
    here = {**os.environ, "PYTHONPATH": str(ROOT)}
    ours = [sys.executable, "-W", "ignore", "-m", "jaxeager", str(program)], here
    order = [paddles, ours] if writer == "paddle" else [ours, paddles]
    for how, (command, given) in zip(("write", "read"), order, strict=True):
        command += [how, str(tmp_path / "c")]
        done = subprocess.run(command, capture_output=True, text=True, check=False, env=given)
        assert done.returncode == 0, done.stderr[-2000:]
