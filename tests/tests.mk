# Tests: one unit program a folder, end-to-end scripts, fuzz targets.

UNDER_proving := tests/proving $(call rooms,lab) ops cltext base

# A group's only caller is the generated table.
$(O)/obj/tests/unit/%.o: CFLAGS += -Wno-missing-prototypes

# Listed each time and replaced where the list is another one: of a file that
# is gone no time tells.
define unit_program
$(O)/unit-$(1)-groups.inc: list-again
	@mkdir -p $$(@D)
	@printf 'GROUP(%s)\n' $$(sort $$(basename $$(notdir $$(wildcard tests/unit/$(1)/t_*.c)))) >$$@.new
	@cmp -s $$@.new $$@ || mv $$@.new $$@; rm -f $$@.new
$(O)/obj/unit-$(1).o: tests/unit.c tests/unit.h $(O)/unit-$(1)-groups.inc
	@echo "  CC $$< ($(1))"
	@mkdir -p $$(@D)
	$$(Q)$$(CC) $$(CFLAGS) -DUNIT_GROUPS='"$(O)/unit-$(1)-groups.inc"' -c -o $$@ $$<
$(O)/unit-$(1): $(O)/obj/unit-$(1).o $$(call objs,tests/unit/$(1)) $$(call nomain,$$(UNDER_$(1)))
	@echo "  LD $$@"
	$$(Q)$$(CC) $$(OPT) $$(LDFLAGS) -o $$@ $$^ $$(LDLIBS)
endef
$(foreach f,$(notdir $(wildcard tests/unit/*)),$(eval $(call unit_program,$(f))))

unit-programs: $(UNITS)

unit: $(UNITS)
	@known=; for u in $(UNITS); do $$u $(T); \
	case $$? in 0) known=1 ;; 2) ;; *) exit 1 ;; esac; done; \
	[ "$$known" ] || { echo "unit: no group is called $(T)" >&2; exit 2; }

setup:
	@./setup.sh test

e2e: $(PROGS) $(O)/proving
	@BIN=$(O) sh tests/run.sh e2e/$(T)

# Every two faults on one answer, whenever its bytes come: one hash.
hash-pairs: $(O)/kf-chaos
	ALL=1 BIN=$(O) sh tests/e2e/chaos-decides-by-bytes-alone.sh

# The sixteen failure situations, as a table; with PEERS=1 other gateways, too (tests/peers.sh).
situations: setup
	@$(MAKE) --no-print-directory $(O)/kf-gateway $(O)/kf-chaos
	@BIN=$(O) sh tests/e2e/gateway-survives-sixteen-situations.sh
	$(if $(PEERS),@BIN=$(O) sh tests/peers.sh)

# The verifier's own test: kill rate and false refusals.  Each keeps a journal: a run that is
# stopped (MINUTES=90, Ctrl-C, a power cut) goes on where it stood when it is asked for again.
MINUTES_GIVEN = $(if $(MINUTES),--minutes $(MINUTES))
$(O)/proving: $(call objs,$(UNDER_proving))
	@echo "  LD $@"
	$(Q)$(CC) $(OPT) $(LDFLAGS) -o $@ $^ $(LDLIBS)

# KEPT=1: goes on with the journal in tests/proving/journals, and leaves it there.
kept = $(if $(KEPT),sh tests/proving/kept.sh $(O)/$(1))

mutation: $(O)/proving
	$(call kept,mutation.jsonl) $(O)/proving mutation $(if $(ALL),$(if $(SOLE),--sole) --min-silent 5000 --min-operator 10 --journal $(O)/mutation.jsonl $(MINUTES_GIVEN),--sole $(if \
	    $(SAMPLE),--sample $(SAMPLE) $(if $(SEED),--seed $(SEED)),--subset $(or $(SUBSET),8)))

soak-verify: $(O)/proving
	$(call kept,soak-$(or $(SEEDS),1000).jsonl) $(O)/proving soak --seeds $(or $(SEEDS),1000) --journal $(O)/soak-$(or $(SEEDS),1000).jsonl $(MINUTES_GIVEN)

# Mistakes that a grammar plants, and correct kernels that it composes.
adversary: $(O)/proving
	$(call kept,adversary.jsonl) $(O)/proving adversary --n $(or $(N),1000) $(if $(SEED),--seed $(SEED)) --journal $(O)/adversary.jsonl $(MINUTES_GIVEN)
	$(call kept,composed.jsonl) $(O)/proving composed --n $(or $(GOOD),200) $(if $(SEED),--seed $(SEED)) --journal $(O)/composed.jsonl $(MINUTES_GIVEN)

# A few of each under a seed that nobody chose.  What is found is true of the tree before a change
# as much as of the change, so it is printed and kept in build/adversary, to be mended; more than
# two of six is no luck any more, and fails.
adversary-small: $(O)/proving
	$(O)/proving adversary --n 6 --finds-max 2 || [ $$? = 3 ]
	$(O)/proving composed --n 6 --finds-max 2 || [ $$? = 3 ]

# The league table of npm's clients, with PYPI=1 of PyPI's too (docs/league.md); fetches them,
# and takes an hour or two.  PyPI's are installed from their locks, once.
LEAGUE := tests/clients/league
league: all $(if $(PYPI),$(patsubst %.txt,%.installed,$(wildcard $(LEAGUE)/*/requirements.txt)))
	for c in $(dir $(wildcard $(LEAGUE)/*/package.json)); do npm ci --prefix $$c --loglevel error --no-audit --no-fund || exit; done
	BIN=$(O) node $(LEAGUE)/league.mjs run $(or $(OUT),$(O)/league) $(CLIENTS)
	BIN=$(O) node $(LEAGUE)/league.mjs patience $(or $(OUT),$(O)/league) $(CLIENTS)
	BIN=$(O) node $(LEAGUE)/league.mjs again $(or $(OUT),$(O)/league) $(CLIENTS)
	node $(LEAGUE)/league.mjs page $(or $(OUT),$(O)/league) docs

$(LEAGUE)/%/requirements.installed: $(LEAGUE)/%/requirements.txt
	python3 -m venv --clear $(@D)/venv
	$(@D)/venv/bin/pip install --quiet --disable-pip-version-check --no-deps -r $<
	touch $@

# Toxiproxy's own Go tests against kf-chaos; fetches the module.
toxiproxy-suite: all
	BIN=$(O) sh tests/toxiproxy/run.sh

test: setup
	@$(MAKE) --no-print-directory all $(O)/proving $(UNITS)
	@BIN=$(O) sh tests/run.sh $(T)

# The unit programs, and end-to-end scripts that ask for crashes.  Of the corpus
# of kernels a drawn half of those run that attack our own code, and few others.
ASAN_E2E := agent-refuses agent-survives-odd chaos-acts-on chaos-answers-tox chaos-cuts \
	chaos-records chaos-refuses chaos-rewrites chaos-survives gateway-keeps-its-small \
	gateway-hands-out gateway-loses gateway-passes-other gateway-reloads gateway-speaks gateway-withstands
asan:
	$(MAKE) SAN=address,undefined all unit-programs
	@KF_CORPUS=hostile BIN=build-address-undefined sh tests/run.sh unit- $(addprefix e2e/,$(ASAN_E2E))

# libFuzzer needs clang; FUZZ_S seconds a target, from the committed seeds alone and always with
# the same dice, so that a check does not depend on the day.  fuzz-long looks elsewhere each
# time, and goes on from what it found before.  A target names the folders that it stands on;
# their objects are compiled once for all.
FUZZ_S    ?= 10
FUZZ_SEED ?= 1
FUZZ_C  := clang $(CSTD) -g -O1 -fno-sanitize-recover=all \
	   -I. $(shell pkg-config --cflags $(PKGS))
under    = $(addsuffix /*.c,$(foreach f,$(shell sed -n 's|^// *links: ||p' $(1)),$(call rooms,$(f))))
$(O)/fuzz/obj/%.o: %.c Makefile
	@mkdir -p $(@D)
	$(Q)$(FUZZ_C) -fsanitize=fuzzer-no-link,address,undefined -MMD -MP -c -o $@ $<
define fuzz_program
$(O)/fuzz/$(1): $(patsubst %.c,$(O)/fuzz/obj/%.o,tests/fuzz/$(1).c $(filter-out %/main.c,$(wildcard $(call under,tests/fuzz/$(1).c))))
	@echo "  LD $$@"
	$$(Q)$$(FUZZ_C) -fsanitize=fuzzer,address,undefined -o $$@ $$^ $$(LDLIBS)
endef
$(foreach f,$(notdir $(FUZZ)),$(eval $(call fuzz_program,$(f))))
fuzz: $(FUZZ)
	@FUZZ_S=$(FUZZ_S) FUZZ_SEED=$(FUZZ_SEED) FUZZ_DOOR_S=$(or $(FUZZ_DOOR_S),$(FUZZ_S)) sh tests/fuzz.sh $(O) $(FUZZ)
fuzz-long: $(FUZZ)
	@FUZZ_S=$(or $(LONG_S),600) FUZZ_SEED= sh tests/fuzz.sh $(O) $(FUZZ)

.PHONY: list-again unit-programs unit setup e2e hash-pairs situations mutation soak-verify adversary adversary-small toxiproxy-suite league test asan fuzz fuzz-long
