/*
 * What stands on every answer the gateway gives: the stamp
 * (x-local-gateway, x-request-id), and the error body of the API asked in.
 */
#ifndef GATEWAY_ANSWER_STAMP_H
#define GATEWAY_ANSWER_STAMP_H

#include "base/buf.h"
#include "base/serve.h"
#include "gateway/text/api_schema.h"

#define ANSWER_STAMP_FIELDS_MAX 40
#define ANSWER_STAMP_ID_BYTES   32

/* Header fields being collected; names and values are borrowed. */
struct answer_stamp {
	struct http1_field fields[ANSWER_STAMP_FIELDS_MAX];
	size_t n;
};

/* A new request id, NUL-terminated. */
void answer_stamp_new_id(char out[ANSWER_STAMP_ID_BYTES]);

/* Starts with the stamp. */
void answer_stamp_init(struct answer_stamp *a, const char *id);
/* The stamp alone, for whom the fields above are too few; how many it is. */
size_t answer_stamp_put(struct http1_field *fields, const char *id);
/* A NULL value adds nothing. */
void answer_stamp_add(struct answer_stamp *a, const char *name,
    const char *value);

struct answer_stamp_error {
	int status;
	const char *code;  /* "model_not_found" */
	const char *param; /* NULL for none */
	const char *message;
	const struct schema *schema; /* whose shape it has; NULL: chat's */
};

/* {"error":{"message","type","param","code"}}, or as the schema has it; the
 * type follows from the status. */
void answer_stamp_error_body(const struct answer_stamp_error *e,
    struct buf *out);
/* The same as an event's data. */
void answer_stamp_event_body(const struct answer_stamp_error *e,
    struct buf *out);

/* A whole error answer with the stamp and these extra fields (NULL: none);
 * the call is gone then. */
void answer_stamp_refuse(struct serve_call *c,
    const struct answer_stamp_error *e, const struct answer_stamp *extra);

/* A whole answer of text with the stamp. */
void answer_stamp_text(struct serve_call *c, int status, const char *type,
    const struct buf *body);

#endif
