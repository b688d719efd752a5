"""Runs Synapse for as long as whoever started it lives: as a script, with Synapse's own arguments after the folder.

A pipe, not the parent-death signal: that one is Linux's only, and comes when the starting *thread* ends.
"""

import os
import runpy
import shutil
import signal
import sys
import threading


def _watch(folder: str) -> None:
    sys.stdin.read()
    shutil.rmtree(folder, ignore_errors=True)
    os.kill(os.getpid(), signal.SIGKILL)


def main() -> None:
    """Run until the homeserver ends, or standard input does: then the folder goes, too."""
    folder = sys.argv.pop(1)
    os.chdir(folder)
    threading.Thread(target=_watch, args=(folder,), daemon=True).start()
    runpy.run_module("synapse.app.homeserver", run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
