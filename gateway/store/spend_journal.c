/*
 * A page of head, then the ring.  A record never wraps: what is left at the
 * ring's end is filled by a pad.  The end is published after the bytes, so
 * that a process killed in between has promised nothing.
 *
 * When everything is folded the ring is begun anew, so that a gateway with
 * little to do touches the same few pages.
 *
 * The owner has the ring in memory of its own as well, and folds from there: a
 * file that somebody cuts short or removes takes nothing from it, and is made
 * again from what is not folded yet.  A mapping beyond the end of its file is a
 * SIGBUS, which no look at the size could rule out and a system call a record
 * would be dear; so the signal's handler puts memory in the mapping's place,
 * and what is written goes on there until there is a file again.
 */
#include "gateway/store/spend_journal.h"

#include "base/digest.h"
#include "base/files.h"
#include "base/mem.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
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
#define GUARDED_MAX  64
#define SPARE_PART   4 /* of it, for ends alone */

struct head {
	uint64_t magic, bytes;
	_Atomic uint64_t end;
};

/* A file and its mapping. */
struct spend_journal_file {
	int fd;
	struct head *head;
	size_t bytes; /* of both, head and ring */
	int guard;    /* its place among the guarded; -1: none */
};

struct mark {
	uint32_t bytes; /* of what follows, without filling; with PAD: of all */
	uint32_t check;
};

struct spend_journal {
	char *path;       /* owned */
	const char *name; /* within path */
	struct spend_journal_file file;
	bool is_dead, is_own; /* what we wrote ourselves is whole */
	char *ring;           /* the file's, or the owner's own */
	uint64_t bytes;       /* of the ring */
	_Atomic uint64_t end; /* the owner's own */
	_Atomic uint64_t folded;
	dev_t device; /* of the file that was made last; the folder's */
	ino_t inode;
};

/* ---- mappings whose file is cut short */

static struct {
	_Atomic uintptr_t begin; /* 0: free */
	_Atomic size_t bytes;
} guarded[GUARDED_MAX];

static void
on_bus_error(int signal_number, siginfo_t *info, void *context)
{
	uintptr_t at = (uintptr_t)info->si_addr, begin;
	size_t bytes;

	(void)context;
	for (size_t i = 0; i < GUARDED_MAX; i++) {
		begin = atomic_load(&guarded[i].begin);
		bytes = atomic_load(&guarded[i].bytes);
		if (begin && at >= begin && at - begin < bytes &&
		    mmap((void *)begin, bytes, PROT_READ | PROT_WRITE,
		        MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS, -1,
		        0) != MAP_FAILED)
			return;
	}
	/* Somebody else's: it comes again, and ends the program. */
	signal(signal_number, SIG_DFL);
}

/* Where all places are taken it goes on without. */
static int
guard(const void *p, size_t bytes)
{
	struct sigaction act = { .sa_sigaction = on_bus_error,
		.sa_flags = SA_SIGINFO | SA_ONSTACK };
	uintptr_t none;

	sigaction(SIGBUS, &act, NULL);
	for (int i = 0; i < GUARDED_MAX; i++) {
		none = 0;
		if (!atomic_compare_exchange_strong(&guarded[i].begin, &none,
		        (uintptr_t)p))
			continue;
		atomic_store(&guarded[i].bytes, bytes);
		return i;
	}
	return -1;
}

static void
unguard(int place)
{
	if (place < 0)
		return;
	atomic_store(&guarded[place].bytes, 0);
	atomic_store(&guarded[place].begin, 0);
}

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
	return atomic_load_explicit(j->is_own ? &j->end : &j->file.head->end,
	    memory_order_acquire);
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
	uint64_t end = atomic_load(&j->end);
	uint64_t folded = atomic_load(&j->folded), size = size_of(n);

	return pad_for(j, end, folded, size) + size <=
	    room_of(j, end - folded, false);
}

/* What stands in the ring from there on, and does not wrap. */
static void
copy_to_file(struct spend_journal *j, uint64_t at, size_t n)
{
	memcpy((char *)j->file.head + HEAD_BYTES + at % j->bytes,
	    j->ring + at % j->bytes, n);
}

enum err
spend_journal_add(struct spend_journal *j, struct slice record, bool is_last)
{
	uint64_t end = atomic_load_explicit(&j->end, memory_order_relaxed);
	uint64_t folded =
	    atomic_load_explicit(&j->folded, memory_order_acquire);
	uint64_t size = size_of(record.n), pad = pad_for(j, end, folded, size);
	struct mark m = { PAD | (uint32_t)pad, 0 };
	char *p;

	if (pad + size > room_of(j, end - folded, is_last))
		return ERR_TOOBIG;
	if (pad > 0) {
		memcpy(j->ring + end % j->bytes, &m, sizeof m);
		copy_to_file(j, end, sizeof m);
	}
	end += pad;
	p = j->ring + end % j->bytes;
	m.bytes = (uint32_t)record.n;
	m.check = check_of(record.p, record.n, end);
	memcpy(p, &m, sizeof m);
	memcpy(p + sizeof m, record.p, record.n);
	copy_to_file(j, end, sizeof m + record.n);
	/* The file's first: what is folded was promised there. */
	atomic_store_explicit(&j->file.head->end, end + size,
	    memory_order_release);
	atomic_store_explicit(&j->end, end + size, memory_order_release);
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
	j->file = (struct spend_journal_file){ .fd = -1, .guard = -1 };
	return j;
}

static bool
map(struct spend_journal_file *f, size_t bytes, int prot)
{
	void *p = mmap(NULL, bytes, prot, MAP_SHARED, f->fd, 0);

	if (p == MAP_FAILED)
		return false;
	f->head = p;
	f->bytes = bytes;
	f->guard = guard(p, bytes);
	return true;
}

static void
close_file(struct spend_journal_file *f)
{
	unguard(f->guard);
	if (f->head)
		munmap(f->head, f->bytes);
	if (f->fd >= 0)
		close(f->fd);
	*f = (struct spend_journal_file){ .fd = -1, .guard = -1 };
}

/* Without its magic: nobody reads it before it is whole. */
static enum err
make_file(struct spend_journal *j, struct spend_journal_file *f,
    struct why *why)
{
	size_t bytes = HEAD_BYTES + j->bytes;
	struct stat st;
	int failed;

	*f = (struct spend_journal_file){ .guard = -1 };
	f->fd = open(j->path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	/* The lock before the magic: who finds both knows its owner died. */
	failed = f->fd < 0 || flock(f->fd, LOCK_EX) != 0 ? errno : 0;
	if (!failed)
		failed = posix_fallocate(f->fd, 0, (off_t)bytes);
	if (!failed &&
	    (fstat(f->fd, &st) != 0 || !map(f, bytes, PROT_READ | PROT_WRITE)))
		failed = errno;
	if (failed || !f->head) {
		if (f->fd >= 0)
			unlink(j->path);
		close_file(f);
		why_set(why, ERR_ENV, "the store's journal %s: %s", j->path,
		    strerror(failed));
		return ERR_ENV;
	}
	j->device = st.st_dev;
	j->inode = st.st_ino;
	return ERR_OK;
}

static void
finish_file(const struct spend_journal *j)
{
	struct head *head = j->file.head;

	head->bytes = j->bytes;
	atomic_store(&head->end, atomic_load(&j->end));
	atomic_thread_fence(memory_order_release);
	head->magic = MAGIC;
}

enum err
spend_journal_new(const char *store_path, size_t bytes,
    struct spend_journal **ret, struct why *why)
{
	uint64_t random;
	char name[NAME_LETTERS + 1];
	struct spend_journal_file file;
	struct spend_journal *j;
	void *ring;

	digest_random(&random, sizeof random);
	snprintf(name, sizeof name, "%016llx", (unsigned long long)random);
	j = make(store_path, name);
	j->bytes = bytes;
	if (make_file(j, &file, why) != ERR_OK) {
		spend_journal_free(j);
		return ERR_ENV;
	}
	j->file = file;
	j->is_own = true;
	ring = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (ring == MAP_FAILED) {
		spend_journal_remove(j);
		spend_journal_free(j);
		return why_set(why, ERR_ENV, "the store's journal: %s",
		    strerror(ENOMEM));
	}
	j->ring = ring;
	finish_file(j);
	*ret = j;
	return ERR_OK;
}

bool
spend_journal_is_there(const struct spend_journal *j)
{
	struct stat st;

	return stat(j->path, &st) == 0 && st.st_dev == j->device &&
	    st.st_ino == j->inode &&
	    st.st_size == (off_t)(HEAD_BYTES + j->bytes);
}

enum err
spend_journal_make_again(struct spend_journal *j,
    struct spend_journal_file **ret, struct why *why)
{
	struct spend_journal_file f;

	/* What was cut short is nobody's any more. */
	unlink(j->path);
	if (make_file(j, &f, why) != ERR_OK)
		return ERR_ENV;
	*ret = xmalloc(sizeof f);
	**ret = f;
	return ERR_OK;
}

void
spend_journal_use(struct spend_journal *j, struct spend_journal_file *f)
{
	uint64_t end = atomic_load(&j->end), at = atomic_load(&j->folded), n;

	close_file(&j->file);
	j->file = *f;
	free(f);
	for (; at < end; at += n) {
		n = j->bytes - at % j->bytes;
		if (n > end - at)
			n = end - at;
		copy_to_file(j, at, n);
	}
	finish_file(j);
}

/* Nothing of it is believed: who may write there may write nonsense. */
static bool
is_sound(struct spend_journal *j)
{
	struct stat st;
	uint64_t bytes;

	if (fstat(j->file.fd, &st) != 0 || !S_ISREG(st.st_mode) ||
	    st.st_size < HEAD_BYTES + RING_MIN ||
	    st.st_size > (off_t)HEAD_BYTES + RING_MAX)
		return false;
	bytes = (uint64_t)st.st_size - HEAD_BYTES;
	if (bytes % ALIGN != 0 || !map(&j->file, (size_t)st.st_size, PROT_READ))
		return false;
	j->ring = (char *)j->file.head + HEAD_BYTES;
	j->bytes = bytes;
	return j->file.head->magic == MAGIC && j->file.head->bytes == bytes;
}

enum err
spend_journal_open(const char *store_path, const char *name,
    struct spend_journal **ret)
{
	struct spend_journal *j = make(store_path, name);

	j->file.fd = open(j->path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	if (j->file.fd >= 0)
		j->is_dead = flock(j->file.fd, LOCK_EX | LOCK_NB) == 0;
	if (j->file.fd < 0 || !is_sound(j)) {
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
	close_file(&j->file);
	if (j->is_own && j->ring)
		munmap(j->ring, j->bytes);
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
spend_journal_is_own(const struct spend_journal *j)
{
	return j->is_own;
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
