"""Names of static graphs, which do not exist: each can be imported, and raises when called."""

from jaxeager.core.unsupported_names import refused

REASON = (
    "There are no static graphs: ops run when they are called, always. Leave enable_static() and "
    "the Executor out, and call the layers."
)
NAMES = """
    Block CompiledProgram ExecutionStrategy Executor ExponentialMovingAverage
    IpuCompiledProgram IpuStrategy IrGraph MetaTensor OpProtoHolder Operator Print Program Scope
    WeightNormParamAttr append_backward auc
    ctr_metric_bundle data deserialize_persistables deserialize_program global_scope gradients
    ipu_shard_guard load load_from_file load_inference_model load_program_state load_vars
    normalize_program program_guard py_func save save_inference_model save_to_file save_vars
    scope_guard serialize_persistables serialize_program set_ipu_shard set_program_state
    switch_main_program switch_startup_program
    xpu_places
"""

NAMED = refused("paddle.static", REASON, NAMES)
globals().update(NAMED)
__all__ = list(NAMED)
