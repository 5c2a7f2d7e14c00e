"""How gradients flow: nodes, edges, saved tensors and the engine. Knows no op by name."""
