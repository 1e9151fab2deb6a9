/*
 * How a provider is asked to go on from a given text.
 */
#ifndef GATEWAY_CONTINUATION_WAY_H
#define GATEWAY_CONTINUATION_WAY_H

enum continuation_way {
	CONTINUATION_NOT,      /* it cannot */
	CONTINUATION_DEEPSEEK, /* "prefix": true on the last message */
	CONTINUATION_PREFILL,  /* a last message of the assistant, no more */
	CONTINUATION_FINAL,    /* "continue_final_message": true */
	CONTINUATION_NWAYS
};

extern const char
    *const continuation_way_names[]; /* for cfield; NULL-terminated */

#endif
