"""The rows that layers record: activation, attention, normalization, embedding, recurrence."""
