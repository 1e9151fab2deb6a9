/* One rule for what is billed and for what is told. */
#include "gateway/text/token_estimate.h"

#define BYTES_EACH 4

uint64_t
token_estimate_text(uint64_t bytes)
{
	return (bytes + BYTES_EACH - 1) / BYTES_EACH;
}

uint64_t
token_estimate_stream(uint64_t events, uint64_t bytes)
{
	uint64_t tokens = token_estimate_text(bytes);

	return tokens > events ? tokens : events;
}
