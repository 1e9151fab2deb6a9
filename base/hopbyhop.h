/*
 * Which headers end at a proxy (RFC 9110 section 7.6.1): those that speak of
 * one connection by their own name, and those that a Connection header of
 * the same message names.  A proxy that forwards one of the latter lets its
 * client reach a server's private switches, and was told not to.
 *
 * One rule for gateway and chaos proxy, requests and answers; what else a
 * program keeps to itself (Host, credentials, its own headers) is its own
 * table.
 */
#ifndef BASE_HOPBYHOP_H
#define BASE_HOPBYHOP_H

#include "base/http1.h"

/* True: name is of this hop only, and a proxy leaves it out. */
bool hopbyhop_ends_here(const struct http1_head *h, struct slice name);

#endif
