// Answers of ten thousand bytes in each API, whole or as one event, whose usage
// says what the question says: "in" and "out" one half of it, "null" the other one
// as null, "none" nothing, "both" all.  "leave" is a stream that stays open.  With
// "both": "large" and "huge" are one event of 2.5 and of 3.5 MB, "slowly" the latter
// that never ends, "failed" and "incomplete" end a response so, "lone" is the end of
// one choice of two, "busy" that of a model without room, and "sources" and "pause"
// have what the other API has no word for.  "broken" has an error behind its words, "over"
// says why it ends and no more, "short" not even that, "many" is four megabytes in events of half a one, "mute" does without a word of text.
import fs from "node:fs";
import http from "node:http";

const sizes = { large: 2500000, huge: 3500000, slowly: 3500000 };
const counts = (how, i, o) => ({ in: { [i]: 10 }, out: { [o]: 7 }, null: { [i]: 10, [o]: null }, none: undefined, leave: undefined })[how] ?? (["none", "leave", "in", "out", "null"].includes(how) ? undefined : { [i]: 10, [o]: 7 });
const data = (o) => `data: ${JSON.stringify(o)}\n\n`;
const named = (type, o) => `event: ${type}\n${data({ type, ...o })}`;

function end(res, how, text) {
	if (how === "leave") res.write(text.split("\n\n")[0] + "\n\n");
	else if (how === "slowly") res.write(text.slice(0, 2000000));
	else res.end(text);
}

const apis = {
	"chat/completions": (ask, how, long) => {
		const usage = counts(how, "prompt_tokens", "completion_tokens"), n = ask.n || 1, content = long.slice(0, long.length / n);
		const finish_reason = how === "busy" ? "insufficient_system_resource" : how === "pause" ? "pause" : "stop";
		const choices = (f) => [...Array(n).keys()].map((index) => ({ index, ...f }));
		const chunk = (o) => data({ id: "i", object: "chat.completion.chunk", model: "m", ...o });
		const annotations = how === "sources" ? [{ type: "url_citation" }] : undefined;
		if (!ask.stream) return JSON.stringify({ id: "i", object: "chat.completion", model: "m", choices: choices({ message: { role: "assistant", content, annotations }, finish_reason }), usage });
		if (how === "many") return Array(8).fill(chunk({ choices: [{ index: 0, delta: { content: long.repeat(50) } }] })).join("");
		if (how === "mute") return chunk({ choices: choices({ delta: {}, finish_reason: "length" }) });
		const words = choices({ delta: { content, annotations }, finish_reason: null }).map((c) => chunk({ choices: [c] })).join("");
		if (how === "broken") return words + data({ error: { message: "boo" }, usage });
		if (how === "short") return words;
		if (how === "over") return words + chunk({ choices: choices({ delta: {}, finish_reason }), usage });
		if (how === "lone") return words + chunk({ choices: [{ index: 0, delta: {}, finish_reason }] }) + chunk({ choices: [], usage });
		if (how === "busy") return words + chunk({ choices: choices({ delta: {}, finish_reason }), usage });
		return words + chunk({ choices: choices({ delta: {}, finish_reason }) }) + (usage ? chunk({ choices: [], usage }) : "") + "data: [DONE]\n\n";
	},
	messages: (ask, how, long) => {
		const usage = counts(how, "input_tokens", "output_tokens"), m = { id: "i", type: "message", role: "assistant", model: "m" };
		const stop_reason = how === "pause" ? "pause_turn" : "end_turn", citations = how === "sources" ? [{ type: "char_location", cited_text: long }] : undefined;
		if (!ask.stream) return JSON.stringify({ ...m, content: [{ type: "text", text: long, citations }], stop_reason, stop_sequence: null, usage });
		const { output_tokens, ...first } = usage || {};
		const begin = named("message_start", { message: { ...m, content: [], usage: first } }), over = named("message_delta", { delta: { stop_reason: how === "mute" ? "max_tokens" : stop_reason, stop_sequence: null }, usage: { output_tokens } });
		const words = begin + named("content_block_start", { index: 0, content_block: { type: "text", text: "" } }) + named("content_block_delta", { index: 0, delta: { type: "text_delta", text: long } });
		if (how === "mute") return begin + named("message_delta", { delta: { stop_reason: "max_tokens" } });
		if (how === "broken") return words + named("error", { error: { type: "overloaded_error", message: "boo" } });
		if (how === "short") return words;
		if (how === "over") return words + named("content_block_stop", { index: 0 }) + over;
		return (how === "leave" ? "" : named("message_start", { message: { ...m, content: [], usage: first } }) + named("content_block_start", { index: 0, content_block: { type: "text", text: "" } })) +
			(citations ? named("content_block_delta", { index: 0, delta: { type: "citations_delta", citation: citations[0] } }) : "") +
			named("content_block_delta", { index: 0, delta: { type: "text_delta", text: long } }) + named("content_block_stop", { index: 0 }) +
			named("message_delta", { delta: { stop_reason, stop_sequence: null }, usage: output_tokens === undefined ? undefined : { output_tokens } }) + named("message_stop", {});
	},
	responses: (ask, how, long) => {
		const usage = counts(how, "input_tokens", "output_tokens"), output = [{ type: "message", id: "m", status: "completed", role: "assistant", content: [{ type: "output_text", text: long, annotations: [] }] }];
		const status = { failed: "failed", incomplete: "incomplete" }[how] || "completed", error = how === "failed" ? { code: "server_error", message: "boo" } : null;
		const response = { id: "i", object: "response", status, error, model: "m", output, usage };
		if (how === "broken") return named("response.output_text.delta", { delta: long }) + named("error", { code: "server_error", message: "boo", param: null });
		if (how === "short") return named("response.output_text.delta", { delta: long }) + named("response.output_text.done", { text: long });
		return ask.stream ? named("response.output_text.delta", { delta: long }) + named(`response.${status}`, { response }) : JSON.stringify(response);
	},
	embeddings: (ask, how) => JSON.stringify({ object: "list", model: "m", data: [{ object: "embedding", index: 0, embedding: [0.5] }], usage: counts(how, "prompt_tokens", "total_tokens") }),
};

http.createServer((req, res) => {
	let body = "";
	req.on("data", (d) => (body += d));
	req.on("end", () => {
		const ask = JSON.parse(body), api = Object.keys(apis).find((a) => req.url.endsWith(a));
		const how = /how-(\w+)/.exec(body)[1], text = apis[api](ask, how, "x".repeat(sizes[how] || 10000));
		res.on("error", () => {});
		res.writeHead(200, { "content-type": ask.stream ? "text/event-stream" : "application/json" });
		end(res, how, text);
	});
}).listen(0, "127.0.0.1", function () {
	fs.writeFileSync(process.argv[process.argv.indexOf("--ready-file") + 1], `ready upstream=127.0.0.1:${this.address().port}\n`);
	console.log("ready ");
});
process.on("SIGTERM", () => process.exit(0));
