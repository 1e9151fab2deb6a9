/*
 * What the chaos proxy's log says of kernels that it changed: a record's
 * `corrupted`, which is that log's word alone and follows from it.
 */
#ifndef AGENT_CORRUPTED_KERNELS_H
#define AGENT_CORRUPTED_KERNELS_H

#include <jansson.h>

/* By "OP/N" or "OP/naive", as records are named; owned. */
json_t *corrupted_kernels_of_log(json_t *chaos);

#endif
