#!/bin/sh
# run.sh: Toxiproxy's own Go tests, unchanged, against kf-chaos: once as it is, once with
# --strict-compat.  adapter.go stands in the place of the package that they test.  On demand
# (`make toxiproxy-suite`): it needs Go and fetches the module.
#
# Left out are tests of Go values that no server has (links, stubs and pipes inside the
# process, its Go runtime's metrics, the client library against a server of the test's own), and
# the one that wants a build without a version number.
set -eu
cd "$(dirname "$0")/../.."
version=v2.12.0
inner='TestToxicStub|TestSlicerToxic|TestLimitDataToxic|TestClient_|TestVersionEndpointReturnsVersion'
bin=$PWD/${BIN:-build}/kf-chaos
tmp=$(mktemp -d)
server=
end() {
	[ -z "$server" ] || kill "$server" 2>/dev/null || :
	chmod -R u+w "$tmp"
	rm -rf "$tmp"
}
trap end EXIT

command -v go >/dev/null || { echo "toxiproxy-suite: no go here" >&2; exit 3; }
mkdir "$tmp/fetch"
(cd "$tmp/fetch" && printf 'module fetch\n' >go.mod && go mod download "github.com/Shopify/toxiproxy/v2@$version")
cp -r "$(go env GOMODCACHE)/github.com/!shopify/toxiproxy/v2@$version" "$tmp/suite"
chmod -R u+w "$tmp/suite"
cp tests/toxiproxy/adapter.go "$tmp/suite/adapter.go"
cd "$tmp/suite"
find . -maxdepth 1 -name '*.go' ! -name '*_test.go' ! -name adapter.go -delete
rm -rf cmd test _examples link_test.go metrics_test.go

run() { # NAME ARGS: prints what failed
	name=$1
	shift
	"$bin" --admin 127.0.0.1:0 "$@" >"$tmp/$name.ready" 2>"$tmp/$name.err" &
	server=$!
	until [ -e "$tmp/$name.ready" ] && grep -q admin= "$tmp/$name.ready"; do
		kill -0 "$server" 2>/dev/null || { cat "$tmp/$name.err" >&2; exit 3; }
		sleep 0.05
	done
	KF_CHAOS=$bin KF_CHAOS_ARGS="$*" \
	KF_CHAOS_ADMIN=$(sed -n 's/.*admin=\([^ ]*\).*/\1/p' "$tmp/$name.ready") \
	    go test -count=1 -p 1 -skip "$inner" -v . ./toxics >"$tmp/$name.out" 2>&1 || :
	kill "$server"
	wait "$server" || :
	server=
	grep -E -B3 '^ *--- FAIL|^FAIL|panic:|cannot|undefined' "$tmp/$name.out" >"$tmp/$name.bad" || :
	cat "$tmp/$name.bad"
	echo "$name: $(grep -c '^--- PASS' "$tmp/$name.out" || :) passed, $(grep -c '^--- FAIL' "$tmp/$name.out" || :) failed"
}
run as-it-is
run strict --strict-compat
grep -h '^--- FAIL' "$tmp/as-it-is.out" | sed 's/--- FAIL: \([^ ]*\).*/\1/' | sort >"$tmp/differs" || :
sed -n 's/^| `\(Test[A-Za-z_]*\)` .*/\1/p' "$OLDPWD/docs/toxiproxy.md" | sort >"$tmp/listed"
if ! grep -q '^--- PASS' "$tmp/strict.out" || grep -q '^--- FAIL\|^FAIL' "$tmp/strict.out"; then
	echo "toxiproxy-suite: --strict-compat differs from the original" >&2
	exit 1
fi
diff "$tmp/listed" "$tmp/differs" >&2 || { echo "toxiproxy-suite: not what docs/toxiproxy.md lists" >&2; exit 1; }
