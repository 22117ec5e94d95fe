#!/bin/sh
# The demo of the README: two chat logs into fresh memories, then facts, a recall and a lineage tree.
set -eu
graphmem=$1
home=$(mktemp -d)
trap 'rm -rf "$home"' EXIT

show() {
    printf '\n\033[1m$ graphmem %s\033[0m\n' "$*"
    "$graphmem" --memory "$memory" "$@"
}

memory=$home/english
show ingest data/samples/ana.jsonl
show facts Ana --slot home
show recall "Where do I live?" --as-speaker Ana
show update "Ana lives in Paris" "I moved to Lisbon" || true
show lineage Ana home

memory=$home/chinese
show ingest data/samples/zhouwei_whatsapp.txt
show facts 周伟 --slot home
show recall "我住在哪里？" --as-speaker 周伟
show lineage 周伟 home
