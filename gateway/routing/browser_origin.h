/*
 * Who may come in, judged by a request's head alone, before its body is read.
 *
 * Where keys are asked for, a key decides.  Where none are, everybody on this
 * machine may call, and a web page that its browser has open is not meant by
 * that: a Host that is no name of this machine (a page whose name was bound
 * to 127.0.0.1) and the Origin of a foreign page are refused, unless the
 * configuration names them; its origins are let into the front door only.
 */
#ifndef GATEWAY_BROWSER_ORIGIN_H
#define GATEWAY_BROWSER_ORIGIN_H

#include "base/http1.h"
#include "gateway/routing/auth.h"

struct browser_origin_verdict {
	int status; /* 0: come in */
	const char *code, *message;
	const struct conf_key *caller; /* NULL: no key was asked for, or none
	                                * is valid */
};

struct browser_origin_verdict browser_origin_judge(const struct auth_door *door,
    const struct http1_head *h);

/* The page that asks, when the configuration lets it read answers (origins);
 * NULL: none, or another. */
const char *browser_origin_origin(const struct conf *c,
    const struct http1_head *h);

/* A browser asks whether it may ask: to be answered without a key. */
bool browser_origin_is_preflight(const struct conf *c,
    const struct http1_head *h);

#endif
