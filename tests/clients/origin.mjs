// A TLS server with a certificate of the test's own, and a plain one, that say what they were
// asked; --ready-file as our own programs have it.
//	node origin.mjs KEY CERT --ready-file FILE
import http from "node:http";
import https from "node:https";
import fs from "node:fs";

const [key, cert, , ready] = process.argv.slice(2);
const answer = (is_tls) => (request, response) => {
	let body = "";
	request.on("data", (piece) => { body += piece; });
	request.on("end", () => {
		if (request.url === "/stream") {
			response.writeHead(200, { "content-type": "text/event-stream" });
			for (let i = 0; i < 5; i++)
				response.write(`data: {"n":${i}}\n\n`);
			response.end("data: [DONE]\n\n");
			return;
		}
		response.setHeader("content-type", "application/json");
		response.end(JSON.stringify({ tls: is_tls, method: request.method, url: request.url, body, headers: request.headers }));
	});
};
const plain = http.createServer(answer(false)).listen(0, "127.0.0.1", () => {
	const secure = https.createServer({ key: fs.readFileSync(key), cert: fs.readFileSync(cert) }, answer(true));
	secure.listen(0, "127.0.0.1", () => {
		const line = `ready plain=127.0.0.1:${plain.address().port} secure=localhost:${secure.address().port}\n`;
		fs.writeFileSync(ready, line);
		process.stdout.write(line);
	});
});
