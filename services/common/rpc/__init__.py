"""The gRPC runtime that every process shares."""
