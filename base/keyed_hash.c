/*
 * Aumasson and Bernstein, "SipHash: a fast short-input PRF" (2012), the form
 * with 128 bits.
 */
#include "base/keyed_hash.h"

#include <endian.h>
#include <string.h>

struct state {
	uint64_t a, b, c, d;
};

static uint64_t
turn(uint64_t v, unsigned bits)
{
	return v << bits | v >> (64 - bits);
}

static void
mix(struct state *s, unsigned rounds)
{
	while (rounds-- > 0) {
		s->a += s->b;
		s->b = turn(s->b, 13) ^ s->a;
		s->a = turn(s->a, 32);
		s->c += s->d;
		s->d = turn(s->d, 16) ^ s->c;
		s->a += s->d;
		s->d = turn(s->d, 21) ^ s->a;
		s->c += s->b;
		s->b = turn(s->b, 17) ^ s->c;
		s->c = turn(s->c, 32);
	}
}

static void
add(struct state *s, uint64_t word)
{
	s->d ^= word;
	mix(s, 2);
	s->a ^= word;
}

struct keyed_hash
keyed_hash_of(const struct keyed_hash *key, const void *p, size_t n)
{
	struct state s = { key->low ^ UINT64_C(0x736f6d6570736575),
		key->high ^ UINT64_C(0x646f72616e646f6d) ^ 0xee,
		key->low ^ UINT64_C(0x6c7967656e657261),
		key->high ^ UINT64_C(0x7465646279746573) };
	const char *at = p;
	size_t left = n;
	struct keyed_hash out;
	uint64_t w;

	for (; left >= sizeof w; at += sizeof w, left -= sizeof w) {
		memcpy(&w, at, sizeof w);
		add(&s, le64toh(w));
	}
	w = 0;
	if (left > 0) /* of nothing there may be no pointer */
		memcpy(&w, at, left);
	add(&s, le64toh(w) | (uint64_t)n << 56);
	s.c ^= 0xee;
	mix(&s, 4);
	out.low = s.a ^ s.b ^ s.c ^ s.d;
	s.b ^= 0xdd;
	mix(&s, 4);
	out.high = s.a ^ s.b ^ s.c ^ s.d;
	return out;
}
