PY := .venv/bin/python
PROTOS := $(shell find protos/assay -name '*.proto' | sort)

proto: ## Regenerate the typed stubs in protos/gen
	rm -rf protos/gen && mkdir -p protos/gen
	$(PY) -m grpc_tools.protoc -Iprotos \
		--plugin=protoc-gen-mypy=.venv/bin/protoc-gen-mypy \
		--plugin=protoc-gen-mypy_grpc=.venv/bin/protoc-gen-mypy_grpc \
		--python_out=protos/gen --mypy_out=quiet:protos/gen \
		--grpc_python_out=protos/gen --mypy_grpc_out=quiet:protos/gen $(PROTOS)
	find protos/gen -name '*_pb2_grpc.py*' | while read f; do grep -q 'class .*Stub' $$f || rm $$f; done

.PHONY: proto
