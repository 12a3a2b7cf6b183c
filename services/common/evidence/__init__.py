"""Pure rules of evidence: documents, pointers, matching, facts, guard, verdict."""
