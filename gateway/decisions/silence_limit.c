/*
 * Half, and not a share of all targets: most requests need one of them, and
 * the next halves again.
 */
#include "gateway/decisions/silence_limit.h"

int64_t
silence_limit_ms(int64_t said_ms, int64_t left_ms, bool has_next)
{
	int64_t share = has_next ? left_ms / 2 : left_ms;

	if (said_ms > 0)
		return said_ms;
	return share < PATIENCE_MAX_MS ? share : PATIENCE_MAX_MS;
}
