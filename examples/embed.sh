#!/bin/sh
# Starting Dateline from a shell script, as its local backend:
#
#   sh embed.sh ./dateline ./data
#
# What a shell starts in the background has no input that could close; Dateline notices that the script is gone.
set -eu

program=${1:-dateline}
data=${2:-./data}
umask 077
mkdir -p "$data"
ready="$data/ready.$$"
mkfifo "$ready"

"$program" serve --port 0 --data-dir "$data" --token-file "$data/token" --exit-with-parent >"$ready" &
service=$!
trap 'kill "$service" 2>/dev/null || true; rm -f "$ready"' EXIT

# One line of JSON, when requests are accepted. No line means that it ended, and stderr has said why.
read -r line <"$ready" || exit 1
url=$(echo "$line" | sed 's/.*"url":"\([^"]*\)".*/\1/')
instance=$(echo "$line" | sed 's/.*"instance":"\([^"]*\)".*/\1/')

# call METHOD PATH [BODY]: calls the API, and makes sure that the answer comes from the service started above. The token
# goes to curl through a pipe: others can see the arguments of a process.
call() {
  printf 'header = "Authorization: Bearer %s"\n' "$(cat "$data/token")" |
    curl -sS --fail-with-body --noproxy '*' --config - --dump-header "$data/headers" --request "$1" \
      -H 'Content-Type: application/json' ${3:+--data "$3"} "$url$2"
  if ! grep -qi "^x-dateline-instance: $instance" "$data/headers"; then
    echo 'another service answers' >&2
    exit 1
  fi
}

call POST '/api/v1/data?model=topic' \
  '{"name":"Harbours","description":"Ships and tides.","iconUrl":"https://example.org/h.png"}' >/dev/null
call GET '/api/v1/data?model=topic' | grep -o '"name":"Harbours"'

kill "$service"
code=0
wait "$service" || code=$?
echo "ended with $code"
