#!/bin/sh
# Who may include whom.  A line is "room: rooms its files may include"; a room
# is a folder, and * stands for any of its rooms.
# Headers are always named from the root ("base/err.h"), so grep sees all; in
# angle brackets a folder of ours is none of the system's.
set -eu
bad=0

is_among() { # ROOM PATTERNS...
	room=$1; shift
	for pattern; do
		case $room in $pattern) return 0 ;; esac
	done
	return 1
}

set -f
while IFS=': ' read -r from may; do
	for line in $(find "$from" -maxdepth 1 -name '*.[ch]' -exec \
	    grep -HnoE '^[[:blank:]]*#[[:blank:]]*include[[:blank:]]*["<][^">]*' {} + 2>/dev/null |
	    tr -d ' \t'); do
		to=${line#*[\"<]} to=${to%/*}
		case $line in *'<'*) [ -d "$to" ] || continue ;; esac
		is_among "$to" "$from" $may || {
			echo "layers: $line: $from may include: $from $may" >&2
			bad=1
		}
	done
done <<'RULES'
base:
cltext: base
ops: base
lab/read: base cltext ops
lab/probe: base cltext ops lab/read
lab/run: base cltext ops lab/read lab/probe
lab/stages: base cltext ops lab/read lab/probe lab/run
lab/timing: base cltext ops lab/read lab/probe lab/run lab/stages
lab: base cltext ops lab/*
gateway/text: base
gateway/translation: base gateway/text
gateway/decisions: base gateway/text
gateway/conf: base gateway/text gateway/decisions
gateway/store: base gateway/text gateway/decisions gateway/conf
gateway/routing: base gateway/text gateway/decisions gateway/conf gateway/store
gateway/telling: base gateway/text gateway/conf
gateway/exchange: base gateway/text gateway/translation gateway/decisions gateway/conf gateway/store gateway/routing gateway/telling
gateway/traffic: base gateway/text gateway/translation gateway/decisions gateway/conf gateway/store gateway/routing gateway/telling gateway/exchange
gateway/service: base gateway/text gateway/decisions gateway/conf gateway/store gateway/routing gateway/telling gateway/exchange gateway/traffic
gateway: base gateway/*
chaos/rules: base cltext chaos/text
chaos/text: base cltext
chaos/http: base cltext chaos/rules chaos/text
chaos/faults: base cltext chaos/rules chaos/text chaos/http
chaos/tcp: base chaos/rules chaos/http
chaos/admin: base chaos/rules chaos/http chaos/tcp
chaos/trials: base chaos/rules chaos/http chaos/tcp
chaos/mcp: base chaos/rules chaos/http
chaos: base chaos/*
demo: base ops agent/telling
agent/text: base
agent/model: base ops agent/text
agent/ledger: base cltext agent/text
agent/run: base cltext ops lab lab/* agent/text agent/mcp agent/model agent/ledger
agent/telling: base ops lab lab/* agent/text agent/ledger agent/run
agent/study: base agent/text agent/ledger
agent/mcp: base agent/text
agent/service: base cltext ops lab lab/* agent/text agent/mcp agent/model agent/ledger agent/telling
agent: base cltext ops lab lab/* agent/*
tests: *
RULES
set +f
for room in $(find base cltext ops lab gateway chaos agent demo -type d); do
	sed -n '/^done <<.RULES.$/,/^RULES$/p' "$0" | grep -q "^$room:" || {
		echo "layers: $room has no row in $0" >&2
		bad=1
	}
done
if cl=$(grep -rln '#include <CL/' --include='*.[ch]' . | grep -v '^\./\(lab\|bench\)/'); then
	echo "layers: only lab/ and bench/ may include CL/cl.h: $cl" >&2
	bad=1
fi
# The loop never waits for DNS; a program that starts may.
if dns=$(grep -rlw 'getaddrinfo\|gethostbyname' --include='*.c' base cltext ops lab gateway chaos agent | grep -v '^base/serve.c$'); then
	echo "layers: only base/serve.c may block for a name: $dns" >&2
	bad=1
fi
exit $bad
