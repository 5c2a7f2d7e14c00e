import paddle
from model import Model, images

net = Model()
with paddle.utils.capture_forward_subgraph_guard("./debug_info/net"):
    scores = net(images)
scores.sum().backward()
