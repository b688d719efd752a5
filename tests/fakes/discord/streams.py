"""The ways a gateway can write its frames: plain, or in one compressed stream for each connection."""

import json
import zlib
from collections.abc import Callable

from tests.fakes.discord.things import Json

Encoder = Callable[[Json], str | bytes]


class UnknownCompression(ValueError):
    """The client asked for a compression that Discord does not have."""


def encoder(asked: str | None) -> Encoder:
    """An encoder for one connection. Every frame can be read when it arrives."""
    match asked:
        case None:
            return json.dumps
        case "zlib-stream":
            deflate = zlib.compressobj()

            def zlib_frame(payload: Json) -> bytes:
                return deflate.compress(json.dumps(payload).encode()) + deflate.flush(zlib.Z_SYNC_FLUSH)

            return zlib_frame
        case "zstd-stream":
            import zstandard

            squeeze = zstandard.ZstdCompressor().compressobj()

            def zstd_frame(payload: Json) -> bytes:
                return squeeze.compress(json.dumps(payload).encode()) + squeeze.flush(zstandard.COMPRESSOBJ_FLUSH_BLOCK)

            return zstd_frame
    raise UnknownCompression(asked)
