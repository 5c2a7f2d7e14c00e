"""The messages of a program, read from its HLO."""

import pytest

from jaxeager.distributed.mesh.collective_counts import Message, counted, messages_of

FORMS = {
    "f32[2,8]{0,1} all-gather(%a), channel_id=3, replica_groups=[4,2]<=[2,4]T(1,0), x": (
        "all-gather", 64, 2,
    ),
    "(f32[], f32[4,8]{1,0}, /*index=2*/bf16[2]{0}) all-reduce(%a, %b), replica_groups="
    "mesh['axis_0'=2,'axis_1'=4] {'axis_1'}, use_global_device_ids=true": ("all-reduce", 136, 4),
    "f32[8]{0} all-gather(%a), replica_groups=mesh['axis_0'=4,'axis_1'=2], "
    "device_ids=([2,4]T(1,0)) {'axis_0','axis_1'}, dimensions={0}": ("all-gather", 32, 8),
    "f64[3] reduce-scatter(%a), replica_groups={{0,1,2},{3,4,5}}, to_apply=%f": (
        "reduce-scatter", 24, 3,
    ),
    "(s8[4], s8[8]) all-gather-start(%a), replica_groups=[1,2]<=[2], dimensions={0}": (
        "all-gather", 8, 2,
    ),
    "pred[6]{0} collective-permute(%a), source_target_pairs={{0,1}}": ("collective-permute", 6, 0),
}  # fmt: skip


@pytest.mark.parametrize(("text", "wanted"), FORMS.items())
def test_forms_of_hlo(text, wanted):
    assert messages_of(f"ROOT %x = {text}\n%y = f32[2] add(%all-reduce.1, %b)") == [
        Message(*wanted)
    ]


def test_collectives_and_their_bytes_are_counted():
    hlo = "\n".join(f"%x = {text}" for text in FORMS)
    assert counted(hlo) == {
        "all-gather": 3, "all-reduce": 1, "reduce-scatter": 1, "collective-permute": 1,
    }  # fmt: skip
    assert Message("all-reduce", 100, 4).sent == 150.0
    assert Message("reduce-scatter", 25, 4).sent == 75.0
    assert Message("all-gather", 100, 4).sent == 75.0
    assert Message("all-to-all", 100, 4).sent == 75.0
    assert Message("collective-permute", 100, 0).sent == 100.0
