// billed.mjs URL LOG: asks a gateway in front of half-counted.mjs for every answer, in each
// API, whole, streamed, translated, held and of two choices, and looks at what the log says
// that it cost.  Prints what is not so; ends with 1 where anything is.
import fs from "node:fs";

const [url, log] = process.argv.slice(2);
const lines = new Map(), untold = new Set(["sources", "pause"]), hopeless = new Set(["too-big", "untranslatable"]);
let read = 0, wrong = 0;

function look() {
	const text = fs.readFileSync(log, "utf8"), whole = text.slice(read, text.lastIndexOf("\n") + 1);
	read += whole.length;
	for (const l of whole.split("\n").filter(Boolean)) lines.set(JSON.parse(l).request, JSON.parse(l));
}

async function logged(id) {
	for (const until = Date.now() + 60000; Date.now() < until; ) {
		look();
		if (lines.has(id)) return lines.get(id);
		await new Promise((r) => setTimeout(r, 5));
	}
	return {};
}

async function ask(path, model, how, stream, more = {}) {
	const away = new AbortController();
	const said = [{ role: "user", content: `how-${how}` }];
	const r = await fetch(`${url}/${path}`, {
		method: "POST", signal: away.signal,
		headers: { "content-type": "application/json", "x-tfy-retry-config": `{"attempts":${untold.has(how) ? 2 : 0},"delay":1}`, ...(how === "slowly" ? { "x-tfy-request-timeout": "3000" } : {}) },
		body: JSON.stringify({ model, stream, ...(path === "responses" || path === "embeddings" ? { input: said[0].content } : { max_tokens: 9000, messages: said }), ...(path === "responses" ? { max_output_tokens: 9000 } : {}), ...more }),
	});
	let text = "";
	try {
		for await (const d of r.body.pipeThrough(new TextDecoderStream())) {
			text += d;
			if (how !== "leave" || text.length < 10000) continue;
			// An end within 10 ms of the question is a half-close, whose client still reads.
			await new Promise((r) => setTimeout(r, 100));
			away.abort();
		}
	} catch {
		text += "(broken off)";
	}
	return { text, status: r.status, again: r.headers.get("x-should-retry") !== "false", line: await logged(r.headers.get("x-request-id")) };
}

async function row(path, model, how, stream, want, more) {
	const { text, status, line, again } = await ask(path, model, how, stream, more);
	const bad = Object.entries(want).filter(([, is]) => !is(line, text, status)).map(([name]) => name);
	if (status === 502 && again === hopeless.has(line.outcome)) bad.push("not to be asked again");
	if (Math.abs((line.tokens_in + line.tokens_out) / 1000 - line.cost_usd) > 1e-6) bad.push("its price");
	if (bad.length > 0) console.log(path, model, how, stream ? "stream" : "whole", JSON.stringify(more ?? {}), "is not", bad.join(", "), JSON.stringify(line), text.slice(-300)), wrong++;
}

const between = (n, from, to) => n >= from && n <= to;
const counted = { "as it was counted": (l) => !l.estimated && l.tokens_in === 10 && l.tokens_out === 7 };
const guessed = { "an estimate of its text": (l) => l.estimated && between(l.tokens_in, 6, 99) && between(l.tokens_out, 2500, 2900) };
const half = { "an estimate of the question": (l) => l.estimated && between(l.tokens_in, 11, 99) && l.tokens_out >= 7 };
const ended = (outcome, at) => ({ [outcome]: (l, text, status) => l.outcome === outcome && l.attempts.length === 1 && status === at });
const told = (words) => ({ [`told "${words}"`]: (l, text) => text.includes(words) });
const lacks = (words) => ({ [`without "${words}"`]: (l, text) => !text.includes(words) });

const ways = [
	["chat/completions", "any/m"], ["chat/completions", "any/m", { n: 2 }], ["chat/completions", "pair"], ["chat/completions", "held"],
	["messages", "any/m"], ["messages", "pair"], ["messages", "held"], ["responses", "any/m"], ["responses", "held"],
	["chat/completions", "talks/m"], ["messages", "chats/m"],
];
for (const [path, model, more] of ways)
	for (const stream of [false, true]) {
		for (const how of ["in", "null", "none"]) await row(path, model, how, stream, guessed, more);
		await row(path, model, "out", stream, half, more);
		await row(path, model, "both", stream, counted, more);
	}
const usage = (is) => ({ "told what it costs": (l, text) => text.split("\n").filter((s) => s.startsWith("data: {")).some((s) => { const u = JSON.parse(s.slice(6)).usage; return u && is(u); }) });
await row("messages", "chats/m", "in", true, usage((u) => u.output_tokens >= 2500 && u.input_tokens > 5));
await row("chat/completions", "talks/m", "none", true, usage((u) => u.completion_tokens >= 2500 && u.prompt_tokens > 5), { stream_options: { include_usage: true } });
for (const how of ["in", "null"]) await row("embeddings", "any/m", how, false, { "as it was counted": (l) => !l.estimated && l.tokens_in === 10 && l.tokens_out === 0 });
for (const how of ["out", "none"]) await row("embeddings", "any/m", how, false, { "an estimate": (l) => l.estimated && between(l.tokens_in, 11, 99) && l.tokens_out === 0 });

// Who leaves with all of it in his hands pays for it.
for (const [path, model] of ways.filter(([, model, more]) => model !== "held" && !more))
	await row(path, model, "leave", true, { ...ended("client-gone", 200), "an estimate": (l) => l.estimated && between(l.tokens_in, 11, 99) && between(l.tokens_out, 2500, 2600) });

// An event is as long as an answer may be; a longer one was asked and answered all the same.
const all = { "all that could be": (l) => l.estimated && between(l.tokens_in, 10, 99) && l.tokens_out === 9000 };
for (const [path, model] of ways.filter(([, model, more]) => !more)) {
	await row(path, model, "large", true, { ...ended("ok", 200), ...counted });
	await row(path, model, "huge", true, { ...ended("too-big", 502), ...all });
}
await row("chat/completions", "judged", "both", true, { ...ended("ok", 200), ...counted });
await row("chat/completions", "judged", "many", true, { ...ended("too-big", 502), ...all });
await Promise.all([ways[0], ways[4], ways[7], ways[9], ways[10]].map(([path, model]) => row(path, model, "slowly", true, { ...ended("deadline", 504), ...all })));

// Each API's own ends.
for (const stream of [false, true]) await row("responses", "any/m", "incomplete", stream, { ...ended("ok", 200), ...counted });
await row("responses", "any/m", "failed", true, { "an error": (l) => l.outcome === "stream-error", ...told(": boo"), "counted, or the text that came": (l) => l.tokens_in === 10 && l.tokens_out >= 7 });
await row("responses", "any/m", "failed", false, { "an error": (l) => l.outcome === "stream-error", ...told(": boo"), ...counted });
await row("chat/completions", "any/m", "busy", true, { "an error": (l) => l.outcome === "overloaded", ...lacks("[DONE]"), "counted, or the text that came": (l) => l.tokens_in === 10 && l.tokens_out >= 7 });
await row("chat/completions", "any/m", "lone", true, { "unfinished": (l) => l.outcome === "unfinished", ...lacks("[DONE]"), ...told("without finishing") }, { n: 2 });
await row("chat/completions", "any/m", "lone", true, { ...ended("ok", 200), ...counted, ...told("[DONE]") });

// Each end of each API, translated as well: what failed is told with its reason, what ended is
// whole, and all of them cost what was said by then.
const said = { "its text": (l) => between(l.tokens_in, 6, 99) && between(l.tokens_out, 2500, 2900) };
for (const [path, model] of [ways[0], ways[3], ways[4], ways[6], ways[7], ways[8], ways[9], ways[10]]) {
	await row(path, model, "broken", true, { "an error": (l) => l.outcome === "stream-error", ...said, ...told(": boo"), ...lacks("[DONE]"), ...lacks("message_stop") });
	await row(path, model, "short", true, { "unfinished": (l) => l.outcome === "unfinished", ...said, ...lacks("[DONE]"), ...lacks("message_stop") });
	if (path === "responses") continue;
	await row(path, model, "over", true, { ...ended("ok", 200), ...counted, ...told(path === "messages" ? "message_stop" : "[DONE]") });
	await row(path, model, "mute", true, { ...ended("ok", 200), "the question": (l) => between(l.tokens_in, 6, 99) && l.tokens_out <= 7 });
}

// What has no word in the client's API was made and counted all the same, and is asked for once.
const asked = { "the question": (l) => between(l.tokens_in, 10, 99) && l.tokens_out <= 7 };
for (const [path, model, cited, pause] of [["chat/completions", "talks/m", "citations", "pause_turn"], ["messages", "chats/m", "annotations", "pause"]]) {
	await row(path, model, "sources", false, { ...ended("untranslatable", 502), ...counted, ...told(`no word for: ${cited}`) });
	await row(path, model, "sources", true, { ...ended("untranslatable", 502), ...asked, ...told(`no word for: ${cited}`) });
	await row(path, model, "pause", false, { ...ended("untranslatable", 502), ...counted, ...told(`no word for: ${pause}`) });
	await row(path, model, "pause", true, { "untranslatable": (l) => l.outcome === "untranslatable" && l.attempts.length === 1, ...counted, ...told(`no word for: ${pause}`), ...lacks("[DONE]"), ...lacks("message_stop") });
}
process.exit(wrong > 0 ? 1 : 0);
