# A proxy of the environment is taken for providers, as curl takes it: not for
# hosts that no_proxy or NO_PROXY name, and never for this machine; a key that
# goes there goes to nobody else.
. tests/lib.sh
need python3
kf=$BIN/kernelforge
cat >"$tmp/noted.py" <<'PY'
# Notes who was asked and by which key, and refuses.
import sys
from answer_server import serve

def answer(request, body):
    with open(sys.argv[1], "a") as f:
        print(request.path, request.headers.get("Authorization"), file=f, flush=True)
    return 401, {}, {"error": {"message": "no"}}
serve(answer)
PY
serve_answers proxy "$tmp/noted.py" "$tmp/to-proxy"
serve_answers provider "$tmp/noted.py" "$tmp/to-provider"
proxy=http://$(address proxy server)
provider=$(address provider server)
port=${provider##*:}
n=0
asks() { # WHOM HOST VARIABLE=VALUE...
	whom=$1 host=$2
	shift 2
	n=$((n + 1))
	: >"$tmp/to-proxy"
	: >"$tmp/to-provider"
	env -u no_proxy -u NO_PROXY -u all_proxy -u ALL_PROXY http_proxy="$proxy" https_proxy="$proxy" KERNELFORGE_API_KEY=sk-proxy-key-0123456789 "$@" \
	    "$kf" run --ops rope --no-naive --out "$tmp/run$n" --base-url "http://$host:$port/v1" --model m --without retry >"$tmp/out" 2>&1 || true
	check "$host with $* is asked of the $whom" grep -q 'Bearer sk-proxy-key' "$tmp/to-$whom"
	[ "$whom" = proxy ] || check "$host with $*: the proxy hears nothing" test ! -s "$tmp/to-proxy"
}
# 0.0.0.0 is this machine by no name that says so, and needs no look-up.
asks proxy 0.0.0.0 http_proxy="$proxy"
asks provider 0.0.0.0 no_proxy=0.0.0.0
asks provider 0.0.0.0 NO_PROXY=some.example,0.0.0.0
asks provider 0.0.0.0 no_proxy='*'
asks proxy 0.0.0.0 no_proxy=some.example
for host in 127.0.0.1 localhost LocalHost; do
	asks provider $host no_proxy=some.example
done
