"""Paddle's inner module that programs import from: its names raise when they are called."""

from jaxeager.core.unsupported_names import refused
from jaxeager.utils.cpp_extension import _named

_HERE = ["get_build_directory", "load_op_meta_info_and_register_op"]
globals().update({name: _named[name] for name in _HERE})
globals().update(
    refused(
        "paddle.utils.cpp_extension.extension_utils",
        _named[_HERE[0]].refused,
        "_get_api_inputs_str _import_module_from_library _jit_compile "
        "_reset_so_rpath _write_setup_file add_compile_flag add_std_without_repeat "
        "check_abi_compatibility clean_object_if_change_cflags custom_write_stub find_ccache_home "
        "find_cuda_home find_rocm_home is_cuda_file normalize_extension_kwargs parse_op_info "
        "parse_op_name_from prepare_unix_cudaflags prepare_win_cudaflags run_cmd",
    )
)

__all__ = [*_HERE]
