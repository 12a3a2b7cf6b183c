"""The orchestrator process."""

from orchestrator.composition import build
from orchestrator.settings import OrchestratorSettings
from services.common.rpc.service import run

if __name__ == "__main__":
    raise SystemExit(run(OrchestratorSettings, build))
