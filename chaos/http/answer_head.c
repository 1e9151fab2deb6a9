/*
 * A list of fields that owns its texts.  Heads are short; a linear search by
 * folded name is all they need.
 */
#include "chaos/http/answer_head.h"

#include <stdlib.h>
#include <strings.h>

#include "base/mem.h"

static void
field_free(struct answer_head_field *f)
{
	free(f->name);
	free(f->value);
}

void
answer_head_done(struct answer_head *a)
{
	for (size_t i = 0; i < a->nfields; i++)
		field_free(&a->fields[i]);
	a->nfields = 0;
	free(a->reason);
	a->reason = NULL;
}

void
answer_head_set_reason(struct answer_head *a, struct slice reason)
{
	free(a->reason);
	a->reason = slice_is(reason, http1_reason(a->status))
	    ? NULL
	    : slice_dup(reason);
	a->reason_status = a->status;
}

const char *
answer_head_reason(const struct answer_head *a)
{
	return a->reason_status == a->status ? a->reason : NULL;
}

bool
answer_head_has_body(const struct answer_head *a,
    const struct http1_head *request)
{
	return a->status != 204 && a->status != 304 &&
	    !(a->has_length && a->content_bytes == 0) &&
	    !(request && slice_is(request->method, "HEAD"));
}

void
answer_head_add_slices(struct answer_head *a, struct slice name,
    struct slice value)
{
	struct answer_head_field *f = &a->fields[a->nfields];

	/* base/http1 refuses heads with more fields than that, so only our own
	 * additions could be lost here. */
	if (a->nfields == ANSWER_HEAD_FIELDS_MAX)
		return;
	f->name = slice_dup(name);
	f->value = slice_dup(value);
	a->nfields++;
}

void
answer_head_add(struct answer_head *a, const char *name, const char *value)
{
	answer_head_add_slices(a, slice_of(name), slice_of(value));
}

const char *
answer_head_get(const struct answer_head *a, const char *name)
{
	for (size_t i = 0; i < a->nfields; i++)
		if (strcasecmp(a->fields[i].name, name) == 0)
			return a->fields[i].value;
	return NULL;
}

void
answer_head_remove(struct answer_head *a, const char *name)
{
	size_t kept = 0;

	for (size_t i = 0; i < a->nfields; i++) {
		if (strcasecmp(a->fields[i].name, name) == 0)
			field_free(&a->fields[i]);
		else
			a->fields[kept++] = a->fields[i];
	}
	a->nfields = kept;
}

void
answer_head_read_type(struct answer_head *a)
{
	struct slice type = slice_of(answer_head_get(a, "content-type"));

	a->is_lines = slice_begins_nocase(type, "application/x-ndjson");
	a->is_stream =
	    a->is_lines || slice_begins_nocase(type, "text/event-stream");
}

size_t
answer_head_fields(const struct answer_head *a, struct http1_field *out)
{
	for (size_t i = 0; i < a->nfields; i++)
		out[i] = (struct http1_field){ a->fields[i].name,
			a->fields[i].value };
	return a->nfields;
}
