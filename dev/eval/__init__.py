"""`make eval`: every handed set of incidents through the real stack, as it is and changed."""
