"""What several tools share: unique names, texts of numbers and tensors, files, late answers."""
