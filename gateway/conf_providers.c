/*
 * Who answers and who may ask: keys: [{key_env, subject, groups}] and
 * providers: [{name, base_url, api_key_env, headers, models, insecure_http}].
 * ${NAME} is expanded from the environment in base_url only; a key comes
 * from the environment only, so that no file holds one.
 */
#include "gateway/conf_read.h"

#include "base/mem.h"
#include <stdlib.h>
#include <string.h>

#define NAME_MAX_BYTES 128

struct provider_fields {
	const char *name, *base_url, *key_env;
	const struct ynode *headers, *models, *passthrough;
	bool insecure_http;
};

#define OFF(m) offsetof(struct provider_fields, m)

/* clang-format off */
static const struct cfield rows[] = {
	{ "api_key_env",   CF_STRING,  false, 0, 0, OFF(key_env),       NULL },
	{ "base_url",      CF_STRING,  true,  0, 0, OFF(base_url),      NULL },
	{ "headers",       CF_STRMAP,  false, 0, 0, OFF(headers),       NULL },
	{ "insecure_http", CF_BOOL,    false, 0, 0, OFF(insecure_http), NULL },
	{ "models",        CF_STRINGS, false, 0, 0, OFF(models),        NULL },
	{ "name",          CF_STRING,  true,  0, 0, OFF(name),          NULL },
	{ "passthrough",   CF_STRINGS, false, 0, 0, OFF(passthrough),   NULL },
};
/* clang-format on */

/* Appends the value of ${NAME} at *p and moves *p behind it. */
static void
expand_one(struct conf_reader *r, const struct ynode *at, const char **p,
    struct buf *out)
{
	const char *name = *p + 2, *end = strchr(name, '}'), *value;
	char text[NAME_MAX_BYTES];

	if (!end || end == name || (size_t)(end - name) >= sizeof text) {
		findings_error(r->f, at, "expected ${NAME}");
		*p += strlen(*p);
		return;
	}
	memcpy(text, name, (size_t)(end - name));
	text[end - name] = '\0';
	*p = end + 1;
	value = getenv(text);
	if (!value && r->f->is_offline) {
		findings_warn(r->f, at, "${%s} is not set here", text);
		value = out->len ? "unset" : "http://127.0.0.1:1";
	}
	if (!value)
		findings_error(r->f, at, "${%s} is not set in the environment",
		    text);
	else if (buf_adds(out, value) != ERR_OK)
		findings_error(r->f, at, "${%s} is too long", text);
}

static void
expand_url(struct conf_reader *r, const struct ynode *at, const char *text,
    struct buf *out)
{
	while (*text && r->f->errors == 0) {
		if (text[0] == '$' && text[1] == '{')
			expand_one(r, at, &text, out);
		else if (buf_addc(out, *text++) != ERR_OK)
			findings_error(r->f, at, "too long");
	}
}

static void
set_url(struct conf_reader *r, struct conf_provider *p,
    const struct ynode *node, const struct provider_fields *in)
{
	const struct ynode *at = ynode_get(node, "base_url");
	struct buf text;
	struct why why;

	buf_init(&text, 1024);
	expand_url(r, at, in->base_url, &text);
	if (r->f->errors > 0)
		goto out;
	if (url_parse(text.len ? text.data : "", &p->url, &why) != ERR_OK)
		findings_error(r->f, at, "%s", why.text);
	else if (!p->url.tls && !in->insecure_http &&
	    !addr_is_loopback(&p->url.addr))
		findings_error(r->f, at,
		    "http:// beyond this machine needs insecure_http: true");
	else
		p->chat_target = conf_own(r->conf,
		    xasprintf("%s/chat/completions", p->url.path));
out:
	buf_done(&text);
}

static void
set_key(struct conf_reader *r, struct conf_provider *p,
    const struct ynode *node)
{
	const char *key;

	if (!p->key_env)
		return;
	key = getenv(p->key_env);
	if (!key || !*key) {
		findings_warn(r->f, ynode_get(node, "api_key_env"),
		    "%s is not set: no key is sent", p->key_env);
		return;
	}
	p->authorization = conf_own(r->conf, xasprintf("Bearer %s", key));
}

static void
set_passthrough(struct conf_reader *r, struct conf_provider *p,
    const struct ynode *list)
{
	for (const struct ynode *n = list ? list->first : NULL; n; n = n->next)
		if (n->text[0] != '/' && strcmp(n->text, "*") != 0)
			findings_error(r->f, n,
			    "found %s, expected a path such as /embeddings or "
			    "/files*",
			    n->text);
	p->passthrough = list;
}

static void
read_provider(struct conf_reader *r, const struct ynode *node)
{
	struct conf *c = r->conf;
	struct provider_fields in = { 0 };
	struct conf_provider *p;

	cfield_read(node, rows, sizeof rows / sizeof rows[0], &in, r->f);
	if (!in.name || !in.base_url)
		return;
	if (conf_provider(c, in.name, strlen(in.name)))
		findings_error(r->f, node, "the name %s stands twice", in.name);
	if (strchr(in.name, ' '))
		findings_error(r->f, ynode_get(node, "name"),
		    "a name may not hold spaces");
	p = &c->providers[c->nproviders++];
	memset(p, 0, sizeof *p);
	p->name = in.name;
	p->key_env = in.key_env;
	p->headers = in.headers;
	p->models = in.models;
	set_passthrough(r, p, in.passthrough);
	set_url(r, p, node, &in);
	set_key(r, p, node);
}

void
conf_read_providers(struct conf_reader *r, const struct ynode *list)
{
	struct conf *c = r->conf;

	if (list->n > CONF_PROVIDERS_MAX - c->nproviders) {
		findings_error(r->f, list, "more than %d providers",
		    CONF_PROVIDERS_MAX);
		return;
	}
	c->providers = xreallocarray(c->providers, c->nproviders + list->n,
	    sizeof *c->providers);
	for (const struct ynode *n = list->first; n; n = n->next)
		read_provider(r, n);
}

/* ---- keys of callers */

struct key_fields {
	const char *key_env, *subject;
	const struct ynode *groups;
};

/* clang-format off */
static const struct cfield key_rows[] = {
	{ "groups",  CF_STRINGS, false, 0, 0, offsetof(struct key_fields, groups), NULL },
	{ "key_env", CF_STRING, true, 0, 0, offsetof(struct key_fields, key_env), NULL },
	{ "subject", CF_STRING, true, 0, 0, offsetof(struct key_fields, subject), NULL },
};
/* clang-format on */

static void
read_key(struct conf_reader *r, const struct ynode *node)
{
	struct key_fields in = { NULL, NULL, NULL };
	struct conf_key *key = &r->conf->keys[r->conf->nkeys];
	const char *text;

	cfield_read(node, key_rows, sizeof key_rows / sizeof key_rows[0], &in,
	    r->f);
	if (!in.key_env || !in.subject)
		return;
	text = getenv(in.key_env);
	if (text && *text) {
		digest_sha256(text, strlen(text), key->digest);
		key->subject = in.subject;
		key->groups = in.groups;
		r->conf->nkeys++;
	} else if (r->f->is_offline) {
		findings_warn(r->f, node, "%s is not set here", in.key_env);
	} else {
		/* Going on without it would open the door to everybody. */
		findings_error(r->f, node, "%s is not set", in.key_env);
	}
}

void
conf_read_keys(struct conf_reader *r, const struct ynode *list)
{
	struct conf *c = r->conf;

	if (list->n > CONF_RULES_MAX - c->nkeys) {
		findings_error(r->f, list, "more than %d keys", CONF_RULES_MAX);
		return;
	}
	c->keys =
	    xreallocarray(c->keys, c->nkeys + list->n + 1, sizeof *c->keys);
	for (const struct ynode *n = list->first; n; n = n->next)
		read_key(r, n);
}
