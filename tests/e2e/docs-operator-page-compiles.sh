# The C of docs/adding-an-operator.md, block after block, is a whole operator:
# it compiles with the warnings of the build, and has a struct op.
. tests/lib.sh
awk '/^```c$/ { on = 1; next } /^```/ { on = 0 } on' docs/adding-an-operator.md >"$tmp/softplus.c"
check "it ends with its struct op" grep -q '^const struct op op_softplus = {' "$tmp/softplus.c"
exits 0 "${CC:-cc}" -std=c11 -D_GNU_SOURCE -Wall -Wextra -Wpedantic -Wconversion -Wmissing-field-initializers -I. -fsyntax-only "$tmp/softplus.c"
check "without a warning: $(cat "$tmp/err")" [ ! -s "$tmp/err" ]
