"""How facts become sentences whose every fact is cited."""
