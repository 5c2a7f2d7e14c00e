"""Settings of Paddle's inference engine, grouped by their effect here."""

from jaxeager.inference.kinds import PrecisionType

# Getters, with Paddle's answers when nothing was set.
GETTERS = {
    "cpu_math_library_num_threads": 1,
    "fraction_of_gpu_memory_for_pool": 0.0,
    "glog_info_disabled": False,
    "gpu_device_id": 0,
    "ir_optim": True,
    "memory_pool_init_size_mb": 100,
    "mkldnn_enabled": False,
    "mkldnn_int8_enabled": False,
    "model_from_memory": False,
    "new_ir_enabled": False,
    "onednn_enabled": False,
    "onednn_int8_enabled": False,
    "onnxruntime_enabled": False,
    "openvino_engine_enabled": False,
    "shape_range_info_collected": False,
    "shape_range_info_path": "",
    "specify_input_name": False,
    "tensorrt_dla_enabled": False,
    "tensorrt_dynamic_shape_enabled": False,
    "tensorrt_engine_enabled": False,
    "tensorrt_explicit_quantization_enabled": False,
    "tensorrt_inspector_enabled": False,
    "tensorrt_optimization_level": 3,
    "tensorrt_precision_mode": PrecisionType.Float32,
    "tensorrt_varseqlen_enabled": False,
    "trt_allow_build_at_runtime": False,
    "tuned_tensorrt_dynamic_shape": False,
    "use_feed_fetch_ops_enabled": False,
    "use_xpu": False,
    "xpu_device_id": 0,
}

# Settings of Paddle's execution: accepted.
WITHOUT_MEANING = """
    collect_shape_range_info delete_pass disable_mkldnn disable_mkldnn_fc_passes disable_onednn
    disable_onednn_fc_passes disable_onnxruntime enable_custom_passes enable_memory_optim
    enable_mkldnn enable_mkldnn_bfloat16 enable_mkldnn_int8 enable_new_executor enable_new_ir
    enable_onednn enable_onednn_bfloat16 enable_onednn_int8 enable_onnxruntime
    enable_openvino_engine enable_ort_optimization enable_profile enable_save_optim_model
    enable_tensorrt_dla enable_tensorrt_explicit_quantization enable_tensorrt_inspector
    enable_tensorrt_memory_optim enable_tensorrt_varseqlen enable_tuned_tensorrt_dynamic_shape
    exp_disable_mixed_precision_ops exp_disable_tensorrt_dynamic_shape_ops exp_disable_tensorrt_ops
    exp_disable_tensorrt_subgraph exp_enable_mixed_precision_ops exp_enable_use_cutlass
    exp_sparse_conv_using_buffer exp_specify_tensorrt_subgraph_precision mark_trt_engine_outputs
    set_bfloat16_op set_mkldnn_cache_capacity set_mkldnn_op set_onednn_cache_capacity set_onednn_op
    set_optim_cache_dir set_optimization_level set_tensorrt_optimization_level
    set_trt_dynamic_shape_info switch_ir_debug use_optimized_model
""".split()

# Settings that need another engine or device, and raise.
LACKING = {
    "enable_cinn": "Paddle's compiler CINN",
    "enable_custom_device": "a custom device of Paddle",
    "enable_ipu": "an IPU",
    "enable_tensorrt_engine": "TensorRT",
    "enable_xpu": "an XPU",
    "load_ipu_config": "an IPU",
    "pass_builder": "Paddle's passes",
    "set_ipu_config": "an IPU",
    "set_ipu_custom_info": "an IPU",
    "set_xpu_config": "an XPU",
    "set_xpu_device_id": "an XPU",
    "to_native_config": "Paddle's native predictor",
    "xpu_config": "an XPU",
}
