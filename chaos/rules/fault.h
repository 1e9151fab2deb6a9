/*
 * The registry of faults.  One fault is one file, fault_NAME.c, and one row
 * in fault.c: its name, the table of its attributes, and where it acts.
 *
 *	on_request  before the request is forwarded or answered: it may wait,
 *	            or answer in the upstream's place
 *	on_answer   a stage that the answer's items flow through (stage.h):
 *	            head, events or body bytes, end
 *	toxic       a tap on the bytes of a TCP connection (toxic_tap.h); one
 *	            without the other two taps the bytes of an answer as well
 *	            (wire.h)
 *
 * A fault reports what it did exactly once, through its shot (engine.h):
 * fired just before it acts, or bypassed with the reason why it cannot.
 */
#ifndef CHAOS_FAULT_H
#define CHAOS_FAULT_H

#include "base/err.h"
#include "base/jfield.h"
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

struct exchange;
struct shot;
struct stage;
struct toxic_ops;

enum fault_step {
	FAULT_GO_ON,    /* the next fault, then the upstream */
	FAULT_WAIT,     /* it called exchange_wait(), or ends it */
	FAULT_ANSWERED, /* it has given the whole answer */
};

struct fault_type {
	const char *name;
	const char *about; /* one line */
	const struct jfield *fields;
	size_t nfields;
	size_t conf_bytes;
	size_t state_bytes;           /* what it remembers between requests */
	void (*defaults)(void *conf); /* NULL: all zero */
	/* What a table cannot say; NULL: nothing. */
	enum err (
	    *check)(const void *conf, const char *pointer, struct why *why);
	/* Does what it decides hang on the time?  NULL: never. */
	bool (*follows_clock)(const void *conf);
	/* What check says, as members of a JSON Schema object; NULL: nothing.
	 */
	const char *schema;
	bool is_websocket;  /* on_answer is for these conversations alone */
	bool on_head_alone; /* on_answer never looks at the body */
	bool is_piped; /* it means over a pipe (chaos/mcp) what it means over
	                * HTTP: no status and no event stream is asked for */
	enum fault_step (*on_request)(struct shot *s, struct exchange *x);
	/* NULL result: it reported that it is bypassed. */
	struct stage *(*on_answer)(struct shot *s, struct exchange *x);
	/* How it acts on a TCP connection (toxic_tap.h); NULL: it is no toxic.
	 */
	const struct toxic_ops *toxic;
};

/* The row's part of a fault that has a table `fields` over its struct conf. */
#define FAULT_CONF                                                             \
	.fields = fields, .nfields = COUNT(fields),                            \
	.conf_bytes = sizeof(struct conf)

/* A fault as a scenario configures it. */
struct fault {
	const struct fault_type *type;
	void *conf;  /* owned */
	void *state; /* owned, zeros at first; NULL without state_bytes */
};

extern const struct fault_type fault_bandwidth, fault_blackhole, fault_body,
    fault_drip, fault_empty_reply, fault_garbage, fault_header_stall,
    fault_http_error, fault_keepalive_only, fault_kernel_corrupt, fault_latency,
    fault_latency_load, fault_latency_recorded, fault_limit_data, fault_linger,
    fault_llm_empty, fault_llm_finish, fault_llm_invented_tool,
    fault_llm_length, fault_llm_loop, fault_llm_model_swap, fault_llm_oversize,
    fault_llm_refusal, fault_llm_stale, fault_llm_tool_args, fault_llm_usage,
    fault_llm_wrong_args, fault_mcp_error, fault_mcp_inject,
    fault_mcp_malformed, fault_mcp_timeout, fault_mcp_wrong_result, fault_noop,
    fault_quota, fault_refuse, fault_reset_peer, fault_retry_lie, fault_slicer,
    fault_slow_close, fault_sse_cut, fault_sse_mangle, fault_stall,
    fault_timeout, fault_token_latency, fault_ttft, fault_ws_cut,
    fault_ws_delay, fault_ws_garble;

size_t fault_type_count(void);
const struct fault_type *fault_type_at(size_t i); /* sorted by name */
const struct fault_type *fault_type_find(const char *name);

/* Reads {"type": NAME, attributes...}.  Strings stay borrowed from v. */
enum err fault_read(json_t *v, const char *pointer, struct fault *ret,
    struct why *why);
/* Reads the attributes alone. */
enum err fault_read_attributes(const struct fault_type *type, json_t *v,
    const char *pointer, struct fault *ret, struct why *why);
void fault_done(struct fault *f);
/* Its numbers by name, for the log; the caller's. */
json_t *fault_numbers(const struct fault *f);

#endif
