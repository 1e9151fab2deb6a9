# Each container file has a build stage and a stage of its own to run in, a user
# that is not root, a health check that works, and the packages that its
# program wants; where a builder has the base image, it is built and runs.
. tests/lib.sh
own_ports
start chaos "$BIN"/kf-chaos --admin 127.0.0.1:$port
eval "$(sed -n "/^run=/,/'$/p" setup.sh)"

lint() { # FILE PROGRAM
	# Continued lines joined, comments left out; the last stage by itself.
	sed -e '/^#/d' -e :a -e '/\\$/{N;s/\\\n//;ba' -e '}' "$1" | tr -s ' \t' ' ' >"$tmp/file"
	awk '/^FROM/ { n++; delete l; i = 0 } { l[++i] = $0 } END { for (k = 1; k <= i; k++) print l[k]; exit n != 2 }' "$tmp/file" >"$tmp/last" ||
	    echo "$1: not two stages"
	! grep -vE '^(FROM|RUN|COPY|WORKDIR|USER|EXPOSE|VOLUME|HEALTHCHECK|ENTRYPOINT|CMD)( |$)' "$tmp/file" | grep . ||
	    echo "$1: an instruction that is none"
	! grep '^FROM' "$tmp/file" | grep -vE '^FROM debian:12-slim( AS build)?$' || echo "$1: another base"
	[ "$(sed -n 's/^USER //p' "$tmp/last")" -gt 0 ] 2>/dev/null || echo "$1: runs as root"
	awk '/^USER/ { user = NR } /^(RUN|COPY)/ { last = NR } END { exit !(user > last) }' "$tmp/last" ||
	    echo "$1: something is done after the user is set"
	grep -qF "COPY --from=build /build/$2 /usr/bin/$2" "$tmp/last" || echo "$1: no $2 in it"
	grep -qF "ENTRYPOINT [\"/usr/bin/$2\"]" "$tmp/last" || echo "$1: does not start $2"
	grep -q '^HEALTHCHECK .* CMD \["/usr/bin/' "$tmp/last" || echo "$1: no health check"
	sed -n 's/^COPY --from=build \/src\/\([^ ]*\) .*/\1/p' "$tmp/last" | while read -r copied; do
		[ -e "$copied" ] || echo "$1: no $copied to copy"
	done
	# What it builds with is in setup.sh's list; what it runs with, by the
	# names of Debian 12, is what the program is linked with.
	sed -n 's/.*--no-install-recommends \(gcc [^&]*\)&&.*/\1/p' "$tmp/file" | tr ' ' '\n' | grep . >"$tmp/built"
	printf '%s\n' $run | grep -vxE 'pocl-opencl-icd|clang|oclgrind' | sort | diff - "$(sort "$tmp/built" >"$tmp/b" && echo "$tmp/b")" ||
	    echo "$1: does not build with what setup.sh installs"
	objdump -p "$BIN/$2" | sed -n 's/ *NEEDED *//p' | sed 's/^libssl.so.3$\|^libcrypto.so.3$/libssl3/
	    s/^libcares.so.2$/libc-ares2/; s/^libsqlite3.so.0$/libsqlite3-0/; s/^libz.so.1$/zlib1g/; s/^libevent-2.1.so.7$/libevent-2.1-7/; s/^libjansson.so.4$/libjansson4/; s/^libyaml-0.so.2$/libyaml-0-2/
	    s/^libpcre2-8.so.0$/libpcre2-8-0/; /^lib[cm]\.so\.6$/d' | grep -vE 'san\.so|^libgcc_s' | sort -u >"$tmp/linked"
	grep '^RUN' "$tmp/last" | tr ' ' '\n' | grep '^z*lib' | sort | diff "$tmp/linked" - >"$tmp/diff" ||
	    echo "$1: not the libraries of $2: $(cat "$tmp/diff")"
}
need objdump
for pair in Dockerfile:kf-gateway Dockerfile.chaos:kf-chaos; do
	lint packaging/${pair%:*} ${pair#*:}
done >"$tmp/wrong" 2>&1
[ ! -s "$tmp/wrong" ] || fail "$(cat "$tmp/wrong")"

# The check sees what it is for.
sed 's/^USER .*//; s/libjansson4//; s/^HEALTHCHECK.*//; s/scenarios/scenery/' packaging/Dockerfile.chaos >"$tmp/bad"
lint "$tmp/bad" kf-chaos >"$tmp/wrong" 2>&1
for what in 'runs as root' 'no health check' 'no scenery' 'not the libraries'; do
	grep -q "$what" "$tmp/wrong" || fail "the check sees: $what ($(cat "$tmp/wrong"))"
done

# The health check's own words, to a proxy that is there and to none.
words=$(sed -n 's/^HEALTHCHECK.*CMD \["\/usr\/bin\/kf-chaos", \(.*\)\]/\1/p' packaging/Dockerfile.chaos | tr -d '",')
check "a proxy that is there is healthy" "$BIN"/kf-chaos $words --admin "$(address chaos admin)" >/dev/null
stop chaos
rc=0
"$BIN"/kf-chaos $words --admin "$(address chaos admin)" >/dev/null 2>&1 || rc=$?
[ $rc != 0 ] || fail "one that is gone is not"

base=docker.io/library/debian:12-slim
command -v buildah >/dev/null 2>&1 && buildah inspect --type image $base >/dev/null 2>&1 ||
    { echo "linted; no builder with $base here"; exit 0; }
git ls-files -z --cached --others --exclude-standard | tar -c --null -T - | (mkdir "$tmp/tree" && tar -x -C "$tmp/tree")
buildah build --isolation chroot --format docker --pull=never -q -f packaging/Dockerfile.chaos -t kf-chaos-test "$tmp/tree" >"$tmp/out" 2>&1 ||
    fail "it is built: $(tail -n 20 "$tmp/out")"
buildah inspect kf-chaos-test | grep -q "\"ctl\"" || fail "the health check is in it"
box=$(buildah from --pull=never kf-chaos-test)
trap 'buildah rm "$box" >/dev/null; buildah rmi kf-chaos-test >/dev/null; leave' EXIT
check "it runs, as nobody special" [ "$(buildah run --isolation chroot "$box" -- id -u)" = 10001 ]
buildah run --isolation chroot "$box" -- sh -c 'kf-chaos --preset brownout --log /var/lib/kf-chaos/c.jsonl >/tmp/out & until grep -q ^ready /tmp/out; do :; done; kf-chaos ctl limits' >"$tmp/out" ||
    fail "it serves and is healthy: $(cat "$tmp/out")"
