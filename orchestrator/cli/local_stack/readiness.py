"""Whether a stack may be used that says that it is not ready: a model's endpoint that is away ends no run."""

import grpc.aio
from assay.orchestrator.v1 import status_pb2, status_pb2_grpc
from assay.orchestrator.v1.status_pb2 import AgentStatus

from orchestrator.cli.client import MAX_MESSAGE_BYTES
from services.common.rpc.channels import open_channel

_STATUS_SECONDS = 5.0


async def only_models_lack(address: str) -> list[str]:
    """Return what is wrong with the models of the agents that are not ready, a sentence each.

    Empty when every agent is ready, and when anything else is wrong with one: such a stack is of no use yet.
    """
    channel = open_channel(address, MAX_MESSAGE_BYTES)
    try:
        stub = status_pb2_grpc.StatusServiceStub(channel)
        status = await stub.GetStatus(status_pb2.GetStatusRequest(), timeout=_STATUS_SECONDS)
    except grpc.aio.AioRpcError:
        return []
    finally:
        await channel.close()
    waiting = [agent for agent in status.agents if not agent.ready]
    if not all(map(_lacks_its_model, waiting)):
        return []
    told: dict[str, list[str]] = {}
    for agent in waiting:
        for problem in agent.process.problems:
            told.setdefault(problem, []).append(agent.name)
    return [f"{', '.join(names)}: {problem}" for problem, names in told.items()]


def _lacks_its_model(agent: AgentStatus) -> bool:
    return agent.live and agent.process.HasField("model") and not agent.process.model.reachable
