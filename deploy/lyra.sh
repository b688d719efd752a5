#!/bin/sh
# `lyra` as `make run` installs it. Ctrl-C while Python itself still starts would have it print a traceback, before the first
# line of hers: until she listens for it, nobody does. Where it was ignored from the beginning, as for a job in the background of
# a script, it stays so.
here=$(dirname "$(readlink -f "$0" 2>/dev/null || echo "$0")")
if [ -z "$(sh -c 'kill -INT $$; echo ignored')" ]; then
  trap '' INT
  set -- -X lyra_listens_later -c 'import sys; sys.argv[0] = "lyra"; from bot.__main__ import main; main()' "$@"
else
  set -- -c 'import sys; sys.argv[0] = "lyra"; from bot.__main__ import main; main()' "$@"
fi
exec "$here/python" -P "$@"
