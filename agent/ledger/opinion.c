/*
 * Fields in, through the filter; fields out.  Each is filtered alone and,
 * where several are joined, once more: two halves of a claim are a claim.
 */
#include "agent/ledger/opinion.h"

#include "agent/text/claim_filter.h"
#include "base/jlenient.h"
#include "base/mask.h"
#include "base/mem.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* More of a text than is kept, so that a key is masked before it is cut. */
#define TAKEN_BYTES 4096

static const char *const words[OPINION_NWORDS] = {
	[OPINION_NONE] = "",
	[OPINION_REFUSED] = "refused",
	[OPINION_ACCEPTED] = "accepted",
};

typedef char *filter_fn(const char *text, size_t max_chars);

#define FIELD(m) #m, offsetof(struct opinion, m), sizeof((struct opinion *)0)->m

static const struct field {
	const char *name;
	size_t at, size;
	filter_fn *filter;
} fields[] = {
	{ FIELD(class), claim_field },
	{ FIELD(message), claim_clean },
	{ FIELD(name), claim_field },
	{ FIELD(url), claim_field },
	{ FIELD(version), claim_field },
};

const char *
opinion_word_name(enum opinion_word w)
{
	return words[w];
}

static char *
at_field(struct opinion *o, const struct field *f)
{
	return (char *)o + f->at;
}

static void
keep(struct opinion *o, const struct field *f, const char *text)
{
	char *clean = strcmp(text, CLAIM_NO_FIELD) == 0
	    ? xstrdup(text)
	    : f->filter(text, f->size - OPINION_MORE);

	(void)snprintf(at_field(o, f), f->size, "%s", clean);
	free(clean);
}

void
opinion_take(struct opinion *o, const char *field, const char *text)
{
	char *bare = strcmp(field, "url") == 0 ? mask_url(text ? text : "")
	                                       : xstrdup(text ? text : "");
	char masked[TAKEN_BYTES];

	/* A query may hold a token, and says nothing of who answers. */
	if (strcmp(field, "url") == 0)
		bare[strcspn(bare, "?#")] = '\0';
	mask_format(masked, sizeof masked, "%s", bare);
	for (size_t i = 0; i < COUNT(fields); i++)
		if (strcmp(fields[i].name, field) == 0)
			keep(o, &fields[i], masked);
	free(bare);
}

json_t *
opinion_json(const struct opinion *o)
{
	json_t *all;

	if (o->word == OPINION_NONE)
		return NULL;
	all = json_pack("{s:s}", "word", words[o->word]);
	for (size_t i = 0; i < COUNT(fields); i++)
		json_object_set_new(all, fields[i].name,
		    json_string((const char *)o + fields[i].at));
	return all;
}

void
opinion_read(json_t *line, struct opinion *ret)
{
	json_t *o = json_object_get(line, OPINION_KEY);
	const char *word = jlenient_text(o, "word");

	*ret = (struct opinion){ 0 };
	for (int w = OPINION_NONE + 1; w < OPINION_NWORDS; w++)
		if (strcmp(words[w], word) == 0)
			ret->word = (enum opinion_word)w;
	/* Not masked again: what is made of a run's files must not depend on
	 * whose environment makes it. */
	for (size_t i = 0; i < COUNT(fields); i++)
		keep(ret, &fields[i], jlenient_text(o, fields[i].name));
}

char *
opinion_who(const struct opinion *o)
{
	char *who = xasprintf("%s%s%s at %s", *o->name ? o->name : "unnamed",
	    *o->version ? " " : "", o->version, o->url);

	if (!claim_is_made(who, strlen(who)))
		return who;
	free(who);
	return xstrdup(CLAIM_NO_FIELD);
}

bool
opinion_ended(enum ledger_state s, const char *class)
{
	return s == LEDGER_ABANDONED && class &&
	    strcmp(class, OPINION_CLASS) == 0;
}
