#!/bin/sh
# Who may include whom.  A line is "folder: folders its files may include".
# Headers are always named from the root ("base/err.h"), so grep sees all.
set -eu
bad=0
while IFS=': ' read -r from may; do
	for line in $(find "$from" -name '*.[ch]' -exec \
	    grep -Hno '^#include "[^"]*"' {} + 2>/dev/null | tr ' ' ','); do
		to=${line#*\"} to=${to%%/*}
		case " $from $may " in
		*" $to "*) ;;
		*) echo "layers: $line: $from may include: $from $may" >&2; bad=1 ;;
		esac
	done
done <<'RULES'
base:
cltext: base
ops: base
lab: base cltext ops
gateway: base
chaos: base cltext
agent: base cltext ops lab
tests: base cltext ops lab gateway chaos agent
RULES
if cl=$(grep -rln '#include <CL/' --include='*.[ch]' . | grep -v '^\./\(lab\|bench\)/'); then
	echo "layers: only lab/ and bench/ may include CL/cl.h: $cl" >&2
	bad=1
fi
exit $bad
