"""The flow of gradients: nodes, edges, saved tensors and the engine, with no op known by name."""
