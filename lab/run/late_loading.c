/*
 * PoCL's calls are led away where its own library keeps the addresses of what
 * it imports (the global offset table), and nowhere else: the ICD loader,
 * other drivers and libc's own users of dlopen() are left alone.
 *
 * A stand-in is a function that calls through a table.  There is one for each
 * geometry that an order can name; C has no way to make a function at run
 * time, and memory that is written and then executed is what the sandbox
 * denies.
 */
#include "lab/run/late_loading.h"

#include "base/files.h"
#include "lab/read/object_gate.h"
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define OBJECTS_MAX  64 /* as many as there are stand-ins */
#define OBJECT_BYTES ((size_t)64 << 20)
#define PATH_BYTES   1024
#define NAME_BYTES   512

/* A table of the kernel's may be called what a library calls something of its
 * own: the kernel's names are its own first.  The sanitizers' runtime takes no
 * such order. */
#ifdef __SANITIZE_ADDRESS__
#define LOADING (RTLD_NOW | RTLD_LOCAL)
#else
#define LOADING (RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND)
#endif

/* PoCL's work-group function: arguments, context, three group ids. */
typedef void kernel_fn(void *args, void *context, size_t x, size_t y, size_t z);

/* One noted object: its handle for PoCL is its own address. */
struct object {
	char path[PATH_BYTES];
	char name[NAME_BYTES]; /* of the function that PoCL asked for */
};

static struct object objects[OBJECTS_MAX];
static size_t nobjects;
static kernel_fn *loaded[OBJECTS_MAX];
static enum { LATE_OFF, LATE_HOLDING, LATE_LOADING } mode;

/* Sixty-four stand-ins, numbered by two octal digits.  Called before anything
 * was loaded, they do nothing: see late_loading.h. */
#define STAND_IN(a, b)                                                         \
	static void stand_in_##a##b(void *args, void *context, size_t x,       \
	    size_t y, size_t z)                                                \
	{                                                                      \
		if (loaded[a * 8 + b])                                         \
			loaded[a * 8 + b](args, context, x, y, z);             \
	}
#define EIGHT(do, a)                                                           \
	do                                                                     \
	(a, 0) do(a, 1) do(a, 2) do(a, 3) do(a, 4) do(a, 5) do(a, 6) do(a, 7)
#define ALL(do)                                                                \
	EIGHT(do, 0)                                                           \
	EIGHT(do, 1)                                                           \
	EIGHT(do, 2)                                                           \
	EIGHT(do, 3)                                                           \
	EIGHT(do, 4)                                                           \
	EIGHT(do, 5)                                                           \
	EIGHT(do, 6)                                                           \
	EIGHT(do, 7)
#define NAME(a, b) stand_in_##a##b,

ALL(STAND_IN)
static kernel_fn *const stand_ins[OBJECTS_MAX] = { ALL(NAME) };

static struct object *
find_handle(const void *handle)
{
	for (size_t i = 0; i < nobjects; i++)
		if (handle == &objects[i])
			return &objects[i];
	return NULL;
}

/* PoCL's cache lies in the working folder and has no absolute name. */
static bool
is_kernel_path(const char *path)
{
	size_t n = path ? strlen(path) : 0;

	return n > 3 && n < PATH_BYTES && *path != '/' &&
	    strcmp(path + n - 3, ".so") == 0;
}

static enum err
check_file(const char *path, struct why *why)
{
	char *bytes = NULL;
	size_t n;
	enum err e = files_read(path, OBJECT_BYTES, &bytes, &n, why);

	if (e == ERR_OK)
		e = object_check(bytes, n, why);
	free(bytes);
	return e;
}

static void *
held_dlopen(const char *path, int flags)
{
	struct object *o;

	if (mode == LATE_OFF || !is_kernel_path(path))
		return dlopen(path, flags);
	if (mode == LATE_LOADING)
		/* This late only where the sandbox could not be sealed; it is
		 * checked like the others. */
		return check_file(path, NULL) == ERR_OK
		    ? dlopen(path, flags | LOADING)
		    : NULL;
	/* PoCL takes it for a library that cannot be opened and gives the
	 * launch up: an order names no more geometries than there are
	 * stand-ins. */
	if (nobjects == OBJECTS_MAX)
		return NULL;
	dlerror(); /* PoCL asks for it next: nothing has gone wrong */
	o = &objects[nobjects++];
	snprintf(o->path, sizeof o->path, "%s", path);
	return o;
}

static void *
held_dlsym(void *handle, const char *name)
{
	struct object *o = find_handle(handle);

	if (!o)
		return dlsym(handle, name);
	/* One function an object: a second name would need a second stand-in,
	 * and PoCL asks for none. */
	if (strlen(name) >= sizeof o->name ||
	    (o->name[0] && strcmp(o->name, name) != 0))
		return NULL;
	snprintf(o->name, sizeof o->name, "%s", name);
	/* A function's address as POSIX has dlsym() give it. */
	return (void *)(uintptr_t)stand_ins[o - objects];
}

static int
held_dlclose(void *handle)
{
	return find_handle(handle) ? 0 : dlclose(handle);
}

void
late_loading_hold(void)
{
	mode = LATE_HOLDING;
}

static enum err
load(size_t i, struct why *why)
{
	void *handle = dlopen(objects[i].path, LOADING);
	void *fn = handle ? dlsym(handle, objects[i].name) : NULL;

	if (!fn)
		return why_set(why, ERR_IO, "the compiled kernel: %s",
		    dlerror());
	loaded[i] = (kernel_fn *)(uintptr_t)fn;
	return ERR_OK;
}

enum err
late_loading_now(struct why *why)
{
	enum err e = ERR_OK;

	mode = LATE_LOADING;
	/* All are checked before the first is loaded: a constructor of the
	 * first could rewrite the second's file. */
	for (size_t i = 0; i < nobjects && e == ERR_OK; i++)
		e = check_file(objects[i].path, why);
	for (size_t i = 0; i < nobjects && e == ERR_OK; i++)
		e = load(i, why);
	return e;
}

/* ---- leading PoCL's calls here */

struct import {
	const char *name;
	uintptr_t to;
	bool is_led;
};

struct library {
	ElfW(Addr) base;
	const char *strings;
	const ElfW(Sym) * symbols;
	struct import *imports;
	size_t nimports;
};

/* Entries of the table are read-only once the library is loaded. */
static bool
write_entry(uintptr_t at, uintptr_t value)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	uintptr_t from = at & ~(page - 1);

	if (mprotect((void *)from, page, PROT_READ | PROT_WRITE) != 0)
		return false;
	memcpy((void *)at, &value, sizeof value);
	return mprotect((void *)from, page, PROT_READ) == 0;
}

static void
lead_entries(struct library *l, const ElfW(Rela) * r, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		size_t symbol = ELF64_R_SYM(r[i].r_info);
		const char *name = l->strings + l->symbols[symbol].st_name;

		/* Symbol 0 is the one without a name, which relocations use
		 * that need none. */
		for (size_t k = 0; symbol != 0 && k < l->nimports; k++)
			if (strcmp(name, l->imports[k].name) == 0)
				l->imports[k].is_led =
				    write_entry(l->base + r[i].r_offset,
				        l->imports[k].to);
	}
}

/* glibc has made the dynamic section's addresses absolute where it may. */
static uintptr_t
address_of(const struct library *l, const ElfW(Dyn) * d)
{
	return d->d_un.d_ptr < l->base ? l->base + d->d_un.d_ptr
	                               : d->d_un.d_ptr;
}

static void
lead_library(struct library *l, const ElfW(Dyn) * dynamic)
{
	const ElfW(Rela) * tables[2] = { NULL, NULL };
	size_t bytes[2] = { 0, 0 };

	for (const ElfW(Dyn) *d = dynamic; d->d_tag != DT_NULL; d++) {
		if (d->d_tag == DT_STRTAB)
			l->strings = (const char *)address_of(l, d);
		else if (d->d_tag == DT_SYMTAB)
			l->symbols = (const ElfW(Sym) *)address_of(l, d);
		else if (d->d_tag == DT_RELA)
			tables[0] = (const ElfW(Rela) *)address_of(l, d);
		else if (d->d_tag == DT_JMPREL)
			tables[1] = (const ElfW(Rela) *)address_of(l, d);
		else if (d->d_tag == DT_RELASZ)
			bytes[0] = d->d_un.d_val;
		else if (d->d_tag == DT_PLTRELSZ)
			bytes[1] = d->d_un.d_val;
	}
	/* In both: how the library was linked decides where a call is bound
	 * (-fno-plt takes the first). */
	for (size_t i = 0; i < 2 && l->strings && l->symbols; i++)
		if (tables[i])
			lead_entries(l, tables[i],
			    bytes[i] / sizeof(ElfW(Rela)));
}

static int
look_at_library(struct dl_phdr_info *info, size_t size, void *arg)
{
	const char *file = strrchr(info->dlpi_name, '/');
	struct library *l = arg;

	(void)size;
	/* By its beginning, because the name goes on with the version
	 * (libpocl.so.2.9.0). */
	if (!file || strncmp(file, "/libpocl.so", 11) != 0)
		return 0;
	l->base = info->dlpi_addr;
	for (size_t i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
			lead_library(l,
			    (const ElfW(Dyn) *)(info->dlpi_addr +
			        info->dlpi_phdr[i].p_vaddr));
	return 1;
}

bool
late_loading_install(void)
{
	struct import imports[] = {
		{ "dlclose", (uintptr_t)held_dlclose, false },
		{ "dlopen", (uintptr_t)held_dlopen, false },
		{ "dlsym", (uintptr_t)held_dlsym, false },
	};
	struct library l = { .imports = imports, .nimports = COUNT(imports) };

	dl_iterate_phdr(look_at_library, &l);
	for (size_t i = 0; i < l.nimports; i++)
		if (!imports[i].is_led)
			return false;
	return true;
}
