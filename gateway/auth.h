/*
 * Who calls: keys: [{key_env, subject}] gives each bearer key a subject.
 * Without keys everybody on this machine may call and is nobody in
 * particular; beyond it keys are required.
 */
#ifndef GATEWAY_AUTH_H
#define GATEWAY_AUTH_H

#include "base/http1.h"
#include "gateway/conf.h"

/* The caller's subject, "" for nobody in particular; NULL: no valid key. */
const char *auth_subject(const struct conf *c, const struct http1_head *h);

#endif
