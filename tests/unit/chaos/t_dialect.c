/*
 * Where things stand in an answer: one pass over the text finds what asking
 * for each pointer of the tables by itself would.
 */
#include "chaos/text/dialect.h"

#include <stdio.h>
#include <string.h>

#include "tests/unit.h"

#define POINTER_MAX 128
#define INDEXES     32

static const char *const documents[] = {
	"{\"id\":\"c\",\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":{"
	"\"content\":\" a \\\"}],\"},\"finish_reason\":null}]}",
	"{\"choices\":[{\"index\":1,\"delta\":{\"content\":\"b\"}}]}",
	"{\"choices\":[{\"delta\":{\"content\":\"b\"},\"index\":1}]}",
	"{\"choices\":[{\"delta\":{\"content\":\"b\"}}]}",
	"{\"choices\":[],\"usage\":{\"prompt_tokens\":1,\"total_tokens\":2,"
	"\"completion_tokens\":1}}",
	"{\"choices\":[{\"message\":{\"content\":null,\"tool_calls\":[{\"id\":"
	"\"x\",\"function\":{\"name\":\"f\",\"arguments\":\"{}\"}},{\"id\":"
	"\"y\"}]},\"finish_reason\":\"tool_calls\"}]}",
	" { \"choices\" : [ { \"index\" : 0 , \"delta\" : { \"content\" : \"c\""
	" } } ] } ",
	"{\"choices\":[{\"delta\":{\"content\":\"1\"}}],\"choices\":[{"
	"\"delta\":{\"content\":\"2\"}}],\"model\":\"a\",\"model\":\"b\"}",
	"{\"choices\":{\"0\":{\"delta\":{\"content\":\"no list\"}}}}",
	"{\"choices\":[[]],\"model\":{\"x\":[1,2,{}]}}",
	"{\"type\":\"message\",\"model\":\"m\",\"content\":[{\"type\":"
	"\"tool_use\",\"id\":\"i\",\"name\":\"n\",\"input\":{\"a\":[1]}},{"
	"\"type\":\"text\",\"text\":\"t\"},{\"text\":\"u\"}],"
	"\"stop_reason\":\"end_turn\",\"usage\":{\"input_tokens\":1,"
	"\"output_tokens\":2}}",
	"{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":"
	"\"text_delta\",\"text\":\"t\"}}",
	"{\"type\":\"response.output_item.done\",\"item\":{\"content\":[{"
	"\"text\":\"a\"},{\"text\":\"b\"}]}}",
	"{\"type\":\"response.completed\",\"response\":{\"output\":[{"
	"\"content\":[{\"type\":\"output_text\",\"text\":\"t\"}]},{\"name\":"
	"\"f\",\"call_id\":\"c\",\"arguments\":\"{}\"}],\"status\":"
	"\"completed\",\"usage\":{\"input_tokens\":3}}}",
	"{\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"a\"},{"
	"\"functionCall\":{\"name\":\"f\",\"args\":{}}}]},\"finishReason\":"
	"\"STOP\"}],\"modelVersion\":\"g\"}",
	"{\"model\":\"l\",\"message\":{\"content\":\"o\",\"tool_calls\":[{"
	"\"function\":{\"name\":\"f\",\"arguments\":{}}}]},\"done\":true,"
	"\"done_reason\":\"stop\",\"eval_count\":1}",
	"[]",
	"{}",
	"7",
	"\"choices\"",
};

/* The pointer with index i for '#'. */
static const char *
at_index(const char *pointer, size_t i, char out[POINTER_MAX])
{
	const char *mark = strchr(pointer, '#');

	snprintf(out, POINTER_MAX, "%.*s", mark ? (int)(mark - pointer) : -1,
	    pointer);
	if (mark)
		snprintf(out + strlen(out), POINTER_MAX - strlen(out), "%zu%s",
		    i, mark + 1);
	return out;
}

/* What stands at one place, each pointer asked for by itself. */
static size_t
hits_by_pointer(const struct dialect_place *p, struct slice json,
    struct jspan *ret)
{
	size_t most = strchr(p->pointer, '#') ? INDEXES : 1, n = 0;
	char at[POINTER_MAX], when[POINTER_MAX];
	struct jspan found;

	for (size_t i = 0; i < most && n < DIALECT_HITS; i++) {
		if (!jspan_pointer(json, at_index(p->pointer, i, at), &ret[n]))
			continue;
		if (!p->when ||
		    !jspan_pointer(json, at_index(p->when, i, when), &found) ||
		    slice_is((struct slice){ json.p + found.at, found.n },
		        p->is))
			n++;
	}
	return n;
}

static void
compare(const struct dialect *d, enum dialect_role role, const char *document)
{
	struct slice json = slice_of(document);
	struct dialect_hit hits[DIALECT_HITS];
	struct jspan want[DIALECT_HITS];
	size_t n = dialect_hits(d, json, role, hits), at = 0, m;

	for (size_t i = 0; i < d->nplaces; i++) {
		if (d->places[i].role != role)
			continue;
		m = hits_by_pointer(&d->places[i], json, want);
		for (size_t k = 0; k < m; k++, at++)
			CHECK(at < n && hits[at].place == &d->places[i] &&
			        hits[at].span.at == want[k].at &&
			        hits[at].span.n == want[k].n,
			    document);
	}
	CHECK_INT(n, at, document);
}

static void
check_tables(void)
{
	const struct dialect *d;

	for (size_t i = 0; (d = dialect_at(i)); i++)
		for (int role = 0; role < DIALECT_NROLES; role++) {
			size_t pointers = 0;

			for (size_t k = 0; k < d->nplaces; k++)
				if (d->places[k].role ==
				    (enum dialect_role)role)
					pointers += 2;
			CHECK(pointers <= DIALECT_POINTERS, d->name);
			for (size_t k = 0; k < COUNT(documents); k++)
				compare(d, (enum dialect_role)role,
				    documents[k]);
		}
}

static void
check_broken(void)
{
	static const char *const rows[] = {
		"{\"model\":\"m\"",
		"{\"model\":\"m\",\"x\":[1,2}",
		"{\"model\":\"m\",}",
		"{\"model\":\"m\" \"x\":1}",
		"{\"model\":\"m\",x:1}",
		"{\"model\":\"m\",\"choices\":[{\"index\":0]}",
		"{\"model\":\"m",
		"{\"model\":",
		"{\"model\"",
		"{",
		"[",
		"",
	};
	static const char zero[] = "{\"model\0\0\0\0\":\"a\",\"choices\":1}";
	struct dialect_hit hits[DIALECT_HITS];

	for (size_t i = 0; i < COUNT(rows); i++) {
		CHECK_INT(dialect_hits(&dialect_chat, slice_of(rows[i]),
		              DIALECT_MODEL, hits),
		    0, rows[i]);
		CHECK_INT(dialect_hits(&dialect_chat, slice_of(rows[i]),
		              DIALECT_TEXT, hits),
		    0, rows[i]);
	}
	CHECK_INT(dialect_hits(&dialect_chat,
	              (struct slice){ zero, sizeof zero - 1 }, DIALECT_MODEL,
	              hits),
	    0, "a name with a NUL");
}

/* More than are looked at: the first ones, in order. */
static void
check_many(void)
{
	struct dialect_hit hits[DIALECT_HITS];
	char json[4096] = "{\"content\":[";

	for (int i = 0; i < 40; i++)
		snprintf(json + strlen(json), sizeof json - strlen(json),
		    "%s{\"type\":\"text\",\"text\":\"%d\"}", i ? "," : "", i);
	snprintf(json + strlen(json), sizeof json - strlen(json), "]}");
	CHECK_INT(dialect_hits(&dialect_messages, slice_of(json), DIALECT_TEXT,
	              hits),
	    DIALECT_HITS, "many texts");
	CHECK(memcmp(json + hits[15].span.at, "\"15\"", 4) == 0, "in order");
}

void
t_dialect(void)
{
	check_tables();
	check_broken();
	check_many();
}
