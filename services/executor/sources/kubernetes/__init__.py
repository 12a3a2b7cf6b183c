"""What a person saved of a cluster: JSON, YAML, `kubectl describe`, tables; each read into a tree."""
