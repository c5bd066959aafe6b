#!/usr/bin/env bash
# A Ray cluster of two nodes on this machine, to try --address with; it ends with Ctrl-C.
#
#   examples/two_nodes.sh [PORT [CPUS_OF_A_NODE]]
#   pdf-search sweep examples/hydration.yaml --address 127.0.0.1:6379
#
# Who has the token in ~/.ray/auth_token, which is made if there is none, can use it. cluster.yaml is
# for several machines.
set -euo pipefail
port=${1:-6379} cpus=${2:-1}
export RAY_AUTH_MODE=token RAY_USAGE_STATS_ENABLED=0
export RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER=1 # macOS: Ray refuses several nodes without it
test -n "${RAY_AUTH_TOKEN:-}${RAY_AUTH_TOKEN_PATH:-}" || test -s ~/.ray/auth_token ||
    ray get-auth-token --generate >/dev/null
store=$((128 * 1024 * 1024)) # bytes of each node's object store
trap 'kill $(jobs -p) 2>/dev/null; wait' EXIT
trap 'exit 130' INT TERM
ray start --block --head --port "$port" --num-cpus "$cpus" --include-dashboard false \
    --object-store-memory "$store" &
until ray health-check --address "127.0.0.1:$port" >/dev/null 2>&1; do
    jobs %1 >/dev/null 2>&1 || exit 1
    sleep 1
done
ray start --block --address "127.0.0.1:$port" --num-cpus "$cpus" --object-store-memory "$store" &
wait
