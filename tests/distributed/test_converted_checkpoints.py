"""Reading checkpoints with aoa_config, and files of model hubs."""

import numpy as np
import pytest

import jaxeager as paddle
from jaxeager import distributed as dist
from jaxeager.distributed import build_sharded_state_dict
from jaxeager.distributed.sharded_weights import ShardedWeight
from jaxeager.errors import NotFoundError

safetensors = pytest.importorskip("safetensors.numpy")

A, B = np.arange(6, dtype=np.float32).reshape(2, 3), np.arange(12, dtype=np.float32).reshape(4, 3)
JOINED = {"aoa_statements": ["a, b -> t, axis=0", "t^T -> c", "half -> half, dtype='float32'"]}
C = np.concatenate([A, B]).T


@pytest.fixture
def hub(tmp_path):
    """Return a folder as a model hub has it: two files of tensors, and others."""
    folder = tmp_path / "hub"
    folder.mkdir()
    half = paddle.to_tensor([[1.5, -2.0]], dtype="bfloat16")
    paddle.save({"a": paddle.to_tensor(A), "half": half}, str(folder / "one.safetensors"))
    safetensors.save_file(
        {"b": B, "none": np.zeros((0, 3), np.float32), "one": np.array(7.0)},
        folder / "two.safetensors",
    )
    (folder / "config.json").write_text("{}")
    return folder


def test_files_of_a_hub_fill_what_statements_make(hub):
    wanted = {"c": paddle.zeros([3, 6]), "half": paddle.zeros([1, 2])}
    dist.load_state_dict(build_sharded_state_dict(wanted), hub, aoa_config=JOINED, safetensors=True)
    np.testing.assert_array_equal(wanted["c"], C)
    assert wanted["half"].tolist() == [[1.5, -2.0]]


def test_files_of_a_hub_without_statements(hub):
    wanted = {
        "a": paddle.zeros([2, 3]),
        "half": paddle.zeros([1, 2], "bfloat16"),
        "none": paddle.ones([0, 3]),
        "one": paddle.zeros([], "float64"),
    }
    dist.load_state_dict(wanted, hub, safetensors=True)
    np.testing.assert_array_equal(wanted["a"], A)
    assert wanted["half"].tolist() == [[1.5, -2.0]]
    assert wanted["one"].item() == 7.0
    merged = dist.load_merged_state_dict(hub, safetensors=True)
    assert sorted(merged) == ["a", "b", "half", "none", "one"]
    assert merged["none"].shape == [0, 3]
    assert merged["half"].dtype == paddle.bfloat16


def test_a_part_of_a_hubs_tensor(hub):
    lower = ShardedWeight("b", paddle.zeros([2, 3]), (2, 3), (4, 3), (2, 0))
    dist.load_state_dict({"b": lower}, hub, safetensors=True)
    np.testing.assert_array_equal(lower.local_tensor, B[2:])


def test_a_folder_without_files_or_with_a_damaged_one(hub, tmp_path):
    (tmp_path / "empty").mkdir()
    with pytest.raises(NotFoundError, match=r"no file in .* that ends in \.safetensors"):
        dist.load_state_dict({"a": paddle.zeros([2, 3])}, tmp_path / "empty", safetensors=True)
    (hub / "three.safetensors").write_bytes(b"nothing of the kind")
    with pytest.raises(ValueError, match=r"three\.safetensors is not a safetensors file"):
        dist.load_state_dict({"a": paddle.zeros([2, 3])}, hub, safetensors=True)
    (hub / "three.safetensors").write_bytes((hub / "one.safetensors").read_bytes())
    with pytest.raises(ValueError, match="two files have a tensor"):
        dist.load_state_dict({"a": paddle.zeros([2, 3])}, hub, safetensors=True)


def saved(folder, **options):
    tensors = {
        "a": paddle.to_tensor(A),
        "b": paddle.to_tensor(B),
        "half": paddle.to_tensor([1.5], dtype="bfloat16"),
    }
    dist.save_state_dict(build_sharded_state_dict(tensors), folder, **options)


def test_parts_in_the_format_of_hubs(tmp_path):
    saved(tmp_path, safetensors=True)
    names = sorted(each.name for each in tmp_path.iterdir())
    assert names == ["0.metadata", "0_0.safetensors"]
    wanted = {"b": paddle.zeros([4, 3]), "half": paddle.zeros([1], "bfloat16")}
    dist.load_state_dict(build_sharded_state_dict(wanted), tmp_path, safetensors=True)
    np.testing.assert_array_equal(wanted["b"], B)
    assert wanted["half"].tolist() == [1.5]


def test_whole_tensors_of_a_checkpoint_are_converted(tmp_path):
    saved(tmp_path)
    merged = dist.load_merged_state_dict(tmp_path, aoa_config=JOINED)
    assert sorted(merged) == ["c", "half"]
    np.testing.assert_array_equal(merged["c"], C)
    assert merged["half"].dtype == paddle.float32
    assert list(dist.load_merged_state_dict(tmp_path, "c", aoa_config=JOINED)) == [""]


def test_nothing_is_filled_when_one_tensor_does_not_fit(tmp_path):
    saved(tmp_path)
    wanted = {"c": paddle.zeros([3, 6]), "half": paddle.zeros([1], "float16")}
    with pytest.raises(ValueError, match=r"'half' has shape .* dtype float16, but .* float32"):
        dist.load_state_dict(build_sharded_state_dict(wanted), tmp_path, aoa_config=JOINED)
    assert not wanted["c"].any()
    with pytest.raises(NotFoundError, match="nothing gives 'd'"):
        dist.load_state_dict({"d": paddle.zeros([1])}, tmp_path, aoa_config=JOINED)


def test_a_checkpoint_of_orbax_is_converted(tmp_path):
    pytest.importorskip("orbax.checkpoint")
    state = {
        "net": {"a": paddle.to_tensor(A), "none": paddle.zeros([0, 2])},
        "b": paddle.to_tensor(B),
    }
    dist.save_state_dict(state, tmp_path)
    config = {"aoa_statements": ["net.a, b -> c, axis=0", "net.none^T -> d"]}
    wanted = {"c": paddle.zeros([6, 3]), "d": paddle.ones([2, 0])}
    dist.load_state_dict(wanted, tmp_path, aoa_config=config)
    np.testing.assert_array_equal(wanted["c"], np.concatenate([A, B]))
    merged = dist.load_merged_state_dict(tmp_path, aoa_config=config)
    assert merged["d"].shape == [2, 0]
    np.testing.assert_array_equal(merged["c"], np.concatenate([A, B]))


def test_a_layer_returns_its_weights_under_other_names():
    layer = paddle.nn.Linear(2, 3)
    config = {"aoa_statements": ["proj.weight^T -> weight"], "aoa_config_reverse": True}
    found = dict(layer.full(config))
    np.testing.assert_array_equal(found["proj.weight"], layer.weight.numpy().T)
    assert sorted(found) == ["bias", "proj.weight"]
