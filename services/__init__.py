"""The agents of Assay, one package per service, and what they share."""
