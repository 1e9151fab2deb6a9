# What the pages mark as `yours` runs too, as it is pasted, with stand-ins for
# what is the reader's own: a model and a gateway of ours on the ports and at
# the URL that the page says, an agent, a scenario, a run.  What cannot run
# here is named, each with its reason; a block that is neither fails.  So is
# what pages mark as slow or as root's: by which script it is run instead.
. tests/lib.sh
need git
git rev-parse --git-dir >/dev/null 2>&1 || { echo "no clone here"; exit 77; }
need python3
need node
need jq
need curl

# The default ports are ours alone in a net of our own.
if [ "${IN_NET-}" != yes ]; then
	user=
	[ "$(id -u)" = 0 ] || user=-r
	unshare $user -n true 2>/dev/null || { echo "there can be no net of our own"; exit 77; }
	rm -rf "$tmp"
	IN_NET=yes exec unshare $user -n sh "$0"
fi
python3 -c 'import fcntl, socket, struct
fcntl.ioctl(socket.socket(), 0x8914, struct.pack("16sh14x", b"lo", 0x49))'

# PAGE, words of the block, and why it does not run.
cat >"$tmp/cannot" <<'END'
docs/gateway.md|python3 -m venv sdks|fetches two libraries
docs/live-run.md|python3 -m venv llama|fetches a model
docs/performance.md|npm install|fetches another gateway, to measure it
docs/scaling.md|#!/bin/sh|wants a cluster; slurm-array-runs-the-shards plays one, and gives it this block
packaging/README.md|docker build|wants a builder of containers; containers-are-what-their-files-say
END

cat >"$tmp/elsewhere" <<'END'
README.md|./run_demo.sh|docs-demo-page-runs-as-pasted, and `make test` is what runs this
docs/adding-a-scenario.md|--repeat 2|demo-gives-equal-fingerprints
docs/adding-an-operator.md|build/unit-ops|docs-operator-page-compiles
docs/demo.md|./run_demo.sh|docs-demo-page-runs-as-pasted
docs/demo.md|ledger check|docs-demo-page-runs-as-pasted
docs/demo.md|--ready-file|docs-demo-page-runs-as-pasted
docs/mutation.md|make mutation|hours, by hand
docs/mutation.md|make adversary|hours, by hand
docs/mutation.md|make soak-verify|hours, by hand
docs/reliability.md|--runs 2|reliability-shows-how-an-agent-degrades
demo/README.md|--pace slow|docs-demo-page-runs-as-pasted, and demo-proves-a-full-suite
demo/README.md|demo/record.sh|docs-demo-page-runs-as-pasted
demo/README.md|--beat 12|docs-demo-page-runs-as-pasted
demo/README.md|demo/video.sh|video-says-only-what-the-run-holds
packaging/README.md|make deb|packages-hold-what-is-installed
packaging/README.md|make install|install-puts-everything-in-place
packaging/README.md|debootstrap|containers-are-what-their-files-say, where that base is
END

pages=$(ls README.md CONTRIBUTING.md docs/*.md demo/README.md examples/README.md packaging/README.md scenarios/README.md tests/README.md bench/README.md)
bin=$(cd "$BIN" && pwd)

# Each block of a page that is marked, in a file of its own: the commands
# alone, with what a reader puts in the place of a word in capitals.
blocks_of() { # PAGE MARK
	rm -rf "$tmp/blocks"
	mkdir "$tmp/blocks"
	awk -v to="$tmp/blocks/" -v mark=" ($2)$" '
	/^ *```/ {
		if (fence) { fence = 0; next }
		fence = 1
		mine = $0 ~ mark
		console = /```console/
		if (mine) { n++; file = to sprintf("%02d", n); print FNR > (file ".line") }
		next
	}
	!fence || !mine { next }
	console && !/^\$ / { next }
	{ sub(/^\$ /, ""); print > file }' "$1"
}

# A server that the block starts has a terminal of its own, as a reader gives it,
# and where the reader's own run stands between two lines, one stands there.
# The whole catalogue is run once: by the page that runs it side by side.
as_script() {
	sed -E \
	    -e 's#--base-url URL#--base-url http://127.0.0.1:18001#; s#--gateway URL#--gateway http://127.0.0.1:8765#' \
	    -e 's#--model NAME#--model deepseek-coder#; s# \[--[^]]*\]##g' \
	    -e 's#--out DIR#--out runs/mine#; s#--max-tokens N#--max-tokens 900000#' \
	    -e 's#/home/me/ca#mine/ca#g' \
	    -e 's#(audit) (-- node my-agent)#\1 --only 503 \2#; s#(--upstream https://api.openai.com) --#\1 --only 503 --#' \
	    -e 's#https://api\.(openai|deepseek)\.com#http://127.0.0.1:18001#' \
	    -e 's#^(.*) --out out/1 --shard 1/4#for i in 1 2 3 4; do \1 --out out/$i --shard $i/4; done#' |
	    awk '
	/--log chaos.jsonl --record/ { print "rm chaos.jsonl" }
	/--scenario forward.json/ {
		print "build/kf-chaos --scenario storm.json --tls-ca mine/ca --admin 127.0.0.1:0 >>\"$PAGE_TMP/ready\" &"
		print "await_ready"
		$0 = "SSL_CERT_FILE=mine/ca/ca.pem " $0
	}
	/kf-chaos shrink/ {
		print "OPENAI_BASE_URL=http://127.0.0.1:8080/v1 node one-try.mjs && exit 1"
		print "kill %1; wait %1 || :"
		sub(/my-agent/, "one-try")
	}
	/(kf-chaos --scenario|kf-gateway --config) / {
		sub(/ +#.*$/, "")
		sub(/ &$/, "")
		print $0 " >>\"$PAGE_TMP/ready\" &"
		print "await_ready"
		next
	}
	# It finds what breaks its client, which is no mistake of the page.
	/kf-chaos explore/ { $0 = $0 " || [ $? = 1 ]" }
	{ print }'
}

# Is a block among those that a table names?
is_named() { # TABLE PAGE BLOCK
	grep -F "$2|" "$1" | cut -d '|' -f 2 | (while IFS= read -r words; do
		! grep -qF -e "$words" "$3" || exit 0
	done; exit 1)
}

named=0
for page in $pages; do
	blocks_of "$page" 'slow|root'
	for block in "$tmp"/blocks/??; do
		[ -s "$block" ] || continue
		is_named "$tmp/elsewhere" "$page" "$block" || fail "$page:$(cat "$block.line"): who runs this?"
		named=$((named + 1))
	done
done
check "what is run elsewhere is still there" [ $named = "$(wc -l <"$tmp/elsewhere")" ]
cut -d '|' -f 3 "$tmp/elsewhere" | grep -oE '^[a-z]+(-[a-z]+)+' | sort -u | while read -r script; do
	[ -e "tests/e2e/$script.sh" ] || fail "there is no $script"
done

git ls-files -z --cached --others --exclude-standard | tar -c --null -T - --ignore-failed-read 2>/dev/null | (mkdir "$tmp/tree" && tar -x -C "$tmp/tree")
ln -s "$bin" "$tmp/tree/build"
cd "$tmp/tree"
mkdir mine runs bin
(unset IN_NET; BIN=$bin ./run_demo.sh --out runs/first --pace off) >"$tmp/said" 2>&1 || fail "a run: $(tail -n 5 "$tmp/said")"
cp runs/first/ledger.jsonl .
cp examples/agent/agent.mjs my-agent.mjs
# One that a single fault ends, and one whose base URL cannot be changed.
cat >one-try.mjs <<'END'
const asked = await fetch(`${process.env.OPENAI_BASE_URL}/chat/completions`, { method: 'POST', body: '{"model": "m", "messages": []}' });
process.exit(asked.ok ? 0 : 1);
END
cat >agent.py <<'END'
import os, urllib.error, urllib.request
assert os.environ["HTTPS_PROXY"]
try:
    urllib.request.urlopen("https://localhost:8443/v1/models", timeout=30)
except urllib.error.HTTPError as e:
    assert b"certificate" not in e.read(), "a fault is an answer too"
END
cat >forward.json <<'END'
{"chaos": 1, "name": "forward", "seed": "1",
 "proxies": { "way": { "listen": "127.0.0.1:8888", "mode": "forward", "hosts": ["localhost"], "ca": "mine/ca" } }}
END
# Four operators stand in for twenty.
jq '.agent.ops = ["abs", "relu", "exp", "elementwise_add"] | .agent.naive = false | del(.expect)' scenarios/full_suite/scenario.json >few.json
mv few.json scenarios/full_suite/scenario.json
printf '#!/bin/sh\nexec curl -sSf -o /dev/null "$1"\n' >bin/xdg-open
chmod +x bin/xdg-open
cat >storm.json <<'END'
{"chaos": 1, "name": "storm", "seed": "1",
 "proxies": {"front": {"listen": "127.0.0.1:8080", "mode": "standin", "header_faults": true},
             "models": {"listen": "127.0.0.1:8443", "mode": "standin"}},
 "rules": [{"id": "RULE", "proxy": "front", "when": {"nth": 1}, "fault": {"type": "http_error", "status": 503}}]}
END
cp storm.json mine.json
cp storm.json mine/scenario.json
cat >requests.jsonl <<'END'
{"proxy": "front", "method": "POST", "path": "/v1/chat/completions", "headers": {}, "body": {"model": "m", "messages": []}}
END
cat >with-store.yaml <<'END'
providers: [{name: models, base_url: "http://127.0.0.1:18001"}]
---
store: {path: gateway.db}
END
cat >models.json <<'END'
{"chaos": 1, "name": "models", "seed": "1",
 "proxies": {"models": {"listen": "127.0.0.1:18001", "mode": "script", "answers": "scenarios/rope_demo/answers/"}}}
END
sed 's/"script", "answers": [^}]*/"standin"/' models.json >any-model.json
sed 's/rope_demo/full_suite/' models.json >more-models.json
# A log of one fault.
start once "$bin"/kf-chaos --scenario storm.json --log chaos.jsonl --admin 127.0.0.1:0
curl -s -o "$tmp/said" http://127.0.0.1:8080/v1/chat/completions -d '{"model": "m", "messages": []}'
stop once
cp chaos.jsonl mine/

# Who is there already when a page begins.
servers_of() { # PAGE
	case $1 in
	docs/chaos.md) echo "$bin/kf-chaos --scenario storm.json --admin 127.0.0.1:0" ;;
	docs/toxiproxy.md) echo "$bin/kf-chaos --scenario storm.json --admin 127.0.0.1:8474" ;;
	docs/test-your-agent.md) echo "$bin/kf-chaos --scenario any-model.json --admin 127.0.0.1:0" ;;
	docs/live-run.md | docs/resume.md | docs/gateway*.md | docs/compare.md | docs/scaling.md)
		case $1 in docs/[cs]*) models=more-models.json ;; *) models=models.json ;; esac
		echo "$bin/kf-chaos --scenario $models --admin 127.0.0.1:0"
		case $1 in docs/gateway*.md) ;; *)
			echo "env KF_MODELS_URL=http://127.0.0.1:18001 $bin/kf-gateway --config scenarios/gateway.yaml" ;;
		esac ;;
	esac
}

cat >"$tmp/session" <<'END'
set -eu
servers=0
await_ready() {
	servers=$((servers + 1))
	until=$((SECONDS + 20))
	until [ "$(grep -c "^ready " "$PAGE_TMP/ready")" -ge "$servers" ]; do
		[ $SECONDS -lt $until ] || { echo "it is not ready"; exit 1; }
	done
}
: >"$PAGE_TMP/ready"
end() {
	got=$?
	kill $(jobs -p) 2>/dev/null || :
	wait || :
	exit $got
}
trap end EXIT
END
ran=0 left=0
for page in $pages; do
	blocks_of "$page" yours
	for block in "$tmp"/blocks/??; do
		[ -s "$block" ] || continue
		where=$page:$(cat "$block.line")
		if is_named "$tmp/cannot" "$page" "$block"; then
			left=$((left + 1))
			continue
		fi
		{
			cat "$tmp/session"
			servers_of "$page" | if grep -q 'kf-chaos --scenario' "$block" && [ "$page" = docs/chaos.md ]; then :; else cat; fi |
			    sed 's/$/ >>"$PAGE_TMP\/ready" \&\nawait_ready/'
			# Two runs of a page are two folders, but for one that goes on.
			if grep -q -e --resume "$block"; then
				echo '[ -e runs/mine ] || cp -R runs/first runs/mine'
			else
				echo 'rm -rf runs/mine'
			fi
			# Here lies a ledger to look at, and whole runs are merged into no run.
			[ "$page" != docs/scaling.md ] || echo 'rm -f ledger.jsonl'
			as_script <"$block"
		} >"$tmp/script"
		mkdir "$tmp/page"
		cp with-store.yaml gateway.yaml # which some pages write anew
		begun=$(date +%s)
		# Who waits for silence waits for as little as a whole catalogue can bear.
		case $page in docs/test-your-agent.md) silence_s=2 ;; *) silence_s=20 ;; esac
		PAGE_TMP=$tmp/page PATH=$PWD/bin:$bin:$PATH AGENT_SILENCE_S=$silence_s timeout 400 bash "$tmp/script" >"$tmp/said" 2>&1 </dev/null ||
		    fail "$where runs as pasted: $(tail -n 25 "$tmp/said")"
		echo "$where: $(($(date +%s) - begun)) s"
		rm -rf "$tmp/page"
		ran=$((ran + 1))
	done
done
check "most of them run: $ran, and $left do not" [ $ran -ge 18 ]
check "what does not run is still there" [ $left = "$(wc -l <"$tmp/cannot")" ]
