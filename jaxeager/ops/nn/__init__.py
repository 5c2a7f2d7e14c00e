"""What layers record: activation, attention, normalization, embedding, recurrence."""
