/* Chains by hash; a chain is as long as keys are many, ten thousand at most. */
#include "gateway/store/budget_lease.h"

#include "base/mem.h"
#include <stdlib.h>

#define HEADS 1024
#define PARTS 64 /* of what is left */

struct lease {
	struct lease *next;
	struct book_counter counter; /* amount: what is left */
	uint64_t used_ms;
	bool is_asked; /* a share is on its way */
};

struct lease_table {
	struct lease *heads[HEADS];
};

/* ---- in the store */

static enum err
room_of(struct store *s, const struct lease_want *w, int64_t *ret)
{
	const struct book_counter *c = &w->counter;
	int64_t used, leased;
	enum err e = store_int(s, &used,
	    "SELECT used FROM counters WHERE kind = ?1 AND id = ?2 AND "
	    "span >= ?3",
	    "iii", (int64_t)c->kind, c->id, c->span);

	if (e == ERR_NOTFOUND)
		used = 0;
	else if (e != ERR_OK)
		return e;
	e = store_int(s, &leased,
	    "SELECT coalesce(sum(amount), 0) FROM leases WHERE kind = ?1 AND "
	    "id = ?2 AND span >= ?3",
	    "iii", (int64_t)c->kind, c->id, c->span);
	*ret = c->limit - used - (leased - w->taken);
	return e;
}

static enum err
hold(struct store *s, const char *journal, const struct lease_want *w)
{
	const struct book_counter *c = &w->counter;

	return store_do(s,
	    "INSERT INTO leases VALUES(?1, ?2, ?3, ?4, ?5) "
	    "ON CONFLICT(kind, id, journal) DO UPDATE SET "
	    "amount = CASE WHEN excluded.span > span THEN 0 ELSE amount END + "
	    "excluded.amount, span = max(span, excluded.span)",
	    "iitii", (int64_t)c->kind, c->id, journal, c->span, w->grant);
}

enum err
lease_grant(struct store *s, const char *journal, struct lease_want *wants,
    size_t n, size_t *refused)
{
	int64_t room, share, need;
	enum err e = ERR_OK;

	for (size_t i = 0; i < n; i++) {
		wants[i].grant = 0;
		if (wants[i].counter.limit == BOOK_NO_LIMIT)
			continue;
		if ((e = room_of(s, &wants[i], &room)) != ERR_OK)
			return e;
		*refused = i;
		if (room <= 0)
			return ERR_DENIED;
		need = wants[i].counter.amount - wants[i].taken;
		share = wants[i].is_alone ? room / PARTS - wants[i].taken : 0;
		wants[i].grant = need > share ? need : share;
		if (wants[i].grant < 0)
			wants[i].grant = 0;
	}
	for (size_t i = 0; journal && i < n && e == ERR_OK; i++)
		if (wants[i].grant > 0)
			e = hold(s, journal, &wants[i]);
	return e;
}

enum err
lease_return(struct store *s, const char *journal, const struct book_counter *c)
{
	return store_do(s,
	    "UPDATE leases SET amount = max(0, amount - ?5) WHERE kind = ?1 "
	    "AND id = ?2 AND journal = ?3 AND span = ?4",
	    "iitii", (int64_t)c->kind, c->id, journal, c->span, c->amount);
}

/* ---- in memory */

struct lease_table *
lease_table_new(void)
{
	return xcalloc(1, sizeof(struct lease_table));
}

void
lease_table_free(struct lease_table *t)
{
	struct lease *l;

	if (!t)
		return;
	for (size_t i = 0; i < HEADS; i++)
		while ((l = t->heads[i])) {
			t->heads[i] = l->next;
			free(l);
		}
	free(t);
}

static struct lease **
head_of(struct lease_table *t, const struct book_counter *c)
{
	uint64_t h =
	    ((uint64_t)c->id * 31 + c->kind) * UINT64_C(0x9e3779b97f4a7c15);

	return &t->heads[h >> 54];
}

static struct lease *
find(struct lease_table *t, const struct book_counter *c)
{
	struct lease *l = *head_of(t, c);

	while (l &&
	    (l->counter.id != c->id || l->counter.kind != c->kind ||
	        l->counter.span != c->span))
		l = l->next;
	return l;
}

bool
lease_use(struct lease_table *t, const struct book_counters *all,
    uint64_t now_ms)
{
	struct lease *found[BOOK_COUNTERS_MAX] = { NULL };

	for (size_t i = 0; i < all->n; i++) {
		const struct book_counter *c = &all->list[i];

		if (c->limit == BOOK_NO_LIMIT)
			continue;
		if (!(found[i] = find(t, c)) || found[i]->counter.amount <= 0 ||
		    found[i]->counter.amount < c->amount)
			return false;
	}
	for (size_t i = 0; i < all->n; i++)
		if (found[i]) {
			found[i]->counter.amount -= all->list[i].amount;
			found[i]->used_ms = now_ms;
		}
	return true;
}

static struct lease *
make(struct lease_table *t, const struct book_counter *c)
{
	struct lease *l = xcalloc(1, sizeof *l), **head = head_of(t, c);

	l->counter = *c;
	l->counter.amount = 0;
	l->next = *head;
	*head = l;
	return l;
}

void
lease_take(struct lease_table *t, struct lease_want *w)
{
	struct lease *l = find(t, &w->counter);

	if (!l)
		l = make(t, &w->counter);
	w->taken = l->counter.amount;
	w->is_alone = !l->is_asked;
	l->counter.amount = 0;
	l->is_asked = true;
}

void
lease_put(struct lease_table *t, const struct lease_want *w, int64_t used,
    uint64_t now_ms)
{
	struct lease *l = find(t, &w->counter);

	if (!l)
		l = make(t, &w->counter);
	l->counter.amount += w->taken + w->grant - used;
	l->used_ms = now_ms;
	l->is_asked &= !w->is_alone;
}

void
lease_sweep(struct lease_table *t, uint64_t now_ms, lease_fn *fn, void *arg)
{
	struct lease **at, *l;

	for (size_t i = 0; i < HEADS; i++)
		for (at = &t->heads[i]; (l = *at);) {
			if (l->is_asked ||
			    now_ms - l->used_ms < LEASE_IDLE_MS) {
				at = &l->next;
				continue;
			}
			*at = l->next;
			if (l->counter.amount > 0)
				fn(arg, &l->counter);
			free(l);
		}
}
