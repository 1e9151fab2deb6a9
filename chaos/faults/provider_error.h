/*
 * What a provider says when its rate limit is met, in the API that a request
 * speaks.
 */
#ifndef CHAOS_PROVIDER_ERROR_H
#define CHAOS_PROVIDER_ERROR_H

#include "base/buf.h"
#include <stdbool.h>

struct exchange;

/* Puts what its 429 says of limits on the answer's head (reset_s 0: it comes
 * back never, and nothing is said), and its body into out.  False: the body is
 * OpenAI's, which has words for each limit: the caller's. */
bool provider_says_429(struct exchange *x, unsigned reset_s, struct buf *out);

#endif
