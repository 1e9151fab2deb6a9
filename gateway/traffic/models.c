/* A model may be a target of several rules; it is listed once. */
#include "gateway/traffic/models.h"

#include "gateway/exchange/answer_stamp.h"
#include "gateway/exchange/gateway.h"
#include "gateway/store/client_keyring.h"
#include "gateway/text/jput.h"
#include "gateway/traffic/front.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MODELS_MAX (1U << 20)
#define ID_MAX     512

struct listing {
	struct buf text;                   /* objects behind a bracket */
	const char *only;                  /* NULL: all */
	const struct keyring_grant *grant; /* lists what it allows */
};

static void
put_model(struct listing *l, const char *id, const char *owner)
{
	struct buf *b = &l->text;
	char quoted[ID_MAX];

	if ((l->only && strcmp(l->only, id) != 0) ||
	    !keyring_allows(l->grant, id))
		return;
	snprintf(quoted, sizeof quoted, "\"id\":\"%s\"", id);
	if (strstr(b->data, quoted))
		return;
	buf_addf(b, "%s{", b->data[b->len - 1] == '[' ? "" : ",");
	jput_member(b, "id", id);
	jput_member(b, "object", "model");
	jput_uint(b, "created", 0);
	jput_member(b, "owned_by", owner);
	jput_member(b, "type", "model");
	jput_member(b, "display_name", id);
	jput_member(b, "created_at", "1970-01-01T00:00:00Z");
	buf_addc(b, '}');
}

static void
put_models(const struct conf *c, struct listing *l)
{
	char name[ID_MAX];

	for (size_t i = 0; i < c->nrules; i++) {
		const struct conf_rule *rule = &c->rules[i];

		for (const struct ynode *n = rule->models ? rule->models->first
		                                          : NULL;
		     n; n = n->next)
			if (strcmp(n->text, "*") != 0)
				put_model(l, n->text, "gateway");
		if (rule->virtual_model)
			put_model(l, rule->virtual_model, "gateway");
		for (size_t k = 0; k < rule->ntargets; k++)
			put_model(l, rule->targets[k].name,
			    rule->targets[k].provider->name);
	}
	for (size_t i = 0; i < c->nproviders; i++) {
		const struct conf_provider *p = &c->providers[i];

		for (const struct ynode *n = p->models ? p->models->first
		                                       : NULL;
		     n; n = n->next) {
			snprintf(name, sizeof name, "%s/%s", p->name, n->text);
			put_model(l, name, p->name);
		}
	}
}

/* False: it is longer than any name. */
static bool
unescape(struct slice id, char out[ID_MAX])
{
	char digits[3] = "";
	size_t n = 0;

	for (size_t i = 0; i < id.n && n < ID_MAX - 1; i++) {
		out[n++] = id.p[i];
		if (id.p[i] != '%' || i + 2 >= id.n ||
		    !isxdigit((unsigned char)id.p[i + 1]) ||
		    !isxdigit((unsigned char)id.p[i + 2]))
			continue;
		memcpy(digits, id.p + i + 1, 2);
		out[n - 1] = (char)strtol(digits, NULL, 16);
		i += 2;
	}
	out[n] = '\0';
	return id.n < ID_MAX;
}

void
models_answer(struct gateway *g, struct serve_call *sc,
    const struct conf_key *caller, struct slice id)
{
	static const struct answer_stamp_error unknown = { .status = 404,
		.code = "model_not_found",
		.message = "no such model here; GET /v1/models lists them" };
	char only[ID_MAX];
	struct listing l = { .only = id.n > 0 ? only : NULL,
		.grant = caller->grant };
	struct buf out;

	buf_init(&l.text, MODELS_MAX);
	buf_init(&out, MODELS_MAX + ID_MAX);
	buf_addc(&l.text, '[');
	if (unescape(id, only))
		put_models(g->conf, &l);
	if (l.only && l.text.len == 1) {
		front_refuse(g, sc, &unknown, NULL);
		goto done;
	}
	if (l.only)
		buf_adds(&out, l.text.data + 1);
	else
		buf_addf(&out,
		    "{\"object\":\"list\",\"data\":%s],\"has_more\":false}",
		    l.text.data);
	g->stats.by_class[2]++;
	answer_stamp_text(sc, 200, "application/json", &out);
done:
	buf_done(&l.text);
	buf_done(&out);
}
