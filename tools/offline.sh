#!/bin/sh
# Runs a command with the network cut by the kernel: a network namespace of its own that has loopback and nothing else.
#
#   sh tools/offline.sh sh tools/demo.sh graphmem
#   sh tools/offline.sh python -m pytest tests/memory tests/mcp
#
# Linux, with unprivileged user namespaces (util-linux's unshare, iproute2's ip). It first shows that nothing is reached.
set -eu
[ $# -gt 0 ] || { sed -n '2,7s/^# \{0,1\}//p' "$0" >&2; exit 2; }
exec unshare --user --map-root-user --net sh -c '
    ip link set lo up
    python3 -c "
import socket, sys
for where in ((\"192.0.2.1\", 80), (\"198.51.100.1\", 443), (\"8.8.8.8\", 53)):
    try:
        socket.create_connection(where, 1)
    except OSError as error:
        print(\"offline:\", where[0], error, file=sys.stderr)
    else:
        sys.exit(\"offline: \" + where[0] + \" was reached\")
"
    exec "$@"' offline "$@"
