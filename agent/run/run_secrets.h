/*
 * What a run knows and must not tell: its key, what the environment calls a
 * secret, the password of a URL.  From here on all of them are masked.
 */
#ifndef AGENT_RUN_SECRETS_H
#define AGENT_RUN_SECRETS_H

#include "agent/run/run.h"
#include "base/err.h"

/*
 * Takes them; a key that is masked nowhere is warned of.  ERR_SYNTAX: an
 * option that the run would write down holds one of them.
 */
enum err run_secrets_take(const struct run_options *o, struct why *why);

#endif
