/*
 * The prompt.  The system message is the contract, word for word the same
 * for every operator (a provider can cache it); the user message is the
 * operator.
 */
#include "agent/model/prompt.h"

#include "agent/model/fewshot.h"
#include "agent/text/utf8.h"
#include "base/buf.h"
#include "base/mask.h"
#include "base/mem.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PROMPT_BYTES ((size_t)512 * 1024)

#define PROMPT_OPENING                                                         \
	"You write OpenCL C compute kernels. Answer with exactly one JSON "    \
	"object and nothing else: no prose, no code fence.\n\n"

static const char prompt_contract[] = PROMPT_OPENING
    "Keys:\n"
    "- \"source\": string, at most 65536 bytes: OpenCL C 1.2 with one or "
    "more __kernel functions.\n"
    "- \"entry\": string, the __kernel to launch.\n"
    "- \"global_size\": array of 1 to 3 expressions (strings), the total "
    "work items per dimension.\n"
    "- \"local_size\": array of as many expressions, the work-group size "
    "per dimension.\n"
    "- \"assumptions\": optional array of strings, what you are unsure of.\n"
    "\n"
    "Expressions are integers over the operator's scalar names: + - * / % "
    "( ), ceil_div(a,b), round_up(a,b), min(a,b), max(a,b), pow2_ceil(a). "
    "Arithmetic is 64-bit and checked. global_size must be a multiple of "
    "local_size in every dimension; nobody rounds it up. A zero in "
    "global_size launches nothing. One program serves all shapes: take every "
    "size from the arguments.\n"
    "\n"
    "Storage: every tensor is a __global pointer to KF_T. The kernel is "
    "compiled once per storage type: KF_DTYPE 0 is float32 (KF_T is float), "
    "1 is float16 (half, storage only), 2 is bfloat16 (ushort). Read and "
    "write tensors only with\n"
    "  float kf_load(const __global KF_T *p, size_t i);\n"
    "  void kf_store(__global KF_T *p, size_t i, float v);\n"
    "which are already defined. Compute in float and round once, at the "
    "store.\n"
    "\n"
    "Matrices are row-major with a row stride in elements (stride >= cols): "
    "element (r, c) of x is x[r * x_stride + c]. Elements between cols and "
    "stride belong to somebody else: never write them. Sizes and strides stay "
    "below 2^31, r * x_stride may pass 2^32: index in size_t. Inputs and out "
    "never overlap; inputs are read-only. Row counts may be 0.\n"
    "\n"
    "NaN propagates through every operator; infinities behave as the formula "
    "says. eps is at least 0, base more than 1. Compile flags: -cl-std=CL1.2, "
    "no fast-math. Refused: #include, "
    "#import, #embed, #line, __has_include, inline assembly, constructor and "
    "section attributes, every #pragma but unroll, OPENCL EXTENSION and OPENCL "
    "FP_CONTRACT, names that begin with __ but OpenCL's keywords, #if of a "
    "macro that you do not define, pointers made of integers, half_ built-ins, "
    "more than 1,024 "
    "work items in a group, more than 32 KiB of local memory, an argument "
    "list that differs from the table.\n";

/* How an argument of a kind is declared, around its name. */
static const char *const prompt_decls[] = {
	[OP_IN] = "const __global KF_T *",
	[OP_OUT] = "__global KF_T *",
	[OP_POSITIONS] = "const __global int *",
	[OP_UINT] = "uint ",
	[OP_REAL] = "float ",
};

static json_t *
message_new(const char *role, const char *text)
{
	/* As the record of it will be written: the ledger holds its hash. */
	char *kept = xstrdup(text);
	json_t *message;

	mask_answer(kept); /* its quotations had escapes when they came */
	message =
	    json_pack("{s:s, s:o}", "role", role, "content", utf8_json(kept));
	free(kept);
	return message;
}

static void
put_examples(struct buf *b, const char *category)
{
	const struct fewshot *f = fewshot_find(category);

	if (f)
		buf_addf(b,
		    "\n\nExample of an answer, for another operator:\n%s\n"
		    "Example of a mistake: %s\nWhat is wrong: %s.",
		    f->good, f->bad, f->why);
}

const char *
prompt_contract_text(void)
{
	return prompt_contract + sizeof PROMPT_OPENING - 1;
}

static void
put_operator(struct buf *b, const struct op *op)
{
	buf_addf(b, "Operator: %s\nMeaning: %s\n", op->name, op->formula);
	if (*op->notes)
		buf_addf(b, "Note: %s\n", op->notes);
	buf_adds(b, "\nThe kernel's arguments, exactly in this order:\n");
	for (size_t i = 0; i < op->nargs; i++)
		buf_addf(b, "  %s%s%s\n", prompt_decls[op->args[i].kind],
		    op->args[i].name, i + 1 < op->nargs ? "," : "");
	buf_adds(b, "\nScalar names for the expressions:");
	for (size_t i = 0; i < op->nargs; i++)
		if (op->args[i].kind == OP_UINT)
			buf_addf(b, " %s", op->args[i].name);
}

char *
prompt_operator_text(const struct op *op)
{
	struct buf b;

	buf_init(&b, PROMPT_BYTES);
	put_operator(&b, op);
	return buf_take(&b);
}

json_t *
prompt_open(const struct op *op, bool with_examples)
{
	json_t *messages = json_array();
	struct buf b;

	buf_init(&b, PROMPT_BYTES);
	put_operator(&b, op);
	if (with_examples)
		put_examples(&b, op->category);
	buf_adds(&b, "\n\nAnswer with the JSON object.");
	json_array_append_new(messages, message_new("system", prompt_contract));
	json_array_append_new(messages, message_new("user", b.data));
	buf_done(&b);
	return messages;
}

void
prompt_ratio_text(double bound_ratio, char *out, size_t size)
{
	/* Below it all is within; log10() of nothing is no number. */
	long power = lround(log10(fmax(bound_ratio, 1e-9)));

	if (!isfinite(bound_ratio))
		(void)snprintf(out, size,
		    "a value is not finite where it must be, or finite where "
		    "it must not");
	else if (power < 0)
		(void)snprintf(out, size, "within the bound");
	else if (power == 0)
		/* A failure by a little is one of these, too. */
		(void)snprintf(out, size, "about the allowed error");
	else
		(void)snprintf(out, size,
		    "about 10^%ld times the allowed error", power);
}

/* Powers of ten alone, whatever comes in: lab/stages/model_hint.h says why. */
static void
put_case(struct buf *b, const struct prompt_feedback *fb)
{
	char ratio[96];

	buf_addf(b, "Failing case: %s, storage type %s.", fb->case_name,
	    dtype_name(fb->dtype));
	if (fb->bound_ratio > 0 || !isfinite(fb->bound_ratio)) {
		prompt_ratio_text(fb->bound_ratio, ratio, sizeof ratio);
		if (fb->max_abs_diff > 0 && isfinite(fb->max_abs_diff))
			buf_addf(b, " Largest difference about 10^%d: %s.",
			    (int)lround(log10(fb->max_abs_diff)), ratio);
		else
			buf_addf(b, " Largest difference: %s.", ratio);
	}
	buf_adds(b, "\n");
}

static bool
ends_sentence(const char *text)
{
	size_t n = strlen(text);

	return n > 0 && strchr(".?!", text[n - 1]) != NULL;
}

void
prompt_add_feedback(json_t *messages, const char *answer,
    const struct prompt_feedback *fb)
{
	struct buf b;

	if (answer)
		json_array_append_new(messages,
		    message_new("assistant", answer));
	buf_init(&b, PROMPT_BYTES);
	buf_addf(&b, "That failed: %s.\n", fb->class);
	if (fb->message && *fb->message)
		buf_addf(&b, "%s\n", fb->message);
	if (fb->case_name)
		put_case(&b, fb);
	if (fb->suspect && *fb->suspect)
		buf_addf(&b, "Suspected cause: %s%s\n", fb->suspect,
		    ends_sentence(fb->suspect) ? "" : ".");
	buf_adds(&b, "Answer again with one whole JSON object as agreed.");
	json_array_append_new(messages, message_new("user", b.data));
	buf_done(&b);
}
