/* Counting what other labs said; every field comes clean out of an opinion. */
#include "agent/telling/other_labs.h"

#include "base/jlenient.h"
#include <stdlib.h>
#include <string.h>

static const char *const identity[] = { "name", "version", "url" };
static const char *const counts[] = { "accepted", "refused", "vetoed" };

/* The entry of the same lab, made when there is none. */
static json_t *
entry_of(json_t *all, json_t *lab)
{
	json_t *entry;
	size_t i;

	json_array_foreach(all, i, entry) {
		bool same = true;

		for (size_t k = 0; k < COUNT(identity); k++)
			same = same &&
			    strcmp(jlenient_text(entry, identity[k]),
			        jlenient_text(lab, identity[k])) == 0;
		if (same)
			return entry;
	}
	entry = json_object();
	for (size_t k = 0; k < COUNT(identity); k++)
		json_object_set(entry, identity[k],
		    json_object_get(lab, identity[k]));
	for (size_t k = 0; k < COUNT(counts); k++)
		json_object_set_new(entry, counts[k], json_integer(0));
	json_array_append_new(all, entry);
	return entry;
}

static json_int_t
count_of(json_t *entry, const char *key)
{
	return json_integer_value(json_object_get(entry, key));
}

static void
count(json_t *entry, const char *key, json_int_t more)
{
	json_object_set_new(entry, key,
	    json_integer(count_of(entry, key) + more));
}

json_t *
other_labs_word(const struct opinion *o)
{
	json_t *all = opinion_json(o);

	/* Its words are in the ledger; a table has who said what. */
	json_object_del(all, "message");
	json_object_del(all, "class");
	return all;
}

json_t *
other_labs_of(const struct standings *s)
{
	json_t *all = json_array();

	for (size_t i = 0; i < s->n; i++)
		for (unsigned k = 0; k < s->items[i].iterations; k++) {
			const struct op_standing_try *t = &s->items[i].tries[k];
			json_t *lab = opinion_json(&t->other), *entry;

			if (!lab)
				continue;
			entry = entry_of(all, lab);
			count(entry, opinion_word_name(t->other.word), 1);
			if (opinion_ended(t->state, t->class))
				count(entry, "vetoed", 1);
			json_decref(lab);
		}
	return all;
}

void
other_labs_add(json_t *all, json_t *more)
{
	json_t *lab;
	size_t i;

	json_array_foreach(more, i, lab) {
		json_t *entry = entry_of(all, lab);

		for (size_t k = 0; k < COUNT(counts); k++)
			count(entry, counts[k], count_of(lab, counts[k]));
	}
}

void
other_labs_put(json_t *all, const char *before, const char *after,
    struct buf *b)
{
	struct opinion o = { .word = OPINION_NONE };
	json_t *lab;
	size_t i;

	json_array_foreach(all, i, lab) {
		json_t *line = json_pack("{s:O}", OPINION_KEY, lab);
		char *who;

		opinion_read(line, &o);
		who = opinion_who(&o);
		buf_addf(b,
		    "%sanother lab, %s: accepted %lld, refused %lld, ended "
		    "%lld "
		    "attempts by its word alone%s",
		    before, who, (long long)count_of(lab, "accepted"),
		    (long long)count_of(lab, "refused"),
		    (long long)count_of(lab, "vetoed"), after);
		free(who);
		json_decref(line);
	}
}
