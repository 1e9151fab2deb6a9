#!/bin/sh
# Writes PROGRAM.bash and _PROGRAM (zsh) for every program into FOLDER: its
# commands, and each command's options, as --commands and --help name them.
#	completion.sh FOLDER PROGRAM...
set -eu
to=$1
shift
mkdir -p "$to"

# The options that --help lists, in one line.
options_of() { # PROGRAM [COMMAND]
	COLUMNS=120 "$@" --help | sed -n 's/^  \(--[a-z-]*\).*/\1/p' | tr '\n' ' '
}

for program; do
	name=${program##*/}
	function=$(echo "_$name" | tr - _)
	commands=$("$program" --commands 2>/dev/null | tr '\n' ' ') || commands=
	{
		echo "# bash completion of $name, made from its own tables."
		echo "$function() {"
		echo "	local word=\${COMP_WORDS[COMP_CWORD]} command=\${COMP_WORDS[1]} options"
		echo "	case \$command in"
		for command in $commands; do
			echo "	$command) options=\"$(options_of "$program" "$command")\" ;;"
		done
		echo "	*) options=\"$(options_of "$program")\"; [ \"\$COMP_CWORD\" = 1 ] && options=\"$commands\$options\" ;;"
		echo "	esac"
		echo "	case \$word in"
		echo "	-*) COMPREPLY=(\$(compgen -W \"\$options\" -- \"\$word\")) ;;"
		echo "	*) COMPREPLY=(\$(compgen -W \"\$([ \"\$COMP_CWORD\" = 1 ] && echo \"$commands\")\" -- \"\$word\") \$(compgen -f -- \"\$word\")) ;;"
		echo "	esac"
		echo "}"
		echo "complete -o filenames -F $function $name"
	} >"$to/$name.bash"
	{
		echo "#compdef $name"
		echo "# zsh completion of $name, made from its own tables."
		echo "local -a options"
		echo "case \${words[2]} in"
		for command in $commands; do
			echo "$command) options=($(options_of "$program" "$command")) ;;"
		done
		echo "*) options=($(options_of "$program")) ;;"
		echo "esac"
		echo "(( CURRENT == 2 )) && compadd -- $commands"
		echo "compadd -- \$options"
		echo "_files"
	} >"$to/_$name"
done
