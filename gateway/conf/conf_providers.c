/*
 * Who answers, who is told, and who may ask: keys: [{key_env, subject, groups}]
 * and providers: [{name, base_url, api_key_env, auth, apis, headers,
 * forward_headers, models, insecure_http}].
 * ${NAME} is expanded from the environment in base_url and in headers; a key
 * comes from the environment only, so that no file holds one.
 */
#include "gateway/conf/conf_read.h"

#include "base/mask.h"
#include "base/mem.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define NAME_MAX_BYTES 128

struct provider_fields {
	const char *name, *base_url;
	const struct ynode *keys, *headers, *forward, *models, *passthrough;
	const struct ynode *auth, *apis, *health;
	bool insecure_http;
	int continues;
};

struct auth_fields {
	const char *header, *query;
};

#define OFF(m) offsetof(struct provider_fields, m)

/* clang-format off */
static const struct cfield rows[] = {
	{ "api_key_env",   CF_ANY,     false, 0, 0, OFF(keys),          NULL },
	{ "apis",          CF_STRINGS, false, 0, 0, OFF(apis),          NULL },
	{ "auth",          CF_MAP,     false, 0, 0, OFF(auth),          NULL },
	{ "base_url",      CF_STRING,  true,  0, 0, OFF(base_url),      NULL },
	{ "continues",     CF_ENUM,    false, 0, 0, OFF(continues),     continuation_way_names },
	{ "forward_headers", CF_STRINGS, false, 0, 0, OFF(forward),     NULL },
	{ "headers",       CF_STRMAP,  false, 0, 0, OFF(headers),       NULL },
	{ "health_check",  CF_MAP,     false, 0, 0, OFF(health),        NULL },
	{ "insecure_http", CF_BOOL,    false, 0, 0, OFF(insecure_http), NULL },
	{ "models",        CF_STRINGS, false, 0, 0, OFF(models),        NULL },
	{ "name",          CF_STRING,  true,  0, 0, OFF(name),          NULL },
	{ "passthrough",   CF_STRINGS, false, 0, 0, OFF(passthrough),   NULL },
};

static const struct cfield auth_rows[] = {
	{ "header", CF_STRING, false, 0, 0, offsetof(struct auth_fields, header), NULL },
	{ "query",  CF_STRING, false, 0, 0, offsetof(struct auth_fields, query),  NULL },
};
/* clang-format on */

/* Appends the value of ${NAME} at *p and moves *p behind it. */
static void
expand_one(struct conf_reader *r, const struct ynode *at, const char **p,
    const char *unset, struct buf *out)
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
		value = unset;
	}
	if (!value)
		findings_error(r->f, at, "${%s} is not set in the environment",
		    text);
	else if (buf_adds(out, value) != ERR_OK)
		findings_error(r->f, at, "${%s} is too long", text);
}

/* unset: what stands for a variable that is not set here, while checking. */
static void
expand(struct conf_reader *r, const struct ynode *at, const char *unset,
    struct buf *out)
{
	const char *text = at->text;

	while (*text && r->f->errors == 0) {
		if (text[0] == '$' && text[1] == '{')
			expand_one(r, at, &text, out->len ? "unset" : unset,
			    out);
		else if (buf_addc(out, *text++) != ERR_OK)
			findings_error(r->f, at, "too long");
	}
}

/* A base URL with its ${NAME}s.  False: it is none, and that is said. */
static bool
read_url(struct conf_reader *r, const struct ynode *at, bool is_insecure_ok,
    struct url *ret)
{
	struct buf text;
	struct why why;

	buf_init(&text, 1024);
	expand(r, at, "http://127.0.0.1:1", &text);
	if (r->f->errors > 0)
		goto out;
	if (url_parse(text.len ? text.data : "", ret, &why) != ERR_OK)
		findings_error(r->f, at, "%s", why.text);
	else if (!ret->tls && !is_insecure_ok && !addr_is_loopback(&ret->addr))
		findings_error(r->f, at,
		    "http:// beyond this machine needs insecure_http: true");
out:
	buf_done(&text);
	return r->f->errors == 0;
}

/* What fetch decides, and what a list of headers cannot. */
static bool
is_ours(const char *name)
{
	static const char *const ours[] = { "connection", "content-length",
		"expect", "host", "transfer-encoding" };

	for (size_t i = 0; i < COUNT(ours); i++)
		if (strcasecmp(name, ours[i]) == 0)
			return true;
	return false;
}

static bool
is_value(const char *s)
{
	for (; *s; s++)
		if (((unsigned char)*s < ' ' && *s != '\t') || *s == 0x7f)
			return false;
	return true;
}

static bool
is_token(const char *s)
{
	static const char token[] =
	    "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyz"
	    "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

	return *s && !s[strspn(s, token)];
}

static void
check_header(struct conf_reader *r, const struct ynode *n)
{
	if (is_ours(n->key))
		findings_error(r->f, n, "is not for a configuration to set");
	else if (!is_token(n->key) || !is_value(n->text))
		findings_error(r->f, n,
		    "expected a header's name and a value without control "
		    "bytes");
}

const struct ynode *
conf_expand_headers(struct conf_reader *r, const struct ynode *map)
{
	struct ynode *nodes, *head;
	struct buf text;
	size_t i = 1;

	if (!map)
		return NULL;
	/* A map of its own, with the variables' values in it. */
	nodes = xcalloc(map->n + 1u, sizeof *nodes);
	conf_own(r->conf, (char *)nodes);
	head = &nodes[0];
	*head = *map;
	head->first = map->n ? &nodes[1] : NULL;
	for (const struct ynode *n = map->first; n; n = n->next, i++) {
		buf_init(&text, 65536);
		expand(r, n, "unset", &text);
		nodes[i] = *n;
		nodes[i].text =
		    conf_own(r->conf, text.len ? buf_take(&text) : xstrdup(""));
		nodes[i].next = n->next ? &nodes[i + 1] : NULL;
		buf_done(&text);
		check_header(r, &nodes[i]);
	}
	return head;
}

/* The key by the name of a variable, NULL for none. */
static const char *
read_key_env(struct conf_reader *r, const struct ynode *at, const char *name)
{
	const char *key = name ? getenv(name) : NULL;

	if (!name)
		return NULL;
	if (!key || !*key) {
		findings_warn(r->f, at, "%s is not set: no key is sent", name);
		return NULL;
	}
	/* Said now and by name: later it would only be a request that
	 * cannot be written. */
	for (const char *p = key; *p; p++)
		if (*p <= ' ' || *p > '~') {
			findings_error(r->f, at,
			    "%s holds a byte that no key has (a space or an "
			    "end of line?)",
			    name);
			return NULL;
		}
	return conf_own(r->conf, xstrdup(key));
}

static const char *
bearer(struct conf_reader *r, const char *key)
{
	return key ? conf_own(r->conf, xasprintf("Bearer %s", key)) : NULL;
}

/* auth: {header: NAME} or {query: NAME}: where the key goes. */
static void
set_auth(struct conf_reader *r, struct conf_provider *p,
    const struct ynode *node)
{
	struct auth_fields in = { NULL, NULL };

	if (!node)
		return;
	cfield_read(node, auth_rows, COUNT(auth_rows), &in, r->f);
	if (!in.header == !in.query)
		findings_error(r->f, node, "expected one of header and query");
	else if (in.header && (!is_token(in.header) || is_ours(in.header)))
		findings_error(r->f, node, "expected a header's name");
	else if (in.query && !is_token(in.query))
		findings_error(r->f, node, "expected a parameter's name");
	p->key_header = in.header;
	p->key_query = in.query;
}

/* The key in a query, where %XX stands for what a query cannot hold. */
static char *
query_of(const struct conf_provider *p, const char *key)
{
	struct buf b;
	char *text;

	buf_init(&b, 65536);
	buf_addf(&b, "?%s=", p->key_query);
	for (const char *s = key; *s; s++)
		buf_addf(&b,
		    isalnum((unsigned char)*s) || strchr("-._~", *s) ? "%c"
		                                                     : "%%%02X",
		    (unsigned char)*s);
	text = buf_take(&b);
	buf_done(&b);
	return text;
}

static void
add_secret(struct conf_reader *r, struct conf_provider *p,
    const struct ynode *at, const char *name)
{
	const char *key = read_key_env(r, at, name);

	if (!key)
		return;
	if (p->nsecrets == CONF_SECRETS_MAX) {
		findings_error(r->f, at, "more than %d keys", CONF_SECRETS_MAX);
		return;
	}
	/* In this process's log and in what it quotes of others. */
	(void)mask_add(key);
	p->secrets[p->nsecrets++] = (struct conf_secret){ key, bearer(r, key),
		p->key_query ? conf_own(r->conf, query_of(p, key)) : "" };
}

static bool
is_variable(const struct ynode *n)
{
	return cfield_is_string(n) && n->text[0];
}

/* api_key_env: NAME, or [NAME, NAME] */
static void
read_secrets(struct conf_reader *r, struct conf_provider *p,
    const struct ynode *at)
{
	if (!at)
		return;
	if (is_variable(at))
		add_secret(r, p, at, at->text);
	else if (at->kind != YNODE_SEQ)
		findings_error(r->f, at,
		    "expected the name of a variable, or a list of names");
	else
		for (const struct ynode *n = at->first; n; n = n->next)
			if (is_variable(n))
				add_secret(r, p, n, n->text);
			else
				findings_error(r->f, n,
				    "expected the name of a variable");
}

/* What HTTP itself decides a list cannot. */
static void
set_forward(struct conf_reader *r, struct conf_provider *p,
    const struct ynode *list)
{
	static const char *const never[] = { "*", "authorization", "connection",
		"content-length", "content-type", "cookie", "host",
		"proxy-authorization", "te", "trailer", "transfer-encoding",
		"upgrade" };

	for (const struct ynode *n = list ? list->first : NULL; n; n = n->next)
		for (size_t i = 0; i < COUNT(never); i++)
			if (strcasecmp(n->text, never[i]) == 0)
				findings_error(r->f, n, "%s is never passed on",
				    n->text);
	p->forward = list;
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

#define SPEAKS(kind) (1u << SCHEMA_##kind)

/* Hosts that are known: what they speak, and how they go on from a given
 * text.  DeepSeek's does so on its beta path. */
static const struct known_host {
	const char *host;
	enum continuation_way way;
	const char *path;
	unsigned speaks;
} known_hosts[] = {
	{ "api.anthropic.com", CONTINUATION_PREFILL, NULL,
	    SPEAKS(CHAT) | SPEAKS(MESSAGES) },
	{ "api.deepseek.com", CONTINUATION_DEEPSEEK, "/beta",
	    SPEAKS(CHAT) | SPEAKS(MESSAGES) },
	{ "api.openai.com", CONTINUATION_NOT, NULL,
	    SPEAKS(CHAT) | SPEAKS(RESPONSES) | SPEAKS(EMBEDDINGS) },
};

/* apis: [chat, messages]; all of them, where nobody says. */
static unsigned
read_apis(struct conf_reader *r, const struct ynode *list)
{
	unsigned speaks = 0;

	for (const struct ynode *n = list->first; n; n = n->next) {
		unsigned kind = 0;

		while (kind < SCHEMA_NKINDS &&
		    strcmp(n->text, schema_names[kind]) != 0)
			kind++;
		if (kind == SCHEMA_NKINDS)
			findings_error(r->f, n,
			    "found %s, expected chat, messages, responses or "
			    "embeddings",
			    n->text);
		speaks |= 1u << kind;
	}
	return speaks;
}

static void
set_places(struct conf_reader *r, struct conf_provider *p,
    const struct provider_fields *in)
{
	const struct known_host *known = NULL;
	const char *path = p->url.path;
	unsigned speaks = ~0u;

	for (size_t i = 0; i < COUNT(known_hosts); i++)
		if (strcmp(p->url.addr.host, known_hosts[i].host) == 0)
			known = &known_hosts[i];
	if (known) {
		p->continues = known->way;
		speaks = known->speaks;
	}
	if (in->apis)
		speaks = read_apis(r, in->apis);
	for (unsigned i = 0; i < SCHEMA_NKINDS; i++)
		if (speaks & 1u << i)
			p->targets[i] = conf_own(r->conf,
			    xasprintf("%s%s", path,
			        schema_of((enum schema_kind)i)->path));
	if (in->continues >= 0)
		p->continues = (enum continuation_way)in->continues;
	p->continue_target = conf_own(r->conf,
	    xasprintf("%s/chat/completions",
	        known && known->path ? known->path : path));
}

const struct schema *
conf_asked_in(const struct conf_provider *p, const struct schema *client)
{
	if (p->targets[client->kind])
		return client;
	return client->other && p->targets[client->other->kind] ? client->other
	                                                        : NULL;
}

const char *
conf_key_header(const struct conf_provider *p, const struct schema *schema,
    size_t key, const char **ret_value)
{
	const char *name = p->key_header ? p->key_header : schema->key_header;

	if (p->nsecrets == 0 || p->key_query)
		return NULL;
	*ret_value = strcasecmp(name, "authorization") == 0
	    ? p->secrets[key].authorization
	    : p->secrets[key].key;
	return name;
}

const char *
conf_key_query(const struct conf_provider *p, size_t key)
{
	return p->nsecrets > 0 ? p->secrets[key].query : "";
}

static void
read_provider(struct conf_reader *r, const struct ynode *node)
{
	struct conf *c = r->conf;
	struct provider_fields in = { .continues = -1 };
	struct conf_provider *p;

	cfield_read(node, rows, COUNT(rows), &in, r->f);
	if (!in.name || !in.base_url)
		return;
	if (conf_provider(c, in.name, strlen(in.name)))
		findings_error(r->f, node, "the name %s stands twice", in.name);
	if (strpbrk(in.name, " /"))
		findings_error(r->f, ynode_get(node, "name"),
		    "a name may not hold spaces or slashes");
	p = &c->providers[c->nproviders++];
	memset(p, 0, sizeof *p);
	p->name = in.name;
	p->headers = conf_expand_headers(r, in.headers);
	p->models = in.models;
	set_forward(r, p, in.forward);
	set_passthrough(r, p, in.passthrough);
	set_auth(r, p, in.auth);
	read_secrets(r, p, in.keys);
	conf_hide_prepare(r->conf, p);
	conf_hide_headers(r->conf, p, in.headers, p->headers);
	if (read_url(r, ynode_get(node, "base_url"), in.insecure_http, &p->url))
		set_places(r, p, &in);
	conf_read_health(r, in.health, p);
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

/* ---- where spans go */

struct otlp_fields {
	const char *endpoint, *key_env, *service;
	const struct ynode *headers;
	bool insecure_http;
};

#define OTLP(m) offsetof(struct otlp_fields, m)

/* clang-format off */
static const struct cfield otlp_rows[] = {
	{ "api_key_env",   CF_STRING, false, 0, 0, OTLP(key_env),       NULL },
	{ "endpoint",      CF_STRING, true,  0, 0, OTLP(endpoint),      NULL },
	{ "headers",       CF_STRMAP, false, 0, 0, OTLP(headers),       NULL },
	{ "insecure_http", CF_BOOL,   false, 0, 0, OTLP(insecure_http), NULL },
	{ "service_name",  CF_STRING, false, 0, 0, OTLP(service),       NULL },
};
/* clang-format on */

void
conf_read_otlp(struct conf_reader *r, const struct ynode *map)
{
	struct otlp_fields in = { .service = "kf-gateway" };
	struct conf_otlp *o = &r->conf->otlp;

	cfield_read(map, otlp_rows, COUNT(otlp_rows), &in, r->f);
	if (!in.endpoint ||
	    !read_url(r, ynode_get(map, "endpoint"), in.insecure_http, &o->url))
		return;
	o->is_on = true;
	o->target = o->url.path[0] ? o->url.path : "/v1/traces";
	o->authorization = bearer(r,
	    read_key_env(r, ynode_get(map, "api_key_env"), in.key_env));
	o->service = in.service;
	o->headers = conf_expand_headers(r, in.headers);
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
warn_of_twin(struct conf_reader *r, const struct ynode *node,
    const struct conf_key *key)
{
	for (const struct conf_key *k = r->conf->keys; k < key; k++)
		if (memcmp(k->digest, key->digest, sizeof k->digest) == 0)
			findings_warn(r->f, node,
			    "the key of %s is that of %s, too: who shows it is "
			    "the same caller",
			    key->subject, k->subject);
}

static void
read_key(struct conf_reader *r, const struct ynode *node)
{
	struct key_fields in = { NULL, NULL, NULL };
	struct conf_key *key = &r->conf->keys[r->conf->nkeys];
	const char *text;

	cfield_read(node, key_rows, COUNT(key_rows), &in, r->f);
	if (!in.key_env || !in.subject)
		return;
	text = getenv(in.key_env);
	if (text && *text) {
		digest_sha256(text, strlen(text), key->digest);
		key->subject = in.subject;
		key->groups = in.groups;
		key->grant = NULL;
		warn_of_twin(r, node, key);
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
