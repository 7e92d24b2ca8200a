#!/bin/sh
# Asks in a chat for a refund, waits for the person, and says what became of it; ends with 1 when it was not done. Nothing but curl.
#   DALE_URL=http://127.0.0.1:3000 DALE_KEY=dale_… ./ask.sh shop ana sim:ana 4512 19.90
set -eu
account=$1 chat=$2 requester=$3 order=$4 amount=$5
case "$account$chat$requester$order$amount" in *[!A-Za-z0-9:._@+-]*) echo 'letters, digits and :._@+- only' >&2; exit 2 ;; esac

answer=$(curl -sS --fail-with-body "$DALE_URL/v1/proposals" \
  -H "Authorization: Bearer $DALE_KEY" -H 'Content-Type: application/json' -H "Idempotency-Key: refund-$order" -d "{
    \"action\": \"refund\", \"args\": { \"order\": \"$order\", \"amount\": \"$amount\" },
    \"conversation\": { \"account\": \"$account\", \"chat\": \"$chat\" }, \"requester\": \"$requester\"
  }") || { echo "$answer" >&2; exit 1; }
id=$(echo "$answer" | sed -n 's/.*"proposalId":"\([0-9A-Z]*\)".*/\1/p')
echo "asked: $id" >&2

# Each request waits up to a minute; a person may take longer.
while :; do
  outcome=$(curl -sS --fail-with-body "$DALE_URL/v1/proposals/$id/outcome?wait=60" -H "Authorization: Bearer $DALE_KEY")
  case "$outcome" in *'"final":true'*) break ;; esac
  echo 'still waiting' >&2
done
echo "$outcome" | sed -n 's/.*"state":"\([a-z_]*\)".*/\1/p'
case "$outcome" in *'"executed":true'*) ;; *) exit 1 ;; esac
