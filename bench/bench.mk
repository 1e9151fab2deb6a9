# The figures of docs/performance.md.  Each script prints one table; peers
# that are not installed are skipped by name.

bench: bench-gateway

bench-gateway: $(O)/kf-gateway
	@BIN=$(O) sh bench/gateway.sh

.PHONY: bench bench-gateway
