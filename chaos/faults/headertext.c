/*
 * The rules are those of the writer (base/http1.h), so it is asked: a list of
 * our own would one day accept what cannot be sent.
 */
#include "chaos/faults/headertext.h"

#include "base/http1.h"

#define HEAD_MAX (1u << 20)

static bool
is_header(const char *name, const char *text)
{
	struct http1_field field = { name, text };
	struct buf head;
	bool is_good;

	buf_init(&head, HEAD_MAX);
	is_good = http1_write_response(&head, 200, &field, 1, HTTP1_NO_BODY,
	              0) == ERR_OK;
	buf_done(&head);
	return is_good;
}

enum err
headertext_check(const char *name, const char *text, const char *pointer,
    const char *key, struct why *why)
{
	if (!text || is_header(name, text))
		return ERR_OK;
	if (!is_header(name, ""))
		return why_set(why, ERR_SYNTAX,
		    "%s/%s: found the name \"%.60s\", expected a header's that "
		    "is not framing",
		    pointer, key, name);
	return why_set(why, ERR_SYNTAX,
	    "%s/%s: found \"%.60s\", expected the text of one header: no "
	    "control characters",
	    pointer, key, text);
}
