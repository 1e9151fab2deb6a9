# The figures of docs/performance.md.  Each script prints one table; peers
# that are not installed are skipped by name.

bench: bench-gateway bench-chaos

bench-gateway: $(O)/kf-gateway $(O)/bench-llm
	@BIN=$(O) sh bench/gateway.sh

bench-chaos: $(O)/kf-chaos $(O)/kf-gateway $(O)/bench-llm $(O)/bench-tcp
	@BIN=$(O) sh bench/chaos.sh

# The first token of a stream that is gone on with.
bench-continued: $(O)/kf-gateway
	@timeout 300 node bench/continued.mjs $<

# Loads and probes of our own: one program a name, bench/NAME.c and NAME_*.c.
$(O)/bench-llm $(O)/bench-tcp: $(O)/bench-%: $(call objs,base)
	@echo "  LD $@"
	$(Q)$(CC) $(OPT) -o $@ $^ $(LDLIBS)
$(O)/bench-llm: $(patsubst %.c,$(O)/obj/%.o,$(wildcard bench/llm*.c)) $(O)/obj/bench/meter.o
$(O)/bench-tcp: $(patsubst %.c,$(O)/obj/%.o,$(wildcard bench/tcp*.c)) $(O)/obj/bench/meter.o

.PHONY: bench bench-gateway bench-chaos bench-continued

# Ten minutes of mixed traffic with faults, kills and reloads.
soak-gateway: $(O)/kf-gateway $(O)/kf-chaos $(O)/bench-llm
	@BIN=$(O) MINUTES=$(or $(MINUTES),10) sh bench/soak.sh

.PHONY: soak-gateway

# What a verdict costs, and what the corpus's kernels are worth.
bench: bench-lab bench-kernels

$(O)/bench-lab: $(O)/obj/bench/lab.o $(call objs,$(UNDER_lab))
	@echo "  LD $@"
	$(Q)$(CC) $(OPT) -o $@ $^ $(LDLIBS)

bench-lab: $(O)/bench-lab
	@$(O)/bench-lab

bench-kernels: $(O)/kernelforge
	@BIN=$(O) sh bench/kernels.sh

.PHONY: bench-lab bench-kernels
