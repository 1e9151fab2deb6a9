/*
 * The end of the chain: items become an HTTP answer on the client's
 * connection.  Short answers of known length are gathered and sent whole;
 * everything else is streamed in chunks.
 */
#ifndef CHAOS_ANSWER_SINK_H
#define CHAOS_ANSWER_SINK_H

#include "chaos/http/stage.h"

struct stage *sink_new(struct exchange *x);

#endif
