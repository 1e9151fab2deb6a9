#!/bin/sh
# Writes a manual page for every program and every command into FOLDER, from
# what each prints for --man.
#	man.sh FOLDER PROGRAM...
set -eu
to=$1
shift
mkdir -p "$to"
for program; do
	name=${program##*/}
	commands=$("$program" --commands 2>/dev/null) || commands=
	for command in $commands; do
		"$program" "$command" --man >"$to/$name-$command.1"
	done
	{
		"$program" --man
		[ -z "$commands" ] || echo '.SH SEE ALSO'
		last=$(echo "$commands" | tail -n 1)
		for command in $commands; do
			printf '.BR %s\\-%s (1)%s\n' "$(echo "$name" | sed 's/-/\\-/g')" "$command" \
			    "$([ "$command" = "$last" ] || echo ,)"
		done
	} >"$to/$name.1"
done
