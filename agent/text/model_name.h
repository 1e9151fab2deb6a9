/*
 * The name of a model as a table may show it.
 *
 * Who answers says by which model, and can say anything there that letters
 * can say.  Whoever lists what a claim may be worded like is one word short,
 * so it is the other way round: a name is shown if the run asked for it, or if
 * it is made of nothing but the field's families ("deepseek", "qwen"), their
 * variants ("coder", "mini") and versions ("v4", "7b").  Any other is
 * MODEL_NAME_OTHER; its text is in the record and in the ledger's line.
 */
#ifndef AGENT_MODEL_NAME_H
#define AGENT_MODEL_NAME_H

#include <stddef.h>

#define MODEL_NAME_OTHER "another-model"

struct model_asked { /* what a run asked for; borrowed, or NULL */
	const char *model, *escalation;
};

/* Why a model answered, as a gateway may say it (docs/wire.md); n bytes.  A
 * word that is none of these is "other". */
const char *model_name_reason(const char *word, size_t n);

/*
 * "PROVIDER/MODEL reason=REASON" as it may be shown: cut, in a name's alphabet,
 * its name shown or replaced, its reason one of the list.  A provider that is
 * made of other words is left out.  "requested=primary", "requested=escalation"
 * and "" name nobody and stay.  What comes of it, after all cuts, has passed
 * the claim filter.  Owned.
 */
char *model_name_of_route(const char *route, const struct model_asked *asked);

#endif
