/*
 * Who may come in by the admin port: the name that it is called by, and the
 * token, where one is set.  Decided from a request's head alone.
 */
#ifndef CHAOS_ADMIN_DOOR_H
#define CHAOS_ADMIN_DOOR_H

#include "base/http1.h"
#include "base/opts.h"

#define DOOR_TOKEN_NAME "KF_CHAOS_TOKEN" /* in the environment */
#define DOOR_TOKEN_MIN  16               /* bytes of it */
#define DOOR_ANY        "*"              /* among hosts: by whatever name */
#define DOOR_ASKS       "Basic realm=\"kf-chaos\", charset=\"UTF-8\""

struct door {
	const struct opt_list *hosts; /* names beside numbers and localhost;
	                               * borrowed, NULL: none */
	const char *token;            /* borrowed; NULL: nobody is asked */
};

/*
 * 0: come in; 403: not by that name; 401: where is the token?  *text says so.
 *
 * A name that somebody else's DNS may point here is how a page of the web
 * would get at this port.  Who sends no Host is no browser.
 */
int door_check(const struct door *d, const struct http1_head *h,
    const char **text);

#endif
