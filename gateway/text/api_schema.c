/* A new API is a row here and its places in answer_facts.c. */
#include "gateway/text/api_schema.h"

#include "base/sse.h"
#include "base/units.h"

#define HELD_BYTES ((size_t)65536)

const char *const schema_names[] = { "chat", "messages", "responses",
	"embeddings", NULL };

static const struct schema schemas[SCHEMA_NKINDS] = {
	[SCHEMA_CHAT] = {
		.name = "chat",
		.path = "/chat/completions",
		.held_bytes = HELD_BYTES,
		.operation = "chat",
		.key_header = "authorization",
		.stopped = "stop",
		.last_event = "data: " SSE_DONE "\n\n",
		.other = &schemas[SCHEMA_MESSAGES],
	},
	[SCHEMA_MESSAGES] = {
		.kind = SCHEMA_MESSAGES,
		.name = "messages",
		.path = "/messages",
		.held_bytes = HELD_BYTES,
		.operation = "chat",
		.key_header = "x-api-key",
		.stopped = "end_turn",
		.last_event = "event: message_stop\n"
		              "data: {\"type\":\"message_stop\"}\n\n",
		.has_pings = true,
		.wraps_errors = true,
		.names_events = true,
		.other = &schemas[SCHEMA_CHAT],
	},
	/* Its last event holds the whole answer, which nobody can make up. */
	[SCHEMA_RESPONSES] = {
		.kind = SCHEMA_RESPONSES,
		.name = "responses",
		.path = "/responses",
		.held_bytes = 32 * HELD_BYTES,
		.operation = "chat",
		.key_header = "authorization",
		.stopped = "completed",
		.has_pings = true,
		.names_events = true,
	},
	[SCHEMA_EMBEDDINGS] = {
		.kind = SCHEMA_EMBEDDINGS,
		.name = "embeddings",
		.path = "/embeddings",
		.operation = "embeddings",
		.key_header = "authorization",
		.stopped = "",
	},
};

const struct schema *
schema_of(enum schema_kind kind)
{
	return &schemas[kind];
}

const struct schema *
schema_find(struct slice path)
{
	for (size_t i = 0; i < SCHEMA_NKINDS; i++)
		if (slice_is(path, schemas[i].path))
			return &schemas[i];
	return NULL;
}
