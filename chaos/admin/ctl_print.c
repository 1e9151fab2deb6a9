/*
 * Shapes are told apart by their keys: a proxy listens, a toxic has a stream.
 */
#include "chaos/admin/ctl_print.h"
#include "base/columns.h"
#include "base/jlenient.h"

#include <jansson.h>
#include <stdlib.h>

#define TABLE_WIDTH 95

static const char *
state_of(json_t *proxy)
{
	return json_is_true(json_object_get(proxy, "enabled")) ? "enabled"
	                                                       : "disabled";
}

static void
print_toxic(json_t *t, FILE *out)
{
	const char *key;
	json_t *v;

	fprintf(out, "%s: type=%s stream=%s toxicity=%.2f",
	    jlenient_text(t, "name"), jlenient_text(t, "type"),
	    jlenient_text(t, "stream"),
	    json_number_value(json_object_get(t, "toxicity")));
	json_object_foreach(json_object_get(t, "attributes"), key, v) {
		char *text = json_dumps(v, JSON_COMPACT | JSON_ENCODE_ANY);

		fprintf(out, " %s=%s", key, text ? text : "");
		free(text);
	}
	fputc('\n', out);
}

static void
print_proxy(json_t *p, FILE *out)
{
	size_t i;
	json_t *t;

	fprintf(out, "%s: listen=%s upstream=%s %s\n", jlenient_text(p, "name"),
	    jlenient_text(p, "listen"), jlenient_text(p, "upstream"),
	    state_of(p));
	json_array_foreach(json_object_get(p, "toxics"), i, t) {
		fputs("  ", out);
		print_toxic(t, out);
	}
}

/* Where a table does not fit. */
static void
print_lines(json_t *proxies, FILE *out)
{
	const char *name;
	json_t *p;

	json_object_foreach(proxies, name, p)
		columns_say(out, "%s: %s to %s, %s, toxics: %zu", name,
		    jlenient_text(p, "listen"), jlenient_text(p, "upstream"),
		    state_of(p), json_array_size(json_object_get(p, "toxics")));
}

static void
print_table(json_t *proxies, FILE *out)
{
	static const char row[] = "%-20s %-24s %-32s %-9s %s\n";
	int said = columns_said(out);
	const char *name;
	json_t *p;

	if (said > 0 && said < TABLE_WIDTH) {
		print_lines(proxies, out);
		return;
	}
	fprintf(out, row, "NAME", "LISTEN", "UPSTREAM", "STATE", "TOXICS");
	json_object_foreach(proxies, name, p) {
		char n[24];

		snprintf(n, sizeof n, "%zu",
		    json_array_size(json_object_get(p, "toxics")));
		fprintf(out, row, name, jlenient_text(p, "listen"),
		    jlenient_text(p, "upstream"), state_of(p), n);
	}
}

static bool
is_table(json_t *v)
{
	const char *name;
	json_t *p;

	json_object_foreach(v, name, p)
		if (!json_object_get(p, "listen"))
			return false;
	return json_is_object(v);
}

/* As it came, on a line of its own. */
static void
print_text(struct slice text, FILE *out)
{
	if (!text.p || text.n == 0)
		return;
	fwrite(text.p, 1, text.n, out);
	if (text.p[text.n - 1] != '\n')
		fputc('\n', out);
}

void
ctl_print(struct slice answer, FILE *out)
{
	json_t *v = json_loadb(answer.p ? answer.p : "", answer.n, 0, NULL);
	json_t *made = json_object_get(v, "proxies"), *p;
	size_t i;

	if (json_object_get(v, "stream"))
		print_toxic(v, out);
	else if (json_object_get(v, "upstream"))
		print_proxy(v, out);
	else if (json_is_array(made) && !json_object_get(v, "error"))
		json_array_foreach(made, i, p)
			print_proxy(p, out);
	else if (v && is_table(v))
		print_table(v, out);
	else
		print_text(answer, out);
	json_decref(v);
}
