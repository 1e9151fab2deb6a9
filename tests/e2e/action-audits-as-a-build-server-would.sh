# action.yml's inputs all reach its script, and the script does what a build
# server sees: exit code, summary, output, JUnit; an input is never a command.
. tests/lib.sh
need python3
# The names of the environment that the action sets are those the script reads.
sed -n 's/^ *\([A-Z_]*\): \${{ inputs\.[a-z-]* }}$/\1/p' action.yml | sort >"$tmp/set"
grep -oE '\b(AUDIT_[A-Z]*|KF_CHAOS)\b' packaging/action.sh | sort -u >"$tmp/read"
check "every input is read" diff "$tmp/set" "$tmp/read"
for input in $(sed -n '/^inputs:/,/^outputs:/s/^  \([a-z-]*\):$/\1/p' action.yml); do
	check "$input is handed on" grep -qF "\${{ inputs.$input }}" action.yml
done
check "the script is there" grep -qF '$GITHUB_ACTION_PATH/packaging/action.sh' action.yml
check "the example gives inputs that exist" sh -c '
	sed -n "/with:/,/- uses/s/^          \([a-z-]*\): .*/\1/p" examples/ci/audit.yml | head -n 2 | while read -r i; do
		grep -q "^  $i:$" action.yml || exit 1; done'

run() { # CODE NAME=VALUE...
	code=$1
	shift
	rm -f "$tmp/output" "$tmp/summary" "$tmp/junit.xml"
	exits "$code" env KF_CHAOS="$BIN/kf-chaos" GITHUB_OUTPUT="$tmp/output" GITHUB_STEP_SUMMARY="$tmp/summary" \
	    AUDIT_JUNIT="$tmp/junit.xml" AUDIT_JOBS=4 "$@" sh packaging/action.sh
}
run 1 AUDIT_COMMAND='python3 examples/agent/naive.py' AUDIT_ONLY='x-should-retry
noop'
check "it says how many" grep -qx 'broken=1' "$tmp/output"
check "the summary has the table" grep -q '^http_error.*BROKEN' "$tmp/summary"
check "and so has the log" grep -q '^http_error.*BROKEN' "$tmp/out"
python3 - "$tmp/junit.xml" <<'END' || fail "JUnit"
import sys, xml.etree.ElementTree as xml
suite = xml.parse(sys.argv[1]).getroot()
assert suite.get("failures") == "1" and len(suite) >= 3, suite.attrib
END
run 0 AUDIT_COMMAND='python3 examples/agent/agent.py' AUDIT_ONLY=noop
check "none" grep -qx 'broken=0' "$tmp/output"
# A command that does not work without a fault teaches nothing.
run 3 AUDIT_COMMAND=false AUDIT_ONLY=noop
run 2 AUDIT_COMMAND=true AUDIT_ONLY=noop AUDIT_JOBS=many
# Words of an input are words, here those of no case.
run 2 AUDIT_COMMAND='python3 examples/agent/agent.py' AUDIT_ONLY='noop
$(touch '"$tmp"'/owned) `touch '"$tmp"'/owned`; touch '"$tmp"'/owned'
check "nothing of it ran" [ ! -e "$tmp/owned" ]
