# The rules a commit must pass.

format:
	clang-format -i $(SRC) $(HDR)

format-check:
	clang-format --dry-run -Werror $(SRC) $(HDR)

layers:
	sh tests/layers.sh

budget:
	@awk 'FNR > 600 { print FILENAME ": over 600 lines"; bad = 1; nextfile } \
	    END { exit bad }' $(SRC) $(HDR)

# The flags of the build, and the two tables that the build makes.
tidy: $(O)/plain.inc $(O)/unit-base-groups.inc
	@printf '%s\n' $(SRC) | sh tests/tidy.sh $(CFLAGS) -Wno-missing-prototypes \
	    -DPLAIN_KERNELS='"$(O)/plain.inc"' -DUNIT_GROUPS='"$(O)/unit-base-groups.inc"'

# cppcheck is told what the loops of <sys/queue.h> and jansson are.  Side by side it sees several
# files together only by what it has put down of each.
QUEUE_H := $(firstword $(wildcard /usr/include/*-linux-gnu/sys/queue.h /usr/include/sys/queue.h))

cppcheck:
	@mkdir -p $(O)/cppcheck
	cppcheck -j $$(nproc) --cppcheck-build-dir=$(O)/cppcheck --std=c11 -I. --quiet --error-exitcode=1 --inline-suppr \
	    --enable=warning,portability --suppress=missingIncludeSystem \
	    --library=tests/jansson.cfg $(addprefix --include=,$(QUEUE_H)) -DUNIT_GROUPS='"/dev/null"' $(SRC)

scan:
	scan-build --status-bugs -o $(O)/scan $(MAKE) O=$(O)-scan all

tags: $(SRC) $(HDR)
	ctags -f $@ $(SRC) $(HDR)

compile_commands.json: Makefile
	bear -- $(MAKE) -B O=$(O)-db all $(patsubst $(O)/%,$(O)-db/%,$(UNITS))

check:
	@.ci/run

.PHONY: format format-check layers budget tidy cppcheck scan check
