/*
 * The ways by the names that configurations have for them.
 */
#include "gateway/text/continuation_way.h"

#include <stddef.h>

const char *const continuation_way_names[] = {
	[CONTINUATION_NOT] = "no",
	[CONTINUATION_DEEPSEEK] = "prefix",
	[CONTINUATION_PREFILL] = "prefill",
	[CONTINUATION_FINAL] = "continue_final_message",
	NULL,
};
