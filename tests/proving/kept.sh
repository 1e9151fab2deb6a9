#!/bin/sh
# kept.sh JOURNAL COMMAND...: a run of days, of which a machine makes a part.
# Unpacks the journal that tests/proving/journals has of this name, unless
# JOURNAL is there already, runs COMMAND, and packs what it has left.
set -u
journal=$1
shift
packed=$(dirname "$0")/journals/$(basename "$journal").gz

if [ ! -f "$journal" ] && [ -f "$packed" ]; then
	gzip -dc "$packed" >"$journal.part" && mv "$journal.part" "$journal" || exit 3
fi
"$@"
rc=$?
if [ -f "$journal" ]; then
	mkdir -p "$(dirname "$packed")" &&
	gzip -9nc "$journal" >"$packed.part" && mv "$packed.part" "$packed" || exit 3
fi
exit $rc
