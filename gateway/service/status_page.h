/*
 * The status page, GET /ui on the admin port: targets, their breakers, rates
 * and times, what it costs, keys, the last requests with their attempts.  One
 * file that asks nobody but this port: /status, /recent and /keys.
 */
#ifndef GATEWAY_STATUS_PAGE_H
#define GATEWAY_STATUS_PAGE_H

#include "base/slice.h"

struct serve_call;

void status_page_answer(struct serve_call *sc);

#endif
