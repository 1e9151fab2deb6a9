/* Sorted by digest: a search tells nothing but the digest of what was sent. */
#include "gateway/store/client_keyring.h"

#include "base/mem.h"
#include "gateway/store/client_keys.h"
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_MAX (64U << 20)

struct keyring {
	unsigned refs;
	int64_t version;
	json_t *rows; /* owns the texts */
	struct keyring_grant *grants;
	size_t n;
};

static int
by_digest(const void *a, const void *b)
{
	const struct keyring_grant *x = a, *y = b;

	return memcmp(x->who.digest, y->who.digest, DIGEST_BYTES);
}

static void
read_digest(const char *hex, uint8_t out[DIGEST_BYTES])
{
	char pair[3] = "";

	for (size_t i = 0; i < DIGEST_BYTES; i++) {
		memcpy(pair, hex + 2 * i, 2);
		out[i] = (uint8_t)strtoul(pair, NULL, 16);
	}
}

static int64_t
int_of(json_t *row, const char *name)
{
	return json_integer_value(json_object_get(row, name));
}

static void
read_grant(json_t *row, struct keyring_grant *g)
{
	const char *hex = json_string_value(json_object_get(row, "digest"));
	json_t *models = json_object_get(row, "models"), *model;
	size_t i;

	g->who.subject = json_string_value(json_object_get(row, "subject"));
	read_digest(hex, g->who.digest);
	g->id = int_of(row, "id");
	g->name = json_string_value(json_object_get(row, "name"));
	g->rate = int_of(row, "rate");
	g->budget_nano = int_of(row, "budget");
	g->per_s = int_of(row, "per");
	g->expires_ms = int_of(row, "expires");
	g->is_revoked = int_of(row, "revoked") != 0;
	if (!json_is_array(models))
		return;
	g->models = xcalloc(json_array_size(models), sizeof *g->models);
	json_array_foreach(models, i, model)
		if (json_string_length(model) > 0)
			g->models[g->nmodels++] = json_string_value(model);
}

/* The version first: what changes in between is read again. */
static enum err
read_rows(struct store *s, int64_t *version, json_t **ret)
{
	struct buf b;
	enum err e;

	buf_init(&b, TEXT_MAX);
	buf_addc(&b, '[');
	e = store_int(s, version, "SELECT keys_version FROM meta", "");
	if (e == ERR_OK)
		e = store_rows(s, &b,
		    "SELECT id, name, hex(digest) AS digest, subject, models "
		    "AS models_json, rate, budget, per, expires, revoked "
		    "FROM keys WHERE length(digest) = 32",
		    "");
	buf_addc(&b, ']');
	if (e == ERR_OK && !(*ret = json_loadb(b.data, b.len, 0, NULL)))
		e = ERR_ENV;
	buf_done(&b);
	return e;
}

enum err
keyring_read(struct store *s, struct keyring **ret)
{
	struct keyring *k;
	json_t *rows = NULL, *row;
	int64_t version;
	enum err e = read_rows(s, &version, &rows);
	size_t i;

	if (e != ERR_OK)
		return e;
	k = xcalloc(1, sizeof *k);
	k->refs = 1;
	k->version = version;
	k->rows = rows;
	k->grants = xcalloc(json_array_size(rows) + 1, sizeof *k->grants);
	json_array_foreach(rows, i, row)
		read_grant(row, &k->grants[k->n++]);
	qsort(k->grants, k->n, sizeof *k->grants, by_digest);
	/* Only now: sorting has moved them. */
	for (i = 0; i < k->n; i++)
		k->grants[i].who.grant = &k->grants[i];
	*ret = k;
	return ERR_OK;
}

struct keyring *
keyring_ref(struct keyring *k)
{
	if (k)
		k->refs++;
	return k;
}

void
keyring_unref(struct keyring *k)
{
	if (!k || --k->refs > 0)
		return;
	for (size_t i = 0; i < k->n; i++)
		free(k->grants[i].models);
	free(k->grants);
	json_decref(k->rows);
	free(k);
}

size_t
keyring_size(const struct keyring *k)
{
	return k ? k->n : 0;
}

int64_t
keyring_version(const struct keyring *k)
{
	return k ? k->version : -1;
}

const struct keyring_grant *
keyring_find(const struct keyring *k, const uint8_t digest[DIGEST_BYTES])
{
	struct keyring_grant like = { .id = 0 };

	if (keyring_size(k) == 0)
		return NULL;
	memcpy(like.who.digest, digest, DIGEST_BYTES);
	return bsearch(&like, k->grants, k->n, sizeof *k->grants, by_digest);
}

const char *
keyring_fault(const struct keyring_grant *g, uint64_t now_ms)
{
	if (g->is_revoked)
		return "this key was revoked";
	if (g->expires_ms && (int64_t)now_ms >= g->expires_ms)
		return "this key has expired";
	return NULL;
}

bool
keyring_allows(const struct keyring_grant *g, const char *model)
{
	size_t n;

	if (!g || !g->models)
		return true;
	for (size_t i = 0; i < g->nmodels; i++) {
		n = strlen(g->models[i]);
		if (g->models[i][n - 1] == '*'
		        ? strncmp(model, g->models[i], n - 1) == 0
		        : strcmp(model, g->models[i]) == 0)
			return true;
	}
	return false;
}
