/*
 * Other paths of a provider, where the configuration lets them through:
 * embeddings, files, whatever it has.  The request goes on as it came, with
 * the provider's key; the answer comes back as it comes, with the stamp
 * and stars in the place of that key.  Nothing is retried, and nothing is read
 * but the path.
 */
#ifndef GATEWAY_PASSTHROUGH_H
#define GATEWAY_PASSTHROUGH_H

#include "base/serve.h"
#include "gateway/conf/conf.h"

struct gateway;

/*
 * The first provider whose passthrough lists the path (what stands behind
 * our prefix, without the query), NULL for none.  A path that a server could
 * read as another one (dot segments, escapes of them) is nobody's.
 */
const struct conf_provider *pass_provider(const struct conf *c,
    struct slice path);

#define PASS_METHODS "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"

/* Whether it is one of these. */
bool pass_takes(struct slice method);

/* What goes where. */
struct pass_ask {
	const struct conf_provider *to;
	struct slice rest; /* the path behind our prefix, with the query */
	const struct conf_key *caller;
};

/* Takes a whole request; answers it now or later. */
void pass_start(struct gateway *g, struct serve_call *sc,
    const struct pass_ask *ask);

/* Ends all of them without an answer. */
void pass_drop_all(struct gateway *g);

#endif
