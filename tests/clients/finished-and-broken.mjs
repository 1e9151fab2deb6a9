// Streams that say why they end and then break (fin, reset, stall, error), or
// whose usage says half of it; /b goes on with whatever it is asked.
import fs from "node:fs";
import http from "node:http";

const long = "x".repeat(10000);
const data = (o) => `data: ${JSON.stringify(o)}\n\n`;
const chunk = (delta, finish_reason = null) => data({ id: "i", object: "chat.completion.chunk", model: "m", choices: [{ index: 0, delta, finish_reason }] });
const usage = (u) => data({ id: "i", object: "chat.completion.chunk", model: "m", choices: [], usage: u });
const named = (type, o) => `event: ${type}\n${data({ type, ...o })}`;

const message = (text, stop_reason) =>
	named("message_start", { message: { id: "i", type: "message", role: "assistant", model: "m", content: [], usage: { input_tokens: 3, output_tokens: 1 } } }) +
	named("content_block_start", { index: 0, content_block: { type: "text", text: "" } }) +
	named("content_block_delta", { index: 0, delta: { type: "text_delta", text } }) +
	named("content_block_stop", { index: 0 }) +
	named("message_delta", { delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 4 } });

const response = (text) =>
	named("response.output_text.delta", { delta: text }) +
	named("response.completed", { response: { id: "i", status: "completed", output: [{ type: "message", content: [{ type: "refusal", refusal: "no" }] }], usage: { input_tokens: 3, output_tokens: 4 } } });

const halves = { half: { prompt_tokens: 10 }, null: { prompt_tokens: 10, completion_tokens: null }, other: { total_tokens: 10 }, large: undefined };

function breakOff(how, res) {
	if (how === "fin") res.socket.end();
	if (how === "reset") res.socket.resetAndDestroy();
	if (how === "error") res.end(data({ error: { message: "gone", type: "server_error" } }));
	if (how === "stall") setTimeout(() => res.socket.destroy(), 300);
}

http.createServer((req, res) => {
	let body = "";
	req.on("data", (d) => (body += d));
	req.on("end", () => {
		const asked = JSON.parse(body), said = (asked.messages || asked.input)[0].content, how = said[0].text || said, isChat = req.url.endsWith("/chat/completions");
		if (!asked.stream)
			return res.setHeader("content-type", "application/json").end(JSON.stringify({ id: "i", object: "chat.completion", model: "m", choices: [{ index: 0, message: { role: "assistant", content: "a" }, finish_reason: "stop" }], usage: { prompt_tokens: 1, completion_tokens: 1 } }));
		res.writeHead(200, { "content-type": "text/event-stream" });
		if (req.url.endsWith("/responses")) {
			res.write(response("I will not."));
			setTimeout(() => breakOff(how, res), 50);
			return;
		}
		if (req.url.startsWith("/b/"))
			return res.end(isChat ? chunk({ content: " Sure, here is how:" }) + chunk({}, "stop") + "data: [DONE]\n\n" : message(" Sure", "end_turn") + named("message_stop", {}));
		if (how in halves)
			return res.end(chunk({ content: long }) + chunk({}, "stop") + (halves[how] ? usage(halves[how]) : "") + "data: [DONE]\n\n");
		res.write(isChat ? chunk({ role: "assistant", content: "I will not." }) + chunk({}, "content_filter") : message("I will not.", "end_turn"));
		setTimeout(() => breakOff(how, res), 50);
	});
}).listen(0, "127.0.0.1", function () {
	fs.writeFileSync(process.argv[process.argv.indexOf("--ready-file") + 1], `ready upstream=127.0.0.1:${this.address().port}\n`);
	console.log("ready ");
});
process.on("SIGTERM", () => process.exit(0));
