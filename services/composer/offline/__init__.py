"""The composer that needs no model: it restates claims and fills fixed sentences."""
