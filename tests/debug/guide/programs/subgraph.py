import paddle
from model import Model, images

net = Model()
net.guard = paddle.utils.capture_backward_subgraph_guard(
    dump_dir_path="./debug_info", need_dump_grad_tensors=True
)
net(images).sum().backward()
