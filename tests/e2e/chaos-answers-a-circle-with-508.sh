# A circle of HTTP proxies through other processes ends after a few turns with
# a 508, told once; who rightly passes a proxy twice is let through.
. tests/lib.sh
need curl
need python3
proxy() { # NAME NEXT: one HTTP proxy before whoever writes NEXT's ready file
	printf '{"chaos":1,"name":"%s","seed":"1","proxies":{"front":{"listen":"127.0.0.1:0","upstream":"next"}}}\n' "$1" >"$tmp/$1.json"
	start "$1" "$BIN"/kf-chaos --scenario "$tmp/$1.json" --admin 127.0.0.1:0 --upstream "next=@$tmp/$2.ready"
}
ask() { # NAME BODY: its status, the body in $tmp/answer
	curl -s -m 20 -o "$tmp/answer" -w '%{http_code}' -d "$2" "http://$(address "$1" front)/v1/chat/completions"
}

# Two of them.
proxy left right
proxy right left
for i in 1 2 3; do
	check "a circle of two, $i" [ "$(ask left '{}')" = 508 ]
done
check "in words: $(cat "$tmp/answer")" grep -q 'loop_detected' "$tmp/answer"
check "told, and once" [ "$(cat "$tmp/left.err" "$tmp/right.err" | grep -c 'leads back to it through another process')" = 1 ]

# A model gateway between, which asks again after errors.
proxy round gate
cat >"$tmp/gw.yaml" <<END
providers: [{name: p, base_url: "http://$(address round front)/v1", models: [m]}]
END
start gate "$BIN"/kf-gateway --config "$tmp/gw.yaml" --listen 127.0.0.1:0
status=$(ask round '{"model":"p/m","messages":[{"role":"user","content":"hi"}]}')
check "through a gateway: $status $(cat "$tmp/answer")" [ "$status" -ge 500 ]
check "it was told" grep -q 'leads back to it through another process' "$tmp/round.err"

# A router that sends the request to the same proxy once more, under another path.
cat >"$tmp/router.py" <<'END'
import os, urllib.request
from answer_server import serve
def answer(request, body):
    marks = request.headers.get_all("CDN-Loop") or []
    if request.path != "/v1/chat/completions":
        return 200, {}, {"marks": marks}
    front = open(os.environ["FRONT"]).read().split("front=")[1].split()[0]
    again = urllib.request.Request("http://%s/again" % front, body, {"CDN-Loop": ", ".join(["cdn.example"] + marks)})
    return 200, {}, urllib.request.urlopen(again, timeout=10).read()
serve(answer)
END
FRONT=$tmp/twice.ready serve_answers router "$tmp/router.py"
proxy twice router
check "twice is no circle" [ "$(ask twice '{}')" = 200 ]
check "each time it says its name, in a field of its own: $(cat "$tmp/answer")" python3 -c '
import json, sys
first, second = json.load(open(sys.argv[1]))["marks"]
assert first == "cdn.example, " + second and second.startswith("kf-chaos-") and len(second) == 25' "$tmp/answer"
for name in left right round twice; do
	stop "$name"
	check "$name ends well" [ "$stopped" = 0 ]
done
