/*
 * The page as it stands in room.html, put into the program by the assembler:
 * so it stays a page that an editor and a browser can open, and the program
 * stays one file.
 */
#include "chaos/admin/control_room.h"

__asm__(".section .rodata\n"
        ".global room_page_start\n"
        ".hidden room_page_start\n"
        "room_page_start:\n"
        ".incbin \"chaos/admin/room.html\"\n"
        "room_page_end:\n"
        ".balign 8\n"
        ".global room_page_bytes\n"
        ".hidden room_page_bytes\n"
        "room_page_bytes:\n"
        ".quad room_page_end - room_page_start\n"
        ".previous\n");

extern const char room_page_start[];
extern const uint64_t room_page_bytes;

struct slice
room_page(void)
{
	return (struct slice){ room_page_start, (size_t)room_page_bytes };
}
