/*
 * An OpenAI chat completion, put together from its bytes: streamed events or
 * one body.  Pure and strict: an answer is complete only when the other side
 * said so, and only when it said that all is well.
 *
 * What can be wrong with an answer is data (enum completion_fault), because
 * the retry policy and the ledger both want to know.
 */
#ifndef AGENT_ANSWER_ASSEMBLY_H
#define AGENT_ANSWER_ASSEMBLY_H

#include "base/buf.h"
#include <stdbool.h>
#include <stddef.h>

#define COMPLETION_CONTENT_MAX ((size_t)512 * 1024)

enum completion_fault {
	COMPLETION_GOOD,
	COMPLETION_CUT,     /* neither [DONE] nor a finish reason */
	COMPLETION_ERROR,   /* an error object where an answer should be */
	COMPLETION_QUOTA,   /* such an error that no retry will mend */
	COMPLETION_LENGTH,  /* finish_reason "length" */
	COMPLETION_REASON,  /* a finish_reason that is no success */
	COMPLETION_EMPTY,   /* complete, and nothing in it */
	COMPLETION_GARBAGE, /* not JSON, or not a completion */
	COMPLETION_TOOBIG,  /* more content than we take */
	COMPLETION_NFAULTS
};

/* Of what the other side says about an error. */
#define COMPLETION_WORDS_MAX 180
/* Of one answer; no budget is larger. */
#define COMPLETION_TOKENS_MAX 1e9

const char *completion_fault_name(enum completion_fault f);

struct completion {
	struct buf content;
	char finish[64]; /* the finish reason, or ""; the first bad one stays */
	char model[128]; /* who answered, as the answer says; "": not told */
	bool done;       /* [DONE] was seen */
	bool has_choices, has_others; /* events with some, and with none */
	enum completion_fault fault;  /* the first one */
	char detail[256];             /* one line about it, or "" */
	size_t said_bytes;            /* of every choice, of any kind */
	long prompt_tokens, completion_tokens, total_tokens; /* -1: not told */
	bool tells_absurd; /* one was more than COMPLETION_TOKENS_MAX */
};

void completion_init(struct completion *c);
void completion_done(struct completion *c);

/* The data of one server-sent event.  Once at fault, nothing changes. */
void completion_event(struct completion *c, const char *data, size_t n);

/* A whole, unstreamed body (also of an error answer). */
void completion_body(struct completion *c, const char *body, size_t n);

/* No more bytes will come: the verdict on the whole. */
enum completion_fault completion_end(struct completion *c);

/*
 * Reads an OpenAI error object ({"error":{...}} or {"error":"..."}) for its
 * one-line message; false when text holds none.  *ret_quota: it is a quota
 * or a balance that is used up.
 */
bool completion_error_text(const char *text, size_t n, char *out, size_t size,
    bool *ret_quota);

#endif
