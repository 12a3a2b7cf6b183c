"""The files of a folder as bytes, as text, and as what they are written in; each whole, or not at all."""

from collections.abc import Sequence
from typing import BinaryIO

from services.common.evidence.strict_json import StrictJsonError
from services.executor.sources.directory import SourceError
from services.executor.sources.encodings import as_utf8
from services.executor.sources.folder import Folder
from services.executor.sources.kubernetes.reader import read_objects
from services.executor.sources.kubernetes.tree import KubeObject, ShapeError
from services.executor.sources.metrics_csv import Column, TableError, read_table
from services.executor.sources.packed import Unpacked
from services.executor.sources.positioned_json import Element, PositionedJson
from services.executor.sources.stop import Stop


class Contents:
    """Reads files by name, of each at most `limit` bytes. Raises SourceError when one cannot be read so."""

    def __init__(self, folder: Folder, limit: int) -> None:
        self.folder = folder
        self.limit = limit

    def bytes_of(self, name: str) -> bytes:
        """Return a structured file, unpacked; JSON is UTF-8 or it is refused."""
        with self.folder.open(name) as file:
            packed = Unpacked(file)
            return self._whole(packed, packed.stream)

    def text_of(self, name: str) -> bytes:
        """Return a table or a page, unpacked and as UTF-8: other programs write other encodings."""
        with self.folder.open(name) as file:
            packed = Unpacked(file)
            return self._whole(packed, as_utf8(packed.stream))

    def json(self, data: bytes) -> PositionedJson:
        """Parse the bytes of a structured file."""
        try:
            return PositionedJson(data, max_bytes=self.limit)
        except StrictJsonError as error:
            raise SourceError(f"it is not readable JSON: {error}") from None

    def elements(self, name: str, path: Sequence[str], stop: Stop) -> list[Element]:
        """Return the elements of the list at a path of a structured file."""
        return self.json(self.bytes_of(name)).elements(path, stop.check)

    def objects(self, name: str, stop: Stop) -> list[KubeObject]:
        """Return the objects of a cluster that a file shows, in its order."""
        data = self.text_of(name)
        try:
            return list(read_objects(name, data, self.limit, stop.check))
        except ShapeError as error:
            raise SourceError(str(error)) from None

    def _whole(self, packed: Unpacked, stream: BinaryIO) -> bytes:
        data = stream.read(self.limit + 1)
        if packed.cut:
            raise SourceError(packed.cut)
        if len(data) > self.limit:
            raise SourceError(f"it is larger than the {self.limit} bytes that are read of a structured file")
        return data


def columns_of(data: bytes, stop: Stop) -> tuple[list[Column], int]:
    """Return the columns of a table's text, and the number of its last line; raises SourceError."""
    try:
        return read_table(data.decode("utf-8", "replace").removeprefix("\ufeff"), stop.check)
    except TableError as error:
        raise SourceError(str(error)) from None
