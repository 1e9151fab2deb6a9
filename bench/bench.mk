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
