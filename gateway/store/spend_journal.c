/*
 * A page of head, then the ring.  A record never wraps: what is left at the
 * ring's end is filled by a pad.  The end is published after the bytes, so
 * that a process killed in between has promised nothing.
 *
 * When everything is folded the ring is begun anew, so that a gateway with
 * little to do touches the same few pages.
 */
#include "gateway/store/spend_journal.h"

#include "base/digest.h"
#include "base/files.h"
#include "base/mem.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAGIC        UINT64_C(0x326e726a7767666b)
#define HEAD_BYTES   4096
#define RING_MIN     65536
#define RING_MAX     (1U << 30)
#define ALIGN        8U
#define PAD          UINT32_C(0x80000000)
#define MIDDLE       ".spend-"
#define NAME_LETTERS 16
#define SPARE_PART   4 /* of it, for ends alone */

struct head {
	uint64_t magic, bytes;
	_Atomic uint64_t end;
};

struct mark {
	uint32_t bytes; /* of what follows, without filling; with PAD: of all */
	uint32_t check;
};

struct spend_journal {
	char *path;       /* owned */
	const char *name; /* within path */
	int fd;
	bool is_dead, is_own; /* what we wrote ourselves is whole */
	struct head *head;
	char *ring;
	uint64_t bytes; /* of the ring */
	_Atomic uint64_t folded;
};

/* ---- records */

static inline uint64_t
mix(uint64_t h, const char *p)
{
	uint64_t w;

	memcpy(&w, p, sizeof w);
	h = (h ^ w) * UINT64_C(0xff51afd7ed558ccd);
	return h ^ h >> 32;
}

/* Four at a time, which do not wait for each other. */
static uint32_t
check_of(const char *p, size_t n, uint64_t at)
{
	uint64_t seed = (at + 1) * UINT64_C(0x9e3779b97f4a7c15);
	uint64_t h[4] = { seed, ~seed, seed << 1, n }, w[4] = { 0 };

	for (; n >= sizeof w; p += sizeof w, n -= sizeof w) {
		h[0] = mix(h[0], p);
		h[1] = mix(h[1], p + 8);
		h[2] = mix(h[2], p + 16);
		h[3] = mix(h[3], p + 24);
	}
	memcpy(w, p, n);
	for (int i = 0; i < 4; i++)
		seed = (seed ^ h[i] ^ w[i]) * UINT64_C(0xff51afd7ed558ccd);
	return (uint32_t)(seed >> 32);
}

static uint64_t
size_of(size_t n)
{
	return (sizeof(struct mark) + n + ALIGN - 1) & ~(uint64_t)(ALIGN - 1);
}

uint64_t
spend_journal_end(const struct spend_journal *j)
{
	return atomic_load_explicit(&j->head->end, memory_order_acquire);
}

void
spend_journal_set_folded(struct spend_journal *j, uint64_t offset)
{
	uint64_t now = atomic_load(&j->folded);

	while (now < offset &&
	    !atomic_compare_exchange_weak(&j->folded, &now, offset))
		continue;
}

bool
spend_journal_is_folded(const struct spend_journal *j)
{
	return spend_journal_end(j) == atomic_load(&j->folded);
}

size_t
spend_journal_record_max(const struct spend_journal *j)
{
	return j->bytes / SPARE_PART;
}

bool
spend_journal_is_crowded(const struct spend_journal *j)
{
	return spend_journal_end(j) - atomic_load(&j->folded) > j->bytes / 2;
}

/* How much is filled up before a record of that size.  Beginning anew must not
 * take the room of those that come next: from the second half alone. */
static uint64_t
pad_for(const struct spend_journal *j, uint64_t end, uint64_t folded,
    uint64_t size)
{
	uint64_t place = end % j->bytes, left = j->bytes - place;

	if (left < size)
		return left;
	return end == folded && place > j->bytes / 2 ? left : 0;
}

/* Without what is kept for ends, unless this is one. */
static uint64_t
room_of(const struct spend_journal *j, uint64_t waiting, bool is_last)
{
	uint64_t kept = is_last ? 0 : j->bytes / SPARE_PART;

	return waiting + kept < j->bytes ? j->bytes - kept - waiting : 0;
}

bool
spend_journal_has_room(const struct spend_journal *j, size_t n)
{
	uint64_t end = atomic_load(&j->head->end);
	uint64_t folded = atomic_load(&j->folded), size = size_of(n);

	return pad_for(j, end, folded, size) + size <=
	    room_of(j, end - folded, false);
}

enum err
spend_journal_add(struct spend_journal *j, struct slice record, bool is_last)
{
	uint64_t end =
	    atomic_load_explicit(&j->head->end, memory_order_relaxed);
	uint64_t folded =
	    atomic_load_explicit(&j->folded, memory_order_acquire);
	uint64_t size = size_of(record.n), pad = pad_for(j, end, folded, size);
	struct mark m = { PAD | (uint32_t)pad, 0 };
	char *p;

	if (pad + size > room_of(j, end - folded, is_last))
		return ERR_TOOBIG;
	if (pad > 0)
		memcpy(j->ring + end % j->bytes, &m, sizeof m);
	end += pad;
	p = j->ring + end % j->bytes;
	m.bytes = (uint32_t)record.n;
	m.check = check_of(record.p, record.n, end);
	memcpy(p, &m, sizeof m);
	memcpy(p + sizeof m, record.p, record.n);
	atomic_store_explicit(&j->head->end, end + size, memory_order_release);
	return ERR_OK;
}

bool
spend_journal_next(const struct spend_journal *j, uint64_t *at, uint64_t end,
    struct slice *ret)
{
	while (*at < end) {
		const char *p = j->ring + *at % j->bytes;
		uint64_t left = j->bytes - *at % j->bytes;
		struct mark m;

		if (*at % ALIGN || end - *at > j->bytes)
			return false;
		memcpy(&m, p, sizeof m);
		if (m.bytes & PAD) {
			if ((m.bytes & ~PAD) != left)
				return false;
			*at += left;
			continue;
		}
		if (size_of(m.bytes) > left || *at + size_of(m.bytes) > end ||
		    (!j->is_own &&
		        check_of(p + sizeof m, m.bytes, *at) != m.check))
			return false;
		*ret = (struct slice){ p + sizeof m, m.bytes };
		*at += size_of(m.bytes);
		return true;
	}
	return false;
}

/* ---- the file */

static struct spend_journal *
make(const char *store_path, const char *name)
{
	struct spend_journal *j = xcalloc(1, sizeof *j);

	j->path = xasprintf("%s" MIDDLE "%s", store_path, name);
	j->name = j->path + strlen(store_path) + strlen(MIDDLE);
	j->fd = -1;
	return j;
}

static bool
map(struct spend_journal *j, uint64_t bytes, int prot)
{
	void *p = mmap(NULL, HEAD_BYTES + bytes, prot, MAP_SHARED, j->fd, 0);

	if (p == MAP_FAILED)
		return false;
	j->head = p;
	j->ring = (char *)p + HEAD_BYTES;
	j->bytes = bytes;
	return true;
}

enum err
spend_journal_new(const char *store_path, size_t bytes,
    struct spend_journal **ret, struct why *why)
{
	uint64_t random;
	char name[NAME_LETTERS + 1];
	struct spend_journal *j;
	int failed;

	digest_random(&random, sizeof random);
	snprintf(name, sizeof name, "%016llx", (unsigned long long)random);
	j = make(store_path, name);
	j->fd = open(j->path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	/* The lock before the magic: who finds both knows its owner died. */
	failed = j->fd < 0 || flock(j->fd, LOCK_EX) != 0 ? errno : 0;
	if (!failed)
		failed = posix_fallocate(j->fd, 0, (off_t)(HEAD_BYTES + bytes));
	if (!failed && !map(j, bytes, PROT_READ | PROT_WRITE))
		failed = errno;
	if (failed) {
		why_set(why, ERR_ENV, "the store's journal %s: %s", j->path,
		    strerror(failed));
		if (j->fd >= 0)
			unlink(j->path);
		spend_journal_free(j);
		return ERR_ENV;
	}
	j->head->bytes = bytes;
	atomic_thread_fence(memory_order_release);
	j->head->magic = MAGIC;
	j->is_own = true;
	*ret = j;
	return ERR_OK;
}

/* Nothing of it is believed: who may write there may write nonsense. */
static bool
is_sound(struct spend_journal *j)
{
	struct stat st;
	uint64_t bytes;

	if (fstat(j->fd, &st) != 0 || !S_ISREG(st.st_mode) ||
	    st.st_size < HEAD_BYTES + RING_MIN ||
	    st.st_size > (off_t)HEAD_BYTES + RING_MAX)
		return false;
	bytes = (uint64_t)st.st_size - HEAD_BYTES;
	return bytes % ALIGN == 0 && map(j, bytes, PROT_READ) &&
	    j->head->magic == MAGIC && j->head->bytes == bytes;
}

enum err
spend_journal_open(const char *store_path, const char *name,
    struct spend_journal **ret)
{
	struct spend_journal *j = make(store_path, name);

	j->fd = open(j->path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	if (j->fd >= 0)
		j->is_dead = flock(j->fd, LOCK_EX | LOCK_NB) == 0;
	if (j->fd < 0 || !is_sound(j)) {
		spend_journal_free(j);
		return ERR_NOTFOUND;
	}
	*ret = j;
	return ERR_OK;
}

void
spend_journal_free(struct spend_journal *j)
{
	if (!j)
		return;
	if (j->head)
		munmap(j->head, HEAD_BYTES + j->bytes);
	if (j->fd >= 0)
		close(j->fd);
	free(j->path);
	free(j);
}

void
spend_journal_remove(struct spend_journal *j)
{
	unlink(j->path);
}

const char *
spend_journal_name(const struct spend_journal *j)
{
	return j->name;
}

bool
spend_journal_is_dead(const struct spend_journal *j)
{
	return j->is_dead;
}

/* ---- those of a store */

static bool
is_name(const char *text)
{
	return strlen(text) == NAME_LETTERS &&
	    strspn(text, "0123456789abcdef") == NAME_LETTERS;
}

enum err
spend_journal_each(const char *store_path, spend_journal_fn *fn, void *arg)
{
	const char *slash = strrchr(store_path, '/');
	char *dir = files_folder(store_path);
	char *begin = xasprintf("%s" MIDDLE, slash ? slash + 1 : store_path);
	size_t n = strlen(begin);
	DIR *d = opendir(dir);
	struct dirent *e;

	while (d && (e = readdir(d)))
		if (strncmp(e->d_name, begin, n) == 0 && is_name(e->d_name + n))
			fn(arg, e->d_name + n);
	free(begin);
	free(dir);
	if (!d)
		return ERR_ENV;
	closedir(d);
	return ERR_OK;
}
