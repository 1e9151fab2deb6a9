// A WebSocket server made of frames by hand, and a client that is Node's own (20: --experimental-websocket).
//	node talk.mjs server --ready-file FILE     prints a line for what it hears: PATH WHAT
//	node --experimental-websocket talk.mjs client URL SAY...   prints what it hears, and how it ended
import crypto from "node:crypto";
import fs from "node:fs";
import http from "node:http";

const [role, ...args] = process.argv.slice(2);

function frame(opcode, payload, is_final = true) {
	const n = payload.length;
	const head = n < 126 ? Buffer.from([0, n]) : n < 65536 ? Buffer.alloc(4) : Buffer.alloc(10);
	if (n >= 65536) {
		head[1] = 127;
		head.writeBigUInt64BE(BigInt(n), 2);
	} else if (n >= 126) {
		head[1] = 126;
		head.writeUInt16BE(n, 2);
	}
	head[0] = opcode | (is_final ? 0x80 : 0);
	return Buffer.concat([head, payload]);
}

// What a client has said, unmasked.
function* frames(state, bytes) {
	state.rest = Buffer.concat([state.rest, bytes]);
	for (;;) {
		const b = state.rest;
		let n = b.length > 1 ? b[1] & 127 : 0, at = 2;
		if (b.length < 2 || b.length < (n === 126 ? 4 : n === 127 ? 10 : 2))
			return;
		if (n === 126)
			[n, at] = [b.readUInt16BE(2), 4];
		else if (n === 127)
			[n, at] = [Number(b.readBigUInt64BE(2)), 10];
		if (b.length < at + 4 + n)
			return;
		yield [b[0] & 15, Buffer.from(b.subarray(at + 4, at + 4 + n).map((x, i) => x ^ b[at + i % 4]))];
		state.rest = b.subarray(at + 4 + n);
	}
}

// "count N GAP": N messages, each in two fragments with a ping between them, so many ms apart; "drip": the same
// byte by byte; "big N": one of N bytes; "binary"; "bye": a close; all else comes back.
async function answer(socket, text) {
	const [word, n, gap] = text.split(" ");
	if (word === "count" || word === "drip")
		for (let i = 1; i <= Number(n); i++) {
			const body = Buffer.from(`{"n":${i},"text":"grüße from the other side"}`);
			const out = Buffer.concat([frame(1, body.subarray(0, 30), false), frame(9, Buffer.from("ping")), frame(0, body.subarray(30))]);
			for (let at = 0; at < out.length; at += word === "drip" ? 1 : out.length) {
				socket.write(out.subarray(at, word === "drip" ? at + 1 : out.length));
				if (word === "drip")
					await new Promise((done) => setImmediate(done));
			}
			if (Number(gap))
				await new Promise((done) => setTimeout(done, Number(gap)));
		}
	else if (word === "big")
		socket.write(frame(1, Buffer.alloc(Number(n), "x")));
	else if (word === "binary")
		socket.write(frame(2, Buffer.from([1, 2, 3])));
	else if (word === "bye")
		socket.end(frame(8, Buffer.from([0x03, 0xe8])));
	else if (word === "noise")
		socket.write(crypto.randomBytes(100).fill(0xff, 0, 2));
	else
		socket.write(frame(1, Buffer.from(text)));
}

if (role === "server") {
	const server = http.createServer((request, response) => response.writeHead(426).end("websocket alone"));
	server.on("upgrade", (request, socket) => {
		const state = { rest: Buffer.alloc(0), said: Promise.resolve() };
		const key = request.headers["sec-websocket-key"] + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
		if (request.url === "/no") {
			socket.end("HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno");
			return;
		}
		const tell = (what) => process.stdout.write(`${request.url} ${what}\n`);
		socket.on("error", () => tell("reset"));
		socket.write("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n" +
		    `Sec-WebSocket-Accept: ${crypto.createHash("sha1").update(key).digest("base64")}\r\n\r\n`);
		socket.on("data", (bytes) => {
			for (const [opcode, payload] of frames(state, bytes))
				if (opcode === 8) {
					tell(`close ${payload.length > 1 ? payload.readUInt16BE(0) : 1005}`); // 1005: none said (RFC 6455, 7.1.5); noise may be one byte
					state.said = state.said.then(() => socket.end(frame(8, payload)));
				} else if (opcode === 1 && tell(`said ${payload.length > 100 ? payload.length : payload}`) !== null)
					state.said = state.said.then(() => answer(socket, payload.toString() === "offer" ? `offer ${request.headers["sec-websocket-extensions"]}` : payload.toString()));
		});
		socket.on("end", () => {
			tell(`end${state.rest.length ? ` torn ${state.rest.length}` : ""}`);
			if (request.url !== "/deaf")
				socket.end();
		});
	}).listen(0, "127.0.0.1", () => {
		const line = `ready upstream=127.0.0.1:${server.address().port}\n`;
		fs.writeFileSync(args[1], line);
		process.stdout.write(line);
	});
} else {
	const [url, ...say] = args;
	const ws = new WebSocket(url);
	const begun = performance.now();
	let last = begun;
	let quiet = setTimeout(() => process.exit(9), 100000);
	let is_open = false;
	ws.onopen = () => (is_open = true) && say.forEach((text) => ws.send(text.startsWith("long ") ? "y".repeat(Number(text.slice(5))) : text));
	ws.onmessage = ({ data }) => {
		console.log(data.length > 100 ? `${data.length} ${data[0]}` : typeof data === "string" ? data : "binary");
		last = performance.now();
	};
	ws.onclose = ({ code, wasClean }) => {
		console.log(`closed ${code}${wasClean ? "" : " unclean"}`);
		if (process.env.TIMES)
			console.log(`last after ${Math.round(last - begun)}`);
		clearTimeout(quiet);
		process.exit(0);
	};
	ws.onerror = () => {
		if (is_open)
			return;
		console.log("no WebSocket");
		process.exit(0);
	};
}
