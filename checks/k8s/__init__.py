"""What `make k8s-check` compares: the manifests of `k8s/` with the code.

`code.py` says what the code knows, `manifests.py` what a rendering says; the other modules compare the two
and return one line per difference. They are pure but for `settings.py`, which lays a container's files out.
"""
