/*
 * The admin listener: the Toxiproxy API and ours, by a table of routes.
 */
#ifndef CHAOS_ADMIN_H
#define CHAOS_ADMIN_H

#include "base/addr.h"
#include "base/err.h"
#include "base/loop.h"

struct admin;

enum err admin_new(struct loop *l, const struct addr *listen,
    struct admin **ret, struct why *why);
void admin_free(struct admin *a); /* NULL-safe */
void admin_address(const struct admin *a, struct addr *ret);

#endif
