/*
 * Who calls: keys: [{key_env, subject, groups}] gives each key a subject and
 * the groups it is in; a request brings it as a bearer, in x-api-key or in
 * api-key. Without keys everybody on this machine may call and is nobody in
 * particular; beyond it keys are required.
 */
#ifndef GATEWAY_AUTH_H
#define GATEWAY_AUTH_H

#include "base/http1.h"
#include "gateway/conf/conf.h"

/* Whose key came; of nobody in particular when there are no keys; NULL: no
 * valid key. */
const struct conf_key *auth_caller(const struct conf *c,
    const struct http1_head *h);

#endif
