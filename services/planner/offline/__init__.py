"""The planner that needs no model: what there is to read decides the plan."""
