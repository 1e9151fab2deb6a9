// Answers that come to nothing, or to nothing for long: what is asked says which.
//	empty		no text, and it says that it has ended
//	twice		no resources at the first try, then an answer
//	uncounted	an answer without usage; up: one of /a's alone, /b is silent
//	cut		a stream that is reset after a word, gone on with by /b
//	hang		a stream of one word without an end; silent: not even a head
import fs from "node:fs";
import http from "node:http";

const data = (o) => `data: ${JSON.stringify(o)}\n\n`;
const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
const chunk = (delta, finish_reason = null) => data({ id: "i", object: "chat.completion.chunk", model: "m", choices: [{ index: 0, delta, finish_reason }] });
const whole = (content, finish_reason, usage) => JSON.stringify({ id: "i", object: "chat.completion", model: "m", choices: [{ index: 0, message: { role: "assistant", content }, finish_reason }], usage });
const end = (usage) => (usage ? data({ id: "i", object: "chat.completion.chunk", model: "m", choices: [], usage }) : "") + "data: [DONE]\n\n";
const asked = {};

http.createServer((req, res) => {
	let body = "";
	req.on("data", (d) => (body += d));
	req.on("end", () => {
		fs.appendFileSync(process.argv[2], `${req.url} ${JSON.stringify(req.headers)}\n`);
		const ask = JSON.parse(body), how = ask.messages ? ask.messages[0].content : "vectors";
		const tries = (asked[how + ask.stream] = (asked[how + ask.stream] || 0) + 1), isB = req.url.startsWith("/b/");
		if (how === "silent" || (how === "up" && isB)) return;
		const counts = how === "uncounted" ? null : usage;
		const text = how === "empty" && !isB ? "" : isB ? " goes on" : "word";
		const finish = how === "twice" && tries === 1 ? "insufficient_system_resource" : "stop";
		if (!ask.stream)
			return res.setHeader("content-type", "application/json").end(whole(text, finish, counts));
		res.writeHead(200, { "content-type": "text/event-stream" });
		if (how === "hang" || (how === "cut" && !isB)) {
			res.write(chunk({ role: "assistant", content: "It" }));
			if (how === "cut") setTimeout(() => res.socket.resetAndDestroy(), 50);
			return;
		}
		res.end(chunk({ role: "assistant", content: "" }) + (text ? chunk({ content: text }) : "") + chunk({}, finish) + end(counts));
	});
}).listen(0, "127.0.0.1", function () {
	fs.writeFileSync(process.argv[process.argv.indexOf("--ready-file") + 1], `ready upstream=127.0.0.1:${this.address().port}\n`);
	console.log("ready ");
});
process.on("SIGTERM", () => process.exit(0));
