"""The offline analyst: pure code that turns recorded tool calls into claims bound to what was recorded."""
