/* The finish reason is the caller's to find: each dialect has it elsewhere. */
#include "base/sse_end.h"

#include "base/sse.h"

bool
sse_end_is_done(struct slice data)
{
	return slice_is(data, SSE_DONE);
}

bool
sse_end_is_whole(bool has_done, bool has_finish)
{
	return has_done || has_finish;
}
