/*
 * A run keeps its options, and a resumed one compares them.  One that holds a
 * secret would be masked there, and so be another word than was given, with
 * which no run could be gone on with: it is refused before anything is
 * written.
 */
#include "agent/run/run_secrets.h"

#include "agent/run/live_ops.h"
#include "base/log.h"
#include "base/mask.h"
#include <stdlib.h>
#include <string.h>

static enum err
refuse_in_options(const struct run_options *o, struct why *why)
{
	const struct {
		const char *name, *value;
	} rows[] = {
		{ "--device", o->device },
		{ "--escalation", o->escalation },
		{ "--model", o->model },
		{ "--scenario", o->scenario_file },
		{ "--seed", o->seed },
	};

	for (size_t i = 0; i < COUNT(rows); i++)
		if (mask_holds(rows[i].value))
			return why_set(why, ERR_SYNTAX,
			    "%s: holds a key or a password, and is written "
			    "down with the run",
			    rows[i].name);
	return ERR_OK;
}

enum err
run_secrets_take(const struct run_options *o, struct why *why)
{
	if (!mask_add(o->key) && strcmp(o->key, LIVE_OPS_NO_KEY) != 0)
		log_warn("run",
		    "the key has less than %d characters, or could be a word "
		    "of a kernel: it is masked nowhere",
		    MASK_BYTES_MIN);
	free(mask_url(o->gateway)); /* what it held is known now */
	return refuse_in_options(o, why);
}
