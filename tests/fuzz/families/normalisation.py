"""Normalisation, as functions and as layers, in train and eval."""

from tests.fuzz.draw import from_templates

program = from_templates(
    """
    F.layer_norm({x 2,3/2,2,3/2,3,4/0,3}, {[3]|3|[2, 3]|[3, 4]|4}, {None|x 3}, {None|x 3}, {1e-5|0.1})
    F.layer_norm({x 2,3}, 3, {x 3}, {x 3})
    F.rms_norm({x 2,3/2,2,3}, {[3]|3}, {x 3|None})
    F.group_norm({x 2,4,3/2,4,2,2}, {2|4|1|3}, {1e-5|0.1}, {x 4}, {x 4})
    F.group_norm({x 2,3,4/2,2,2,4}, {2|4|1}, weight={x 4}, bias={x 4}, data_format={'NLC'|'NHWC'|'NCL'})
    F.instance_norm({x 2,3,4/2,3,2,2/1,3,1}, weight={x 3}, bias={x 3}, eps={1e-5|0.1})
    F.instance_norm({x 2,3,4}, {c 3}, {c 3 float pos}, use_input_stats={bool}, momentum={0.9|0.5})
    F.batch_norm({x 2,3/2,3,4/2,3,2,2/1,3/0,3}, {c 3}, {c 3 float pos}, {x 3}, {x 3}, training={bool}, momentum={0.9|0.5|0|1.0}, epsilon={1e-5|0.1})
    F.batch_norm({x 2,4,3/2,2,2,3/2,3}, {c 3}, {c 3 float pos}, {x 3}, {x 3}, training={bool}, data_format={'NHWC'|'NLC'|'NC'|'NCHW'}, use_global_stats={None|True|False})
    F.local_response_norm({x 1,4,3/1,4,2,2}, {3|1|4|5}, {1e-4|0.5}, {0.75|1.0}, {1.0|2.0}, {'NCHW'|'NHWC'|'NCL'|'NLC'})
    l = fill(nn.BatchNorm1D(3, momentum={0.9|0.3}, epsilon={1e-5|0.1})); l.{train|eval}(); l({x 2,3/2,3,4/4,3})
    l = fill(nn.BatchNorm2D(3, weight_attr={None|False}, bias_attr={None|False}, data_format={'NCHW'|'NHWC'})); l.{train|eval}(); l({x 2,3,2,2/2,2,2,3})
    l = fill(nn.BatchNorm3D(2, use_global_stats={None|True|False})); l.{train|eval}(); l({x 1,2,2,2,2})
    l = fill(nn.BatchNorm(3, act={None|'relu'}, is_test={bool})); l({x 2,3,2,2/2,3})
    l = fill(nn.LayerNorm({3|[3]|[2, 3]}, weight_attr={None|False}, bias_attr={None|False})); l({x 2,3/2,2,3})
    l = fill(nn.GroupNorm({2|1|4}, 4, data_format={'NCHW'|'NHWC'})); l({x 2,4,2,2/2,2,2,4/2,4})
    l = fill(nn.InstanceNorm1D(3, weight_attr={None|False})); l.{train|eval}(); l({x 2,3,4/3,4})
    l = fill(nn.InstanceNorm2D(3)); l({x 2,3,2,2/2,3,1,1})
    l = fill(nn.InstanceNorm3D(2)); l({x 1,2,2,2,2})
    l = nn.LocalResponseNorm({3|2}); l({x 1,4,2,2})
    l = fill(nn.SyncBatchNorm(3)); l.eval(); l({x 2,3,2,2})
    l = fill(nn.BatchNorm1D(3)); any_o = l({c 4,3}); any_p = l({c 4,3}); l.eval(); l({x 2,3})
    """
)
