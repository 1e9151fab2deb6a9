/*
 * Of a client's own stream_options everything but the one member stays, byte
 * for byte: options that are younger than this file must still arrive.
 */
#include "gateway/text/usage.h"

static const struct peek_edit want = { "include_usage", "true" };

bool
usage_options(const struct peek *request, struct buf *out)
{
	const struct peek_member *m = peek_get(request, "stream_options");
	struct peek options;

	if (!m || m->type != JSCAN_OBJECT ||
	    peek_read(m->value, &options, NULL) != ERR_OK) {
		buf_adds(out, "{\"include_usage\":true}");
		return true;
	}
	if (peek_is_true(&options, want.name))
		return false;
	return peek_splice(&options, &want, 1, out) == ERR_OK;
}
