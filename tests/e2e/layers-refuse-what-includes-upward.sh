# tests/layers.sh refuses an include of what stands above, however it is
# written, and one that names no folder; it accepts what the rows allow.
. tests/lib.sh

at=$tmp/tree
mkdir -p "$at/base" "$at/ops" "$at/chaos/rules" "$at/chaos/http"
layers() { (cd "$at" && sh "$OLDPWD/tests/layers.sh"); }

printf '#include "base/err.h"\n#include <sys/queue.h>\n' >"$at/chaos/rules/rule.c"
printf '#include "chaos/rules/rule.h"\n' >"$at/chaos/http/toxic_tap.c"
exits 0 layers

upward() { # FILE INCLUDE
	printf '/* A file. */\n%s\n' "$2" >"$at/$1"
	exits 1 layers
	check "$2 in $1 is named" grep -qF "$1:2" "$tmp/err"
	rm "$at/$1"
}
upward base/slice.c '#include "ops/op.h"'
upward base/slice.c '#include <ops/op.h>'
upward base/slice.c ' # include "ops/op.h"'
upward base/slice.c '#include "../ops/op.h"'
upward base/slice.c '#include "op.h"'
upward chaos/rules/when.c '#include "chaos/http/toxic_tap.h"'
upward chaos/rules/when.c '#include "chaos/commands.h"'
exits 0 layers
