#!/bin/sh
# Makes what plays and stands without us of a run directory: the cast, the
# animated SVG, a still of each key beat, and captures of a real terminal at
# three sizes.  All are functions of the run directory: the same run gives
# the same bytes.  docs/demo/ is made by it.
set -eu

. "$(dirname "$0")/fit.sh"
usage() {
	fit <<'END'
usage: sh demo/record.sh [options]

  --run DIR      the run directory (default: a fresh run of rope_demo)
  --suite DIR    a run of many operators: twenty.svg, its table, and
                 refused.svg, the operator that no try got right
  --out DIR      where the files go (default docs/demo)
  --width N      columns of cast, SVG and stills (default 100)
  --height N     rows (default 26)
  --pace PACE    slow (default) or fast
  --no-terminal  leaves out the captures, which want tmux

makes: demo.cast (asciinema v2), demo.svg (animated), beats.jsonl,
NAME.svg for each key beat, terminal-WxH.txt

exit: 0 done, 2 usage or no run there, 3 the machine lacks something
END
}

fail() { # CODE TEXT
	echo "record.sh: $2" >&2
	exit "$1"
}

run= suite= out=docs/demo width=100 height=26 pace=slow terminal=yes
while [ $# -gt 0 ]; do
	case $1 in
	--help | -h) usage; exit 0 ;;
	--no-terminal) terminal=; shift ;;
	--run | --suite | --out | --width | --height | --pace)
		[ $# -ge 2 ] || fail 2 "$1 needs a value"
		eval "${1#--}=\$2"
		shift 2 ;;
	*) fail 2 "found \"$1\", expected an option (see --help)" ;;
	esac
done
BIN=${BIN:-$(dirname "$0")/../build}
view=$BIN/kf-view
[ -x "$view" ] || fail 3 "$view is not there; run make first"
tmp=$(mktemp -d)
trap 'tmux -L "kf-record$$" kill-server 2>/dev/null || true; rm -rf "$tmp"' EXIT
if [ -z "$run" ]; then
	run=$tmp/run
	sh "$(dirname "$0")/demo.sh" --out "$run" --pace off >"$tmp/log" 2>&1 ||
	    { tail -n 5 "$tmp/log" >&2; fail 3 "the demo did not run"; }
fi
mkdir -p "$out" || fail 3 "$out: cannot be made"

set -- --explain --width "$width" --height "$height" --pace "$pace"
"$view" "$run" "$@" --cast "$out/demo.cast" --svg "$out/demo.svg" \
    --beats "$out/beats.jsonl" || exit

# The number of the first, or with "last" of the last, beat of a kind.
list=$out/beats.jsonl
beat_of() { # first|last PANE KIND [MORE]
	grep "\"pane\":\"$2\",\"kind\":\"$3\"" "$list" | grep -e "${4:-.}" |
	    case $1 in first) head -n 1 ;; last) tail -n 1 ;; esac |
	    sed 's/^{"beat":\([0-9]*\),.*/\1/'
}

# What a run has no beat of has no still, and an old one would lie.
stills=
draw() { # DIR NAME BEAT
	rm -f "$out/$2.svg"
	[ -z "$3" ] || "$view" "$1" --explain --width "$width" --height "$height" \
	    --beat "$3" --svg "$out/$2.svg"
}
take() { # NAME BEAT
	draw "$run" "$1" "$2"
	[ -z "$2" ] || stills="$stills $1:$2"
}
take begin "$(beat_of first both begin)"
take lie "$(beat_of first naive changed)"
take claim "$(beat_of first naive claim 'SILENTLY WRONG')"
take caught "$(beat_of first forge caught)"
take escalated "$(beat_of first forge asked 'gateway escalates:')"
take told "$(beat_of first forge told)"
take brownout "$(beat_of first forge retried)"
take verified "$(beat_of first forge verified)"
take scorecard "$(beat_of last both end)"
take yours "$(beat_of last both yours)"

if [ -n "$suite" ]; then
	list=$tmp/beats
	"$view" "$suite" --beats "$list" || exit
	draw "$suite" twenty "$(beat_of last both end)"
	draw "$suite" refused "$(beat_of last forge refused)"
fi

mux() { tmux -L "kf-record$$" -f /dev/null "$@"; }

# A real terminal's own idea of the picture, when all of it is drawn: it is then
# what the picture is as text.
capture() { # WIDTH HEIGHT BEAT
	"$view" "$run" --explain --beat "$3" --width "$1" --height "$2" |
	    sed 's/ *$//' >"$tmp/drawn"
	mux new-session -d -s "$3" -x "$1" -y "$2" \
	    "$view" "$run" --explain --beat "$3"
	until mux capture-pane -p -t "$3" | sed 's/ *$//' >"$tmp/shot" && cmp -s "$tmp/drawn" "$tmp/shot"; do
		tries=$((tries + 1))
		[ "$tries" -lt 3000 ] || { diff "$tmp/drawn" "$tmp/shot" >&2; fail 3 "tmux does not show the picture"; }
	done
	mux kill-session -t "$3"
	cat "$tmp/shot"
}
if [ -n "$terminal" ] && [ -n "$stills" ]; then
	command -v tmux >/dev/null || fail 3 "tmux is not there (or say --no-terminal)"
	tries=0
	mux new-session -d -s keeper cat # the server lives as long as a session
	for size in 80x24 100x30 160x45; do
		for s in $stills; do
			echo "== ${s%:*}"
			capture "${size%x*}" "${size#*x}" "${s#*:}"
		done >"$out/terminal-$size.txt"
	done
fi
echo "$out: demo.cast, demo.svg, beats.jsonl and stills of$(for s in $stills; do printf ' %s' "${s%:*}"; done)"
