"""The name of a kernel: the same in every process, and different under other settings."""

import jax
import jax.numpy as jnp

from jaxeager.kernels import kernel_identity


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
