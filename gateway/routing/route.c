/*
 * Matching is three plain questions; ordering is one comparison per type on
 * a small array.  A weighted pick walks the weights with the random number;
 * what is left is ordered by weight, heaviest first, so that a fallback goes
 * where most of the traffic is meant to go.
 */
#include "gateway/routing/route.h"

#include "base/metadata_header.h"
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Targets within this factor of the fastest count as equally fast. */
#define LATENCY_EQUAL_NUM 6
#define LATENCY_EQUAL_DEN 5

/* ---- matching */

static bool
lists(const struct ynode *list, const char *word)
{
	if (!list)
		return true;
	for (const struct ynode *n = list->first; n; n = n->next)
		if (strcmp(n->text, word) == 0 || strcmp(n->text, "*") == 0)
			return true;
	return false;
}

static bool
holds(const struct ynode *map, json_t *metadata)
{
	const char *value;

	for (const struct ynode *n = map ? map->first : NULL; n; n = n->next) {
		value = metadata_header_get(metadata, n->key);
		if (!value || strcmp(value, n->text) != 0)
			return false;
	}
	return true;
}

/* "k=v" in X-TFY-METADATA means the pair, however the header writes it. */
static bool
metadata_has_pair(json_t *metadata, const char *pair)
{
	const char *eq = strchr(pair, '=');
	const char *value;
	char key[128];

	if (!eq || (size_t)(eq - pair) >= sizeof key)
		return false;
	memcpy(key, pair, (size_t)(eq - pair));
	key[eq - pair] = '\0';
	value = metadata_header_get(metadata, key);
	return value && strcmp(value, eq + 1) == 0;
}

static bool
header_contains(const struct conf_rule *rule, const struct route_ask *ask)
{
	const struct slice *value;

	if (!rule->header)
		return true;
	if (strcasecmp(rule->header, "x-tfy-metadata") == 0 &&
	    metadata_has_pair(ask->metadata, rule->header_contains))
		return true;
	value = ask->head ? http1_get(ask->head, rule->header) : NULL;
	return value &&
	    memmem(value->p, value->n, rule->header_contains,
	        strlen(rule->header_contains));
}

/* A subject is meant by its name, or by a group it is in. */
static bool
means_caller(const struct ynode *subjects, const struct route_ask *ask)
{
	if (lists(subjects, ask->subject))
		return true;
	for (const struct ynode *n = ask->groups ? ask->groups->first : NULL; n;
	     n = n->next)
		if (lists(subjects, n->text))
			return true;
	return false;
}

bool
route_when(const struct ynode *subjects, const struct ynode *models,
    const struct ynode *metadata, const struct route_ask *ask)
{
	return lists(models, ask->model) && means_caller(subjects, ask) &&
	    holds(metadata, ask->metadata);
}

const struct conf_rule *
route_match(const struct conf *c, const struct route_ask *ask)
{
	for (size_t i = 0; i < c->nrules; i++) {
		const struct conf_rule *rule = &c->rules[i];

		if (route_when(rule->subjects, rule->models, rule->metadata,
		        ask) &&
		    (!rule->virtual_model ||
		        strcmp(rule->virtual_model, ask->model) == 0) &&
		    header_contains(rule, ask))
			return rule;
	}
	return NULL;
}

/* ---- ordering */

struct place {
	const struct conf_target *target;
	uint64_t key; /* smaller is earlier */
	size_t index; /* keeps the order of the file among equals */
};

static int
by_key(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return x->index < y->index ? -1 : x->index > y->index;
}

static void
pick_weighted(struct place *places, size_t n, uint32_t random)
{
	uint64_t total = 0, at;

	for (size_t i = 0; i < n; i++) {
		places[i].key = UINT32_MAX - (uint64_t)places[i].target->weight;
		total += (uint64_t)places[i].target->weight;
	}
	at = total * random >> 32;
	for (size_t i = 0; i < n; i++) {
		if (at < (uint64_t)places[i].target->weight) {
			places[i].key = 0;
			return;
		}
		at -= (uint64_t)places[i].target->weight;
	}
}

/* The least is first; of those that are as good as it, one is drawn.  An
 * unknown latency is tried first: that is how it becomes known. */
static void
pick_least(struct place *places, size_t n, const uint32_t *measures,
    const struct conf_rule *rule, uint32_t random)
{
	uint64_t best = UINT64_MAX, equal = 0, turn;

	for (size_t i = 0; i < n; i++) {
		places[i].key = measures ? measures[places[i].index] : 0;
		if (places[i].key < best)
			best = places[i].key;
	}
	if (rule->kind == CONF_LATENCY)
		best = best * LATENCY_EQUAL_NUM / LATENCY_EQUAL_DEN;
	for (size_t i = 0; i < n; i++)
		equal += places[i].key <= best;
	turn = equal * random >> 32;
	for (size_t i = 0; i < n; i++) {
		places[i].key++;
		if (places[i].key - 1 <= best && turn-- == 0)
			places[i].key = 0;
	}
}

static void
pick_priority(struct place *places, size_t n)
{
	for (size_t i = 0; i < n; i++)
		places[i].key = (uint64_t)places[i].target->priority;
}

void
route_targets(const struct conf_rule *rule, const struct route_ask *ask,
    const uint32_t *measures, uint32_t random, struct route_order *ret)
{
	struct place places[CONF_TARGETS_MAX];
	size_t n = 0;

	for (size_t i = 0; i < rule->ntargets; i++)
		if (holds(rule->targets[i].metadata, ask->metadata))
			places[n++] = (struct place){ &rule->targets[i], 0, i };
	if (rule->kind == CONF_WEIGHT)
		pick_weighted(places, n, random);
	else if (rule->kind == CONF_PRIORITY)
		pick_priority(places, n);
	else
		pick_least(places, n, measures, rule, random);
	qsort(places, n, sizeof places[0], by_key);
	ret->n = 0;
	for (size_t i = 0; i < n; i++)
		if (i == 0 || places[i].target->is_candidate)
			ret->targets[ret->n++] = places[i].target;
}

/* ---- sessions */

/* FNV-1a: spreads sessions over targets, protects nothing. */
static uint64_t
mix(uint64_t h, const void *p, size_t n)
{
	const unsigned char *b = p;

	for (size_t i = 0; i < n; i++)
		h = (h ^ b[i]) * UINT64_C(0x100000001b3);
	return h;
}

static struct slice
identifier(const struct ynode *at, const struct route_ask *ask)
{
	const char *source = ynode_get(at, "source")->text;
	const char *key = ynode_get(at, "key")->text;
	const struct slice *value;

	if (strcmp(source, "metadata") == 0)
		return slice_of(metadata_header_get(ask->metadata, key));
	value = ask->head ? http1_get(ask->head, key) : NULL;
	return value ? *value : (struct slice){ NULL, 0 };
}

bool
route_session(const struct conf_rule *rule, const struct route_ask *ask,
    uint64_t now_s, uint32_t *ret)
{
	uint64_t h = UINT64_C(0xcbf29ce484222325), epoch;
	struct slice value;
	bool any = false;

	if (!rule->sticky)
		return false;
	for (const struct ynode *n = rule->sticky->first; n; n = n->next) {
		value = identifier(n, ask);
		h = mix(h, value.p, value.n);
		h = mix(h, "", 1);
		any = any || value.n > 0;
	}
	/* Sessions end their turns at different times: each has its phase. */
	epoch = (now_s + h % (uint64_t)rule->sticky_ttl_s) /
	    (uint64_t)rule->sticky_ttl_s;
	h = mix(h, &epoch, sizeof epoch);
	*ret = (uint32_t)(h >> 32 ^ h);
	return any;
}
