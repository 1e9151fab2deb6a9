# The protocol's own conformance suite, both revisions: what fails is what
# tests/clients/mcp-expected-failures.txt says, with its reason, and nothing else.
. tests/lib.sh
need python3
need_mcp_tools
start server "$BIN"/kernelforge mcp --http 127.0.0.1:0
url=http://$(address server mcp)/mcp
for revision in 2025-11-25 2026-07-28; do
	# Its exit says that something failed, which is no news.
	"$node22" tests/clients/node_modules/@modelcontextprotocol/conformance/dist/index.js \
	    server --url "$url" --requirements "$revision" -o "$tmp/$revision" >"$tmp/$revision.log" 2>&1 || true
done
tmp=$tmp python3 - >"$tmp/failed" <<'PY'
import glob, json, os, re
for path in glob.glob(os.environ["tmp"] + "/20*/*/checks.json"):
    revision, folder = path.split("/")[-3:-1]
    scenario = re.fullmatch(r"server-(.*)-20\d\d-\d\d-\d\dT[-\dZ]*", folder)[1]
    for check in json.load(open(path)):
        if check["status"] not in ("SUCCESS", "INFO", "SKIPPED"):
            print(revision, scenario, check["id"])
PY
sort -u "$tmp/failed" >"$tmp/got"
grep -v '^#\|^$' tests/clients/mcp-expected-failures.txt | sort -u >"$tmp/want"
check "every scenario ran" [ "$(ls -d "$tmp"/20*/* | wc -l)" -ge 80 ]
check "what fails is what is known to fail" diff "$tmp/want" "$tmp/got"
