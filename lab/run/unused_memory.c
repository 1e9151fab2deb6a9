/*
 * What a process has of memory and does not need goes back to the system.
 *
 * The compiler's code, some 80 MB of two libraries, is touched by whoever warms
 * up or compiles; the system's cache has it once, and who runs it again maps it
 * again.  Pieces that are free in the heap are a forked process's own copies.
 */
#include "lab/run/unused_memory.h"

#include <link.h>
#include <malloc.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

/* A library that is written where it is mapped for execution alone keeps what
 * was written. */
static bool
is_written_by_loader(const struct dl_phdr_info *l, const ElfW(Phdr) * dynamic)
{
	const ElfW(Dyn) *d =
	    (const ElfW(Dyn) *)(l->dlpi_addr + dynamic->p_vaddr);

	for (; d->d_tag != DT_NULL; d++)
		if (d->d_tag == DT_TEXTREL ||
		    (d->d_tag == DT_FLAGS && d->d_un.d_val & DF_TEXTREL))
			return true;
	return false;
}

static int
give_library_back(struct dl_phdr_info *l, size_t size, void *arg)
{
	uintptr_t page = *(const uintptr_t *)arg;

	(void)size;
	for (size_t i = 0; i < l->dlpi_phnum; i++)
		if (l->dlpi_phdr[i].p_type == PT_DYNAMIC &&
		    is_written_by_loader(l, &l->dlpi_phdr[i]))
			return 0;
	for (size_t i = 0; i < l->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &l->dlpi_phdr[i];
		uintptr_t from =
		    (l->dlpi_addr + p->p_vaddr + page - 1) & ~(page - 1);
		uintptr_t to =
		    (l->dlpi_addr + p->p_vaddr + p->p_filesz) & ~(page - 1);

		if (p->p_type == PT_LOAD && !(p->p_flags & PF_W) && to > from)
			(void)madvise((void *)from, to - from, MADV_DONTNEED);
	}
	return 0;
}

void
unused_memory_give_back(void)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);

	(void)malloc_trim(0);
	(void)dl_iterate_phdr(give_library_back, &page);
}
