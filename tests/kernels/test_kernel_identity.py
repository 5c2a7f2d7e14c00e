"""The name of a kernel: the same in every process, and different under other settings."""

import functools

import jax
import jax.numpy as jnp
import numpy as np

from jaxeager.kernels import executables, kernel_identity
from jaxeager.kernels.executables import Origin
from jaxeager.kernels.kernel_identity import text_of


def name():
    arrays = [jnp.ones([2])]
    return kernel_identity.name_of(("op",), arrays, None, jax.devices()[0], {})


def test_a_setting_that_changes_what_is_compiled_changes_the_name():
    """It differs as long as the setting holds, globally or in a block."""
    before, asked = name(), jax.config.jax_default_matmul_precision
    assert name() == before
    with jax.default_matmul_precision("float32"):
        within = name()
    assert within != before
    jax.config.update("jax_default_matmul_precision", "float32")
    try:
        assert name() != before
    finally:
        jax.config.update("jax_default_matmul_precision", asked)
    assert name() == before


def test_settings_of_no_kernel_do_not_count():
    before, where = name(), jax.config.values["jax_compilation_cache_dir"]
    jax.config.update("jax_compilation_cache_dir", "elsewhere")
    try:
        assert name() == before
    finally:
        jax.config.update("jax_compilation_cache_dir", where)


def test_operands_and_options_count():
    device, array = jax.devices()[0], jnp.ones([2])
    names = {
        kernel_identity.name_of(("op",), [array], None, device, {}),
        kernel_identity.name_of(("other",), [array], None, device, {}),
        kernel_identity.name_of(("op",), [jnp.ones([3])], None, device, {}),
        kernel_identity.name_of(("op",), [array], None, device, {"option": True}),
    }
    assert len(names) == 4


def test_plain_values_are_distinguished():
    values = [1, 1.0, True, "1", 0.0, -0.0, None, (), [], (1,), [1], ((1,),), 1j, slice(1), "None"]
    values += [np.dtype("float32"), np.dtype("float64"), float("nan"), np.float32(1)]
    values += [Origin((1,)), (1, 2**18), executables.kept, executables.counts, Origin]
    texts = [text_of(value) for value in values]
    assert None not in texts
    assert len(set(texts)) == len(values)
    assert text_of((1, 2.0)) == text_of((1, 2.0))


def test_values_that_are_not_plain_have_no_text():
    def here():
        pass

    for value in (here, lambda: 0, object(), functools.partial(jnp.tanh), np.zeros(1), {1: 2}):
        assert text_of((1, value)) is None
