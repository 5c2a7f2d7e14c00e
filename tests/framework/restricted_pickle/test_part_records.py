"""Records of a checkpoint in parts: written under Paddle's names, and read as these classes."""

import io
import pickle

import pytest

import jaxeager as paddle
from jaxeager.framework.restricted_pickle.part_records import (
    MODULE,
    LocalTensorIndex,
    LocalTensorMetadata,
    Metadata,
)
from tests.support.pickles import load, refused


def written(kind, fields):
    """Return a pickle of an object of a class, with a state."""
    return f"c{MODULE}\n{kind}\n)\x81".encode("latin1") + pickle.dumps(fields, 2)[2:-1] + b"b."


RECORDS = Metadata(
    {"w": [LocalTensorMetadata((0, 2), (4, 2), "float32", (4, 4), True, (1, 3))]},
    {LocalTensorIndex("w", (0, 2), True, (1, 3), local_shape=(4, 2)): "0_0.distcp"},
    {"w": ("w",)},
)


@pytest.mark.parametrize("protocol", [2, 4])
def test_records_are_written_under_the_names_of_paddle(protocol):
    file = io.BytesIO()
    paddle.save(RECORDS, file, protocol)
    assert file.getvalue().count(MODULE.encode()) >= 1
    assert b"jaxeager" not in file.getvalue()
    file.seek(0)
    assert paddle.load(file) == RECORDS
    file = io.BytesIO()
    paddle.save({"inner": [RECORDS]}, file, protocol)
    file.seek(0)
    assert paddle.load(file) == {"inner": [RECORDS]}


def test_a_record_may_lack_a_field_with_a_default():
    found = load(written("LocalTensorIndex", {"tensor_key": "w", "global_offset": (0,)}))
    assert found == LocalTensorIndex("w", (0,))


@pytest.mark.parametrize(
    ("kind", "fields", "named"),
    [
        ("LocalTensorIndex", {"tensor_key": "w"}, "global_offset"),
        ("LocalTensorIndex", {"tensor_key": "w", "global_offset": [0]}, "global_offset"),
        ("LocalTensorIndex", {"tensor_key": 3, "global_offset": (0,)}, "tensor_key"),
        ("LocalTensorMetadata", {"global_offset": (0,), "__class__": 3}, "__class__"),
        ("LocalTensorMetadata", {"is_flattened": 1}, "is_flattened"),
        ("Metadata", {"state_dict_metadata": {"w": [3]}}, "state_dict_metadata"),
        ("Metadata", {"storage_metadata": {"w": "0_0.distcp"}}, "storage_metadata"),
        ("Metadata", {"flat_mapping": {"w": [3]}}, "flat_mapping"),
    ],
)
def test_other_fields_are_refused(kind, fields, named):
    refused(written(kind, fields), f"it has a {kind} whose field '{named}' is not Paddle's")


def test_a_state_that_is_no_dict_is_refused():
    refused(written("Metadata", 3), "it has a Metadata in a form that is not Paddle's")
