# make            build kf-gateway, kf-chaos, kernelforge and kf-view into build/
# make test       everything set up, then unit tests and end-to-end scripts
# make check      what a commit must pass, the list in .ci/run: layers, budget,
#                 format, static analysis, clang, sanitizers, fuzzing, tests
# make bench      the figures of docs/performance.md; also bench-gateway ...
# Variables: CC=clang  O=build-dir  SAN=address,undefined  V=1

comma   := ,
CC      ?= cc
O       ?= build
PKGS    := libevent libevent_openssl libcares libcurl jansson openssl yaml-0.1 libpcre2-8 libseccomp sqlite3 zlib OpenCL

CSTD    := -std=c11 -D_GNU_SOURCE -DCL_TARGET_OPENCL_VERSION=120
# Under a sanitizer frames have no limit: it lays red zones into them.
WARN    := -Wall -Wextra -Wpedantic -Werror -Wshadow -Wconversion \
	   -Wsign-conversion -Wdouble-promotion -Wcast-qual -Wcast-align \
	   -Wpointer-arith -Wwrite-strings -Wformat=2 -Wundef -Wvla -Walloca \
	   -Wstrict-prototypes -Wmissing-prototypes -Wold-style-definition \
	   -Wredundant-decls -Wnull-dereference -Wswitch-enum \
	   $(if $(SAN),,-Wframe-larger-than=131072)
HARDEN  := -fstack-protector-strong -fno-common -fno-strict-aliasing
OPT     ?= -O2 -g
ifdef SAN
OPT     := -O1 -g -fno-omit-frame-pointer -fsanitize=$(SAN) \
	   -fno-sanitize-recover=all
O       := build-$(subst $(comma),-,$(SAN))
else
HARDEN  += -D_FORTIFY_SOURCE=2
endif

CFLAGS  := $(CSTD) $(WARN) $(HARDEN) $(OPT) -I. $(shell pkg-config --cflags $(PKGS))
LDLIBS   = -Wl,--as-needed $(shell pkg-config --libs $(PKGS)) -lm -pthread
Q       := $(if $(V),,@)

# One folder, one set of objects.  A program is its folder + what is below.
# A folder that no longer fits a glance has rooms: folders of its own.
rooms    = $(1) $(patsubst %/,%,$(wildcard $(1)/*/))
FOLDERS := $(foreach f,base cltext ops lab gateway chaos agent demo,$(call rooms,$(f)))
SRC     := $(wildcard $(addsuffix /*.c,$(FOLDERS) tests tests/unit/* tests/proving tests/fuzz bench))
HDR     := $(wildcard $(addsuffix /*.h,$(FOLDERS) tests tests/unit/* tests/proving tests/fuzz bench))
objs     = $(patsubst %.c,$(O)/obj/%.o,$(wildcard $(addsuffix /*.c,$(1))))
nomain   = $(filter-out %/main.o,$(call objs,$(1)))

# What each folder may stand on: the layers, bottom first.
UNDER_base    := base
UNDER_cltext  := cltext base
UNDER_ops     := ops base
UNDER_lab     := $(call rooms,lab) ops cltext base
UNDER_gateway := $(call rooms,gateway) base
UNDER_chaos   := $(call rooms,chaos) cltext base
UNDER_agent   := $(call rooms,agent) $(call rooms,lab) ops cltext base
# The view has no judge of its own: it looks at a run with the agent's.
UNDER_demo    := $(call rooms,demo) $(filter-out agent,$(UNDER_agent))

PROGS   := $(O)/kf-gateway $(O)/kf-chaos $(O)/kernelforge $(O)/kf-view
UNITS   := $(patsubst tests/unit/%,$(O)/unit-%,$(wildcard tests/unit/*))
FUZZ    := $(patsubst tests/fuzz/%.c,$(O)/fuzz/%,$(wildcard tests/fuzz/*.c))

all: $(PROGS)

$(O)/kf-gateway:  $(call objs,$(UNDER_gateway))
$(O)/kf-chaos:    $(call objs,$(UNDER_chaos))
$(O)/kernelforge: $(call objs,$(UNDER_agent))
$(O)/kf-view:     $(call objs,$(UNDER_demo))

$(PROGS):
	@echo "  LD $@"
	$(Q)$(CC) $(OPT) $(LDFLAGS) -o $@ $^ $(LDLIBS)

$(O)/obj/%.o: %.c Makefile
	@echo "  CC $<"
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) -MMD -MP -c -o $@ $<

$(O)/obj/chaos/admin/control_room_page.o: chaos/admin/room.html
$(O)/obj/gateway/service/status_page.o: gateway/service/status.html
$(O)/obj/agent/telling/page_style.o: agent/telling/page.css

# The plain kernels, as rows { name, text } of a table in C.
PLAIN   := $(wildcard kernels/plain/*.cl)
$(O)/obj/lab/read/plain_kernel.o: CFLAGS += -DPLAIN_KERNELS='"$(O)/plain.inc"'
$(O)/obj/lab/read/plain_kernel.o: $(O)/plain.inc
$(O)/plain.inc: $(PLAIN) Makefile
	@mkdir -p $(@D)
	@for f in $(PLAIN); do printf '{ "%s",\n' "$$(basename $$f .cl)"; \
	    sed 's/[\\"]/\\&/g; s/.*/  "&\\n"/' $$f; echo '},'; done >$@

# Which sources kernelforge is made of, as one hash.
AGENT_SRC := $(sort $(wildcard $(foreach f,$(UNDER_agent),$(f)/*.c $(f)/*.h)) agent/telling/page.css)
$(O)/obj/agent/telling/build_id.o: CFLAGS += -include $(O)/build_id.h
$(O)/obj/agent/telling/build_id.o: $(O)/build_id.h
$(O)/build_id.h: $(AGENT_SRC)
	@mkdir -p $(@D)
	@echo "#define BUILD_ID \"$$(cat $(AGENT_SRC) | sha256sum | cut -c 1-16)\"" >$@

-include $(patsubst %.c,$(O)/obj/%.d,$(SRC)) $(patsubst %.c,$(O)/fuzz/obj/%.d,$(SRC))
-include tests/tests.mk bench/bench.mk
include tests/rules.mk
include packaging/packaging.mk

clean:
	rm -rf build build-* compile_commands.json

.PHONY: all clean
