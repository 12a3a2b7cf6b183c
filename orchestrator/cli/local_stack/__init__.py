"""Six service processes on this machine, for as long as one command needs them."""

from orchestrator.cli.local_stack.stack import LocalStack, local_stack, offered_tools, stored_runs

__all__ = ["LocalStack", "local_stack", "offered_tools", "stored_runs"]
