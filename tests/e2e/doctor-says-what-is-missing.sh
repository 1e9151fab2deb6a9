# kernelforge doctor names devices, tools and sandbox features, says what a
# missing one costs, and exits 3 where nothing can be judged.
. tests/lib.sh
need jq
kf=$BIN/kernelforge
holds() { jq -e "$@" >/dev/null; }

exits 0 "$kf" doctor --json
cp "$tmp/out" "$tmp/here.json"
check "a machine that judges is ready" holds '.ready and .control_ms > 0 and
    (.devices | map(select(.cpu)) | length) >= 1 and
    ([.tools[].name] | index("ld") != null) and (.sandbox | length) == 6' "$tmp/here.json"
# A link under another name, as Debian's ld is, is there all the same.
check "what is in the path is found" test "$(jq '.tools[] | select(.name == "ld").found' "$tmp/here.json")" = \
    "$(command -v ld >/dev/null && echo true || echo false)"
check "only what is missing has a cost" holds \
    '[.tools[], .sandbox[]] | all(.found == (.cost == ""))' "$tmp/here.json"
exits 0 "$kf" doctor
check "people are told too" grep -q '^ready: ' "$tmp/out"

exits 0 env PATH="$tmp" "$kf" doctor --json
cp "$tmp/out" "$tmp/bare.json"
check "a missing tool is named with its cost" holds \
    '.tools | all((.found | not) and .cost != "")' "$tmp/bare.json"

mkdir "$tmp/vendors"
exits 3 env OCL_ICD_VENDORS="$tmp/vendors" "$kf" doctor
check "no device: said, not crashed" grep -q '^not ready: no OpenCL' "$tmp/out"
exits 2 "$kf" doctor extra
