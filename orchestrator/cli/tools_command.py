"""`assay tools`: what the executor offers and, of a bundle, what each tool could read."""

import os
import shutil
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Annotated

import typer
from assay.common.v1 import context_pb2, tool_pb2

from orchestrator.cli import options, tool_list
from orchestrator.cli.client import connected
from orchestrator.cli.layout import layout_for
from orchestrator.cli.leaving import found_by, put
from orchestrator.cli.local_stack import offered_tools
from orchestrator.cli.options import Bundle
from orchestrator.cli.parameters import AsJson, Target
from orchestrator.cli.progress import Progress
from orchestrator.cli.reaching import Reached, remote
from orchestrator.cli.run_store import held_folder


def tools(
    bundle: Annotated[
        str | None,
        typer.Option(
            metavar="FOLDER",
            help="An incident's folder (with --target, its name there): also list what each tool could read.",
        ),
    ] = None,
    target: Target = None,
    json: AsJson = False,
) -> None:
    """List the tools: what they do, take and may cost."""

    async def call(progress: Progress) -> tool_pb2.ToolCatalog:
        address = options.address(target)
        where = _bundle(bundle, address)
        scope = context_pb2.Scope(bundle=where.name) if where else None
        async with _service(address, where, progress) as reached, connected(*reached) as client:
            return await client.tools(scope)

    catalog = found_by(call)
    if json:
        put(tool_list.as_json(catalog))
    else:
        layout = layout_for(sys.stdout, shutil.get_terminal_size().columns, os.environ)
        put(tool_list.as_text(catalog, layout, of_bundle=bundle is not None))


def _bundle(typed: str | None, address: str) -> Bundle | None:
    if typed is None:
        return None
    path = options.path("--bundle", typed)
    return options.remote_bundle(path) if address else options.local_bundle(path)


@asynccontextmanager
async def _service(address: str, bundle: Bundle | None, progress: Progress) -> AsyncIterator[Reached]:
    if address:
        yield remote(address, os.environ)
        return
    async with held_folder(os.environ, progress) as folder:
        # Without a bundle no source is named, and nothing below the root is looked at.
        root = bundle.root if bundle and bundle.root else folder
        async with offered_tools(folder, root, os.environ) as service:
            yield Reached(service)
