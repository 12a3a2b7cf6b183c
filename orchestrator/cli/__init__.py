"""The command line `assay`: asks a diagnosis service and shows what it answered."""
