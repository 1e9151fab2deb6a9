#!/bin/sh
# Writes PROGRAM.bash and _PROGRAM (zsh) for every program into FOLDER: its
# commands, and each command's options, as --commands and --help name them.
# Behind an option that takes a value stand files where the value is one, and
# nothing where it is not.
#	completion.sh FOLDER PROGRAM...
set -eu
to=$1
shift
mkdir -p "$to"

# The options that --help lists, in one line.
options_of() { # PROGRAM [COMMAND]
	COLUMNS=120 "$@" --help | sed -n 's/^  \(--[a-z0-9-]*\).*/\1/p' | tr '\n' ' '
}

# Those with a value that is a file or a folder, as a pattern of case; and those
# with any other.
with_value() { # KIND PROGRAM [COMMAND]
	kind=$1
	shift
	"$@" --man | sed -n 's/\\-/-/g; s/^\\fB\(--[a-z0-9-]*\)\\fR \\fI\(.*\)\\fR$/\1 \2/p' |
	    while read -r option value; do
		case $value in
		*FILE* | *DIR* | *LOG* | *PATH*) is=files ;;
		*) is=words ;;
		esac
		[ $is != "$kind" ] || printf '%s|' "$option"
	    done
}

# A case arm that sets what there is to know of a command.
arm() { # PATTERN PROGRAM [COMMAND]
	pattern=$1
	shift
	echo "	$pattern) options=\"$(options_of "$@")\" files='|$(with_value files "$@")' words='|$(with_value words "$@")' ;;"
}

for program; do
	name=${program##*/}
	function=$(echo "_$name" | tr - _)
	commands=$("$program" --commands 2>/dev/null | tr '\n' ' ') || commands=
	{
		echo "# bash completion of $name, made from its own tables."
		echo "$function() {"
		echo "	local word=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD-1]} command=\${COMP_WORDS[1]} options files words"
		echo "	case \$command in"
		for command in $commands; do
			arm "$command" "$program" "$command"
		done
		arm '*' "$program"
		cat <<END
	esac
	# "--out=DIR" comes as three words.
	[ "\$word" != = ] || word=
	[ "\$before" != = ] || before=\${COMP_WORDS[COMP_CWORD-2]}
	[ "\${COMP_WORDS[COMP_CWORD]}" != = ] || before=\${COMP_WORDS[COMP_CWORD-1]}
	COMPREPLY=()
	if [[ \$files == *"|\$before|"* ]]; then
		COMPREPLY=(\$(compgen -f -- "\$word"))
	elif [[ \$words == *"|\$before|"* ]]; then
		return
	elif [ "\$COMP_CWORD" = 1 ] && [ -n "$commands" ]; then
		COMPREPLY=(\$(compgen -W "$commands\$options" -- "\$word"))
	elif [[ \$word == -* ]]; then
		COMPREPLY=(\$(compgen -W "\$options" -- "\$word"))
	else
		COMPREPLY=(\$(compgen -f -- "\$word"))
	fi
}
complete -o filenames -F $function $name
END
	} >"$to/$name.bash"
	{
		echo "#compdef $name"
		echo "# zsh completion of $name, made from its own tables."
		echo "local options files words_"
		echo "case \${words[2]} in"
		for command in $commands; do
			arm "$command" "$program" "$command"
		done | sed "s/ words='/ words_='/"
		arm '*' "$program" | sed "s/ words='/ words_='/"
		cat <<END
esac
local before=\${words[CURRENT-1]}
if [[ \$files == *"|\$before|"* ]]; then
	_files
elif [[ \$words_ == *"|\$before|"* ]]; then
	return 1
elif (( CURRENT == 2 )) && [[ -n "$commands" ]]; then
	compadd -- $commands\${=options}
else
	compadd -- \${=options}
	_files
fi
END
	} >"$to/_$name"
done
