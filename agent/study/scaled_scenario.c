/*
 * One row for each way in which a rule can be a matter of chance.
 */
#include "agent/study/scaled_scenario.h"

#include "base/files.h"
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

/* Where a probability may stand below `when`. */
static const struct {
	const char *way, *key; /* key NULL: the way's value itself */
} scaled_chances[] = {
	{ "p", NULL },
	{ "burst", "start_p" },
	{ "markov", "good_to_bad" },
};

/* false: at 0 it would never act. */
static bool
scale_chance(json_t *when, size_t i, double factor)
{
	json_t *way = json_object_get(when, scaled_chances[i].way);
	const char *key = scaled_chances[i].key;
	json_t *holder = key ? way : when, *p;

	if (!way)
		return true;
	key = key ? key : scaled_chances[i].way;
	p = json_object_get(holder, key);
	json_object_set_new(holder, key,
	    json_real(fmin(json_number_value(p) * factor, 1)));
	return factor > 0;
}

static bool
scale_rule(json_t *rule, double factor)
{
	json_t *when = json_object_get(rule, "when");
	bool acts = factor > 0;

	/* A goal was set for the scenario as it was written: at a tenth of its
	 * chances it need not be reached. */
	json_object_del(rule, "goal");
	for (size_t i = 0; i < COUNT(scaled_chances); i++)
		acts = scale_chance(when, i, factor) && acts;
	if (json_is_true(json_object_get(when, "always")) && factor < 1) {
		json_object_del(when, "always");
		json_object_set_new(when, "p", json_real(factor));
	}
	return acts;
}

static void
scale_rules(json_t *scenario, double factor)
{
	json_t *rules = json_object_get(scenario, "rules"), *kept, *rule;
	size_t i;

	if (!json_is_array(rules))
		return;
	kept = json_array();
	json_array_foreach(rules, i, rule)
		if (scale_rule(rule, factor))
			json_array_append(kept, rule);
	json_object_set_new(scenario, "rules", kept);
}

/* The copy lies elsewhere, and a path in it is seen from its own folder. */
static void
free_paths(json_t *scenario, const char *folder)
{
	static const char *const keys[] = { "answers", "cassette" };
	json_t *proxies = json_object_get(scenario, "proxies"), *proxy;
	const char *name;

	json_object_foreach(proxies, name, proxy)
		for (size_t i = 0; i < COUNT(keys); i++) {
			const char *was =
			    json_string_value(json_object_get(proxy, keys[i]));
			char *path;

			if (!was || *was == '/')
				continue;
			path = files_join(folder, was);
			json_object_set_new(proxy, keys[i], json_string(path));
			free(path);
		}
}

enum err
scaled_scenario(json_t *scenario, const char *folder, double factor,
    const char *seed, json_t **ret, struct why *why)
{
	json_t *copy;

	if (json_object_get(scenario, "preset"))
		return why_set(why, ERR_SYNTAX,
		    "/preset: found one, expected its rules themselves: what "
		    "is not in the file cannot be scaled");
	copy = json_deep_copy(scenario);
	json_object_del(copy, "expect");
	json_object_set_new(copy, "seed", json_string(seed));
	free_paths(copy, folder);
	scale_rules(copy, factor);
	*ret = copy;
	return ERR_OK;
}
