/*
 * Which rules can never fire.  A row is the phases and rules of a scenario
 * with two proxies (p live, b passthrough), and the warning, or NULL.
 */
#include <stdlib.h>
#include <string.h>

#include "base/jfield.h"
#include "base/mem.h"
#include "chaos/rules/scenario.h"
#include "tests/unit.h"

#define ALWAYS "\"when\":{\"always\":true}"
#define FAIL   "\"fault\":{\"type\":\"http_error\",\"status\":500}"
#define CUT    "\"fault\":{\"type\":\"sse_cut\",\"after_events\":1}"
#define SLOW   "\"fault\":{\"type\":\"slow_close\",\"delay\":9}"
#define A      "{\"id\":\"a\","
#define B      "},{\"id\":\"b\","

/* clang-format off */
static const struct {
	const char *what, *phases, *rules, *want;
} rows[] = {
	{ "a good rule", "", A ALWAYS "," FAIL, NULL },
	{ "p 0", "", A "\"when\":{\"p\":0}," FAIL, "rule a can never fire: its `when` never holds" },
	{ "an empty window", "", A "\"when\":{\"window\":{\"from\":3,\"to\":2}}," FAIL, "never holds" },
	{ "waits for itself", "", A "\"when\":{\"after\":{\"rule\":\"a\"}}," FAIL, "it waits for itself" },
	{ "two wait for each other", "", A "\"when\":{\"after\":{\"rule\":\"b\"}}," FAIL B "\"when\":{\"after\":{\"rule\":\"a\"}}," FAIL, "rule b can never fire: it waits for itself" },
	{ "waits for the dead", "", A "\"when\":{\"p\":0}," FAIL B "\"when\":{\"after\":{\"rule\":\"a\"}}," FAIL, "rule b can never fire: it waits for rule a" },
	{ "waits for the living", "", A "\"when\":{\"p\":0.5}," FAIL B "\"when\":{\"after\":{\"rule\":\"a\"}}," FAIL, NULL },
	{ "bytes only", "", A "\"proxy\":\"b\"," ALWAYS "," FAIL, "rule a can never fire: http_error acts on HTTP, and its proxy passes bytes" },
	{ "bytes for a fault of bytes", "", A "\"proxy\":\"b\"," ALWAYS "," SLOW, NULL },
	{ "bytes have no path", "", A "\"proxy\":\"b\",\"match\":{\"path\":\"*\"}," ALWAYS "," SLOW, "its `match` asks for HTTP, and its proxy passes bytes" },
	{ "HTTP does not take bytes", "", A ALWAYS "," FAIL B "\"proxy\":\"b\"," ALWAYS "," SLOW, NULL },
	{ "a phase never reached", "{\"name\":\"x\",\"until\":{\"requests\":9}},{\"name\":\"y\",\"until\":{\"ms\":5}},{\"name\":\"z\",\"until\":{\"requests\":4}},{\"name\":\"q\"}", A "\"phase\":\"z\"," ALWAYS "," FAIL, "its phase z is never reached" },
	{ "the phase is named too", "{\"name\":\"x\",\"until\":{\"requests\":9}},{\"name\":\"y\",\"until\":{\"ms\":5}},{\"name\":\"z\",\"until\":{\"requests\":4}},{\"name\":\"q\"}", A ALWAYS "," FAIL, "/phases/2: phase z is never reached: it is over when x is" },
	{ "by time it may be", "{\"name\":\"x\",\"until\":{\"requests\":9,\"ms\":5}},{\"name\":\"y\",\"until\":{\"ms\":7}},{\"name\":\"z\",\"until\":{\"requests\":4,\"ms\":9}}", A "\"phase\":\"z\"," ALWAYS "," FAIL, NULL },
	{ "later than its phase", "{\"name\":\"x\",\"until\":{\"requests\":3}},{\"name\":\"q\"}", A "\"phase\":\"x\",\"when\":{\"nth\":4}," FAIL, "its phase x is over after 3 requests" },
	{ "just in its phase", "{\"name\":\"x\",\"until\":{\"requests\":3}},{\"name\":\"q\"}", A "\"phase\":\"x\",\"when\":{\"nth\":3}," FAIL, NULL },
	{ "another attempt", "", A "\"match\":{\"attempt\":1},\"when\":{\"nth\":2}," FAIL, "it matches attempt 1" },
	{ "shadowed by all", "", A ALWAYS "," FAIL B "\"match\":{\"op\":\"rope\"}," ALWAYS "," FAIL, "rule b can never fire: rule a before it" },
	{ "shadowed by p 1", "", A "\"when\":{\"p\":1}," FAIL B "\"when\":{\"nth\":2}," FAIL, "rule a before it" },
	{ "shadowed by a wider window", "", A "\"when\":{\"window\":{\"from\":1,\"to\":5}}," FAIL B "\"when\":{\"nth\":5}," FAIL, "rule a before it" },
	{ "a narrower window", "", A "\"when\":{\"window\":{\"from\":1,\"to\":5}}," FAIL B "\"when\":{\"nth\":6}," FAIL, NULL },
	{ "shadowed by a glob", "", A "\"match\":{\"path\":\"/v1/*\"}," ALWAYS "," FAIL B "\"match\":{\"path\":\"/v1/x\",\"turn\":2}," ALWAYS "," FAIL, "rule a before it" },
	{ "glob beside glob", "", A "\"match\":{\"path\":\"/v1/*\"}," ALWAYS "," FAIL B "\"match\":{\"path\":\"/v?/x\"}," ALWAYS "," FAIL, NULL },
	{ "another header", "", A "\"match\":{\"header\":{\"x\":\"1\"}}," ALWAYS "," FAIL B "\"match\":{\"header\":{\"y\":\"1\"}}," ALWAYS "," FAIL, NULL },
	{ "narrower before broader", "", A "\"match\":{\"op\":\"rope\"}," ALWAYS "," FAIL B ALWAYS "," FAIL, NULL },
	{ "also lets it through", "", A "\"also\":true," ALWAYS "," FAIL B ALWAYS "," FAIL, NULL },
	{ "perhaps is not always", "", A "\"when\":{\"p\":0.9}," FAIL B ALWAYS "," FAIL, NULL },
	{ "another proxy", "", A "\"proxy\":\"p\"," ALWAYS "," FAIL B ALWAYS "," FAIL, NULL },
	{ "the request comes before the answer", "", A ALWAYS "," CUT B ALWAYS "," FAIL, NULL },
	{ "the answer after the request", "", A ALWAYS "," FAIL B ALWAYS "," CUT, "rule a before it" },
	{ "the answer may name another model", "", A "\"match\":{\"model\":\"m\"}," ALWAYS "," FAIL B "\"match\":{\"model\":\"m\"}," ALWAYS "," CUT, NULL },
};
/* clang-format on */

struct found {
	const char *want;
	size_t n, hits;
};

static void
on_warning(const char *text, void *arg)
{
	struct found *f = arg;

	f->n++;
	f->hits += f->want && strstr(text, f->want) ? 1 : 0;
}

static void
check_row(size_t i)
{
	char *text = xasprintf(
	    "{\"chaos\":1,\"name\":\"n\",\"seed\":\"1\",\"proxies\":{\"p\":"
	    "{\"listen\":\"127.0.0.1:0\",\"upstream\":\"127.0.0.1:1\"},\"b\":"
	    "{\"listen\":\"127.0.0.1:0\",\"upstream\":\"127.0.0.1:1\",\"mode\":"
	    "\"passthrough\"}},\"phases\":[%s],\"rules\":[%s}]}",
	    rows[i].phases, rows[i].rules);
	struct found f = { rows[i].want, 0, 0 };
	struct scenario *s = NULL;
	struct why why = { "" };
	json_t *doc = NULL;
	enum err e = jfield_parse("row", text, strlen(text), &doc, &why);

	if (e == ERR_OK)
		e = scenario_of(doc, ".", &s, &why);
	if (CHECK(e == ERR_OK, why.text)) {
		size_t n = scenario_warnings(s, on_warning, &f);

		CHECK_INT(n, f.n, rows[i].what);
		CHECK((f.n > 0) == (f.want != NULL), rows[i].what);
		CHECK((f.hits > 0) == (f.want != NULL), rows[i].what);
	}
	scenario_free(s);
	free(text);
}

void
t_rules_that_cannot_fire(void)
{
	for (size_t i = 0; i < COUNT(rows); i++)
		check_row(i);
}
