# The figures of docs/performance.md.  Each script prints one table; peers
# that are not installed are skipped by name.

bench: bench-gateway

bench-gateway: $(O)/kf-gateway $(O)/bench-llm
	@BIN=$(O) sh bench/gateway.sh

# Loads and probes of our own: one program a name, bench/NAME.c and NAME_*.c.
$(O)/bench-llm: $(call objs,base)
	@echo "  LD $@"
	$(Q)$(CC) $(OPT) -o $@ $^ $(LDLIBS)
$(O)/bench-llm: $(patsubst %.c,$(O)/obj/%.o,$(wildcard bench/llm*.c)) $(O)/obj/bench/meter.o

.PHONY: bench bench-gateway

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
