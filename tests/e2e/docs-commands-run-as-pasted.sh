# Every command block of a page runs as it is pasted, from the top of a clean
# copy of the tree; one that cannot run here says why in its fence.
#
#	```sh		runs; "# exit 1" behind a command is what it must exit with
#	```console	its lines that begin with "$ " run
#	```sh slow	takes minutes: the two commands of the README, benchmarks
#	```sh yours	wants a file, model, key or cluster of the reader's own:
#			docs-commands-run-with-what-stands-in
#	```sh root	installs, or starts services
#
# The blocks of a page are one session, as for who reads it from top to
# bottom.  A command that ends with & is waited for until it is ready.
. tests/lib.sh
need git
git rev-parse --git-dir >/dev/null 2>&1 || { echo "no clone here"; exit 77; }
need python3
need node
need jq
need curl

# The pages use the default ports; nobody else is on them in a net of our own.
case ${IN_NET-} in
'')
	user=
	[ "$(id -u)" = 0 ] || user=-r
	if unshare $user -n true 2>/dev/null; then
		rm -rf "$tmp"
		IN_NET=yes exec unshare $user -n sh "$0"
	fi ;;
yes) # SIOCSIFFLAGS: the loopback is up and running
	python3 -c 'import fcntl, socket, struct
fcntl.ioctl(socket.socket(), 0x8914, struct.pack("16sh14x", b"lo", 0x49))' ;;
esac
for port in 8765 8764 8474; do
	python3 -c 'import socket, sys; socket.create_server(("127.0.0.1", int(sys.argv[1])))' $port 2>/dev/null ||
	    { echo "port $port is taken, and there can be no net of our own"; exit 77; }
done

pages=$(ls README.md CONTRIBUTING.md docs/*.md demo/README.md examples/README.md packaging/README.md scenarios/README.md tests/README.md bench/README.md)
bin=$(cd "$BIN" && pwd)

# A page's blocks as one script, which says where it is.
script_of() { # PAGE
	awk -v page="$1" '
	function give(line, want) {
		if (line ~ /[^&]&( +#.*)?$/) {
			sub(/& *(#.*)?$/, "", line)
			print line " >>\"$PAGE_TMP/ready\" &"
			print "await_ready"
			return
		}
		want = line
		if (want ~ /# exit [0-9]$/) {
			sub(/.*# exit /, "", want)
			sub(/# exit [0-9]$/, "", line)
			print "got=0; " line "|| got=$?; [ $got = " want " ]"
		} else
			print line
	}
	/^ *```/ {
		run = 0
		if (fence) { fence = 0; next }
		fence = 1
		run = $0 ~ /^ *```(sh|console)$/
		console = $0 ~ /```console$/
		if (run) print "at=" FNR
		next
	}
	run && console { if (sub(/^\$ /, "")) give($0); next }
	run { give($0) }' "$1"
}

for page in $pages; do
	# What looks like a command stands in a fence that says what it is.
	awk -v page="$page" '
	/^ *```/ {
		if (!fence && $0 !~ /^ *```(sh|console)( (slow|yours|root))?$/ && $0 ~ /^ *```(sh|bash|shell|console)/) {
			print page ":" FNR ": an unknown mark: " $0; bad = 1
		}
		kind = $0; sub(/^ *```/, "", kind); fence = !fence; next
	}
	(fence && kind == "" || !fence && /^    /) && /^ *(\$ |build\/|\.\/[a-z]|make |sudo |curl |(kf-(chaos|gateway|view)|kernelforge) )/ {
		print page ":" FNR ": a command in no command block: " $0; bad = 1
	}
	END { exit bad }' "$page" >&2 || touch "$tmp/unmarked"
done
check "every command stands in a block with a mark that is known" [ ! -e "$tmp/unmarked" ]

# What git knows of, as it stands here: what is not committed yet too.
mkdir "$tmp/clean"
git ls-files -z --cached --others --exclude-standard | tar -c --null -T - --ignore-failed-read 2>/dev/null | tar -x -C "$tmp/clean"
ln -s "$bin" "$tmp/clean/build"
ran=0
for page in $pages; do
	script_of "$page" >"$tmp/script"
	[ "$(grep -vc '^at=' "$tmp/script")" -gt 0 ] || continue
	ran=$((ran + 1))
	mkdir "$tmp/page"
	cp -R "$tmp/clean" "$tmp/tree"
	cat >"$tmp/session" <<'END'
set -eu
cd "$1"
PAGE_TMP=$2
jobs_started=0
await_ready() {
	jobs_started=$((jobs_started + 1))
	until=$((SECONDS + 60))
	until [ "$(grep -c "^ready " "$PAGE_TMP/ready")" = "$jobs_started" ]; do
		[ $SECONDS -lt $until ] || { echo "it is not ready"; exit 1; }
	done
}
: >"$PAGE_TMP/ready"
end() {
	got=$?
	[ $got = 0 ] || echo "$PAGE:${at-}: exit $got" >&2
	kill $(jobs -p) 2>/dev/null || :
	wait || :
	exit $got
}
trap end EXIT
END
	cat "$tmp/script" >>"$tmp/session"
	begun=$(date +%s)
	got=0
	PAGE=$page timeout 600 bash "$tmp/session" "$tmp/tree" "$tmp/page" >"$tmp/said" 2>&1 </dev/null || got=$?
	# Ten minutes are for a page that hangs; the longest takes a quarter of one.
	[ $got != 124 ] || echo "not within 600 s" >>"$tmp/said"
	[ $got = 0 ] || fail "$page runs as pasted: $(tail -n 25 "$tmp/said")"
	echo "$page: $(($(date +%s) - begun)) s"
	rm -rf "$tmp/tree" "$tmp/page"
done
[ ! -e "$tmp/bad" ]
check "pages have commands that run" [ $ran -ge 8 ]
