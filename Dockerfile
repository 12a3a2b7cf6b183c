# One recipe; a target per service: docker build --target planner --tag assay-planner:0.1.0 .
# A release pins the image below by its digest: --build-arg PYTHON_IMAGE=python:3.11-slim-bookworm@sha256:...
ARG PYTHON_IMAGE=python:3.11-slim-bookworm

FROM ${PYTHON_IMAGE} AS build
# The time of the last commit makes archives the same whenever they are made.
ARG SOURCE_DATE_EPOCH=0
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1 PIP_NO_INPUT=1 PIP_ROOT_USER_ACTION=ignore \
    SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH}
WORKDIR /src
COPY requirements.lock ./
# Every package is checked against its hash here; what follows takes nothing from anywhere else.
RUN python3 -m venv /build \
    && /build/bin/pip download --quiet --only-binary :all: --require-hashes --requirement requirements.lock --dest /wheels \
    && /build/bin/pip install --quiet --no-index --find-links /wheels --require-hashes --requirement requirements.lock
COPY pyproject.toml README.md ./
COPY protos/gen protos/gen
COPY services services
COPY orchestrator orchestrator
RUN /build/bin/pip wheel --quiet --no-deps --no-index --no-build-isolation --wheel-dir /wheels . \
    # What the project asks for and nothing else: no build tools, no pip.
    && python3 -m venv --without-pip /opt/assay \
    && /build/bin/pip --python /opt/assay/bin/python install --quiet --no-index --find-links /wheels --no-compile assay \
    # Compiled files that know no time are the same in every build.
    && /opt/assay/bin/python -m compileall -q --invalidation-mode unchecked-hash /opt/assay/lib

FROM ${PYTHON_IMAGE} AS service
# pip of the base image has no use here.
RUN python3 -m pip uninstall --quiet --yes --root-user-action ignore pip setuptools wheel
COPY --from=build /opt/assay /opt/assay
ENV PATH=/opt/assay/bin:$PATH PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1
USER 65532:65532
WORKDIR /

FROM service AS planner
ENTRYPOINT ["/opt/assay/bin/python", "-P", "-m", "services.planner"]

FROM service AS executor
ENTRYPOINT ["/opt/assay/bin/python", "-P", "-m", "services.executor"]

FROM service AS gatekeeper
ENTRYPOINT ["/opt/assay/bin/python", "-P", "-m", "services.gatekeeper"]

FROM service AS verifier
ENTRYPOINT ["/opt/assay/bin/python", "-P", "-m", "services.verifier"]

FROM service AS composer
ENTRYPOINT ["/opt/assay/bin/python", "-P", "-m", "services.composer"]

FROM service AS orchestrator
ENTRYPOINT ["/opt/assay/bin/python", "-P", "-m", "orchestrator"]
