#!/bin/sh
# What action.yml runs: builds kf-chaos unless KF_CHAOS names one, audits
# AUDIT_COMMAND, and leaves the table in the job's summary, JUnit XML where it
# was asked for, and the number of broken cases as an output.  Everything comes
# by the environment, so that nothing of an input is read as a command but the
# command.  Exits as the audit does.
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
if [ -z "${KF_CHAOS:-}" ]; then
	(cd "$here" && ./setup.sh run && make -s -j2 build/kf-chaos)
	KF_CHAOS=$here/build/kf-chaos
fi

table=$(mktemp)
trap 'rm -f "$table"' EXIT
set -- --jobs "${AUDIT_JOBS:-2}" --deadline "${AUDIT_DEADLINE:-20}" --junit "${AUDIT_JUNIT:-kf-chaos-audit.xml}"
while read -r word; do
	[ -z "$word" ] || set -- "$@" --only "$word"
done <<END
${AUDIT_ONLY:-}
END

got=0
"$KF_CHAOS" audit "$@" -- sh -c "$AUDIT_COMMAND" >"$table" || got=$?
cat "$table"
echo "broken=$(grep -c '  *BROKEN  ' "$table")" >>"${GITHUB_OUTPUT:-/dev/null}"
{
	echo '### kf-chaos audit'
	echo '```'
	sed 's/```/` ` `/g' "$table"
	echo '```'
} >>"${GITHUB_STEP_SUMMARY:-/dev/null}"
exit "$got"
