/*
 * GET /models: what a configuration names, in the words of OpenAI's list and
 * of Anthropic's at once.
 */
#ifndef GATEWAY_MODELS_H
#define GATEWAY_MODELS_H

#include "base/serve.h"

struct conf_key;
struct gateway;

/* What that caller may ask for; id: one of them, as it stands in a path (%2F
 * for a slash); empty: all. */
void models_answer(struct gateway *g, struct serve_call *sc,
    const struct conf_key *caller, struct slice id);

#endif
