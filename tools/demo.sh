#!/bin/sh
# The demo of the README: a chat log of each language into a fresh memory, then facts, the review with the
# recommended answer to every question, a recall and a lineage tree.
set -eu
graphmem=$1
home=$(mktemp -d)
trap 'rm -rf "$home"' EXIT

show() {
    printf '\n$ graphmem %s\n' "$*"
    "$graphmem" --memory "$memory" "$@"
}

accept_recommended() {
    printf '\n$ yes p | graphmem review\n'
    yes p 2>/dev/null | "$graphmem" --memory "$memory" review | grep -c '^mark older as past' \
        | sed 's/$/ decided: mark older as past/' || true
}

memory=$home/english
show ingest data/samples/ana.jsonl
show facts Ana --slot home
accept_recommended
show recall "Where do I live?" --limit 3
show recall "Where did I live before?" --limit 3
show lineage Ana home

memory=$home/chinese
show ingest data/samples/zhouwei_whatsapp.txt
show facts 周伟 --slot home
accept_recommended
show recall "我住在哪里？" --limit 3
show lineage 周伟 home
