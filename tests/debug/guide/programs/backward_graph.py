from model import Model, images

Model()(images).sum().backward(dump_backward_graph_path="./debug_info")
