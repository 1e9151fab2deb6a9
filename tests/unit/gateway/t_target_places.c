/*
 * Which of the targets that only requests name are remembered.
 */
#include "gateway/routing/target_health.h"
#include "tests/unit.h"
#include <stdio.h>
#include <string.h>

/* Models that a client makes up take nobody else's place, and share none. */
static void
remembers_so_many_models(void)
{
	static const struct breaker_conf one = { 1, 1000, 1000, false };
	static const char *const good[] = { "p/good", "p/better" };
	struct target_health_table *t = target_health_table_new();
	struct target_health *p = target_health_get(t, "p", &one), *l;
	struct target_health *ours = target_health_get(t, "p/ours", &one);
	struct target_health *held = target_health_direct(t, "p/held", &one, p);
	char name[32];
	unsigned n = 0;
	uint64_t causes = 0;

	for (size_t i = 0; i < COUNT(good); i++) {
		l = target_health_direct(t, good[i], &one, p);
		l->causes[CAUSE_OK]++;
		target_health_let_go(l);
	}
	for (int i = 0; i < 1000; i++) {
		struct target_health_end end = { .cause = CAUSE_RESET };
		struct breaker_pass pass;

		snprintf(name, sizeof name, "p/invented-%d", i);
		l = target_health_direct(t, name, &one, p);
		CHECK(l != p && strcmp(l->name, name) == 0, "its own place");
		CHECK(breaker_enter(&l->breaker, 1, &pass),
		    "no other one's failure is its own");
		target_health_ended(l, &end, &pass);
		target_health_let_go(l);
	}
	for (const struct target_health *h = target_health_first(t); h;
	     h = h->next, n++)
		causes += h->causes[CAUSE_RESET];
	CHECK_INT(n, 256 + 2, "so many, the provider and what is configured");
	CHECK_INT(causes, 1000, "what was counted is still counted");
	CHECK_INT(p->causes[CAUSE_RESET], 1000 - 253, "by their provider");
	CHECK_INT(p->breaker.state, BREAKER_CLOSED, "whose breaker is shut");
	CHECK(target_health_get(t, "p/ours", &one) == ours, "still there");
	CHECK(target_health_direct(t, "p/held", &one, p) == held, "held");
	for (size_t i = 0; i < COUNT(good); i++)
		CHECK_INT(target_health_direct(t, good[i], &one, p)
		              ->causes[CAUSE_OK],
		    1, "who has answered is remembered");
	target_health_table_free(t);
}

/* As many as are asked for at once have a place; a configuration that names one
 * keeps it. */
static void
holds_what_is_asked_for(void)
{
	static const struct breaker_conf off = { 0, 1, 1, false };
	struct target_health_table *t = target_health_table_new();
	struct target_health *p = target_health_get(t, "p", &off);
	struct target_health *held[300], *ours;
	char name[32];
	unsigned n = 0;

	for (size_t i = 0; i < COUNT(held); i++) {
		snprintf(name, sizeof name, "p/held-%zu", i);
		held[i] = target_health_direct(t, name, &off, p);
	}
	ours = target_health_get(t, "p/held-7", &off);
	CHECK(ours == held[7], "the same");
	for (size_t i = 0; i < COUNT(held); i++)
		target_health_let_go(held[i]);
	for (int i = 0; i < 300; i++) {
		snprintf(name, sizeof name, "p/later-%d", i);
		target_health_let_go(target_health_direct(t, name, &off, p));
	}
	for (const struct target_health *h = target_health_first(t); h;
	     h = h->next)
		n++;
	CHECK_INT(n, 256 + 2, "they have given their places back");
	CHECK(target_health_get(t, "p/held-7", &off) == ours, "it stayed");
	target_health_table_free(t);
}

void t_target_places(void);

void
t_target_places(void)
{
	remembers_so_many_models();
	holds_what_is_asked_for();
}
