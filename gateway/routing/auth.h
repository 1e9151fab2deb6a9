/*
 * Who calls: keys: [{key_env, subject, groups}] gives each key a subject and
 * the groups it is in, and a store has the keys that were handed out; a request
 * brings its key as a bearer, in x-api-key or in api-key. Without keys
 * everybody on this machine may call and is nobody in particular; beyond it
 * keys are required.
 */
#ifndef GATEWAY_AUTH_H
#define GATEWAY_AUTH_H

#include "base/http1.h"
#include "gateway/conf/conf.h"
#include "gateway/store/client_keyring.h"

/* What a door goes by. */
struct auth_door {
	const struct conf *conf;
	const struct keyring *keys; /* that were handed out; NULL: they do not
	                             * open this door */
	bool asks_keys;
	bool is_admins; /* no page of another origin comes in there */
};

/* Whose key came; of nobody in particular where no key is asked for; NULL: no
 * valid key, and *fault (when not NULL) says what is wrong with one that was
 * valid once. */
const struct conf_key *auth_caller(const struct auth_door *door,
    const struct http1_head *h, const char **fault);

#endif
