// schema.mjs KF_CHAOS SCHEMA TMP: the schema (judged by ajv) and the parser
// (kf-chaos check) agree: on every case of tests/data/scenario, on every
// scenario that is kept here, and on what the case with every kind of
// everything becomes when one member at a time is taken out, added, or given
// another value.
// A schema may pass what only the parser knows; never the other way round.
import Ajv from "ajv";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { execFile } from "node:child_process";
import { join } from "node:path";

const [chaos, schemaFile, tmp] = process.argv.slice(2);
const valid = new Ajv({ allErrors: true, strict: false }).compile(JSON.parse(readFileSync(schemaFile, "utf8")));

// What a schema cannot say, as the parser says it.
const beyond = [
	/expected the (name|id) of a (phase|proxy|rule|preset)/, /expected a new name/,
	/expected requests or ms in all phases but the last/, /expected more than in the phase before/,
	/expected two integers, 1 to 1000, in order/, /expected chat, messages/, /expected (an IPv4 address|HOST:PORT with a port)/, /expected at most n/, /not JSON: duplicate/,
	/: found \d+, expected at most 64$/, /\/preset: "/, /found real [0-9]+\.0/,
];

const batch = 250;

// What the parser says of each file: { good, says }.
const checkAll = async (files) => {
	const said = new Map(files.map((f) => [f, { good: true, says: "" }]));
	for (let i = 0; i < files.length; i += batch)
		await new Promise((done) => execFile(chaos, ["check", ...files.slice(i, i + batch)],
		    { maxBuffer: 1 << 26 }, (e, out, err) => {
			if (e && e.code !== 2)
				throw e;
			for (const line of err.split("\n")) {
				const at = said.get(line.match(/^kf-chaos: (.*?\.json|[^:]*\/in):/)?.[1]);
				if (at)
					Object.assign(at, { good: false, says: line });
			}
			done();
		}));
	return said;
};

let bad = 0, seen = 0, refused = 0;
const judge = (what, doc, parser) => {
	const schema = doc !== undefined && valid(doc);
	seen++;
	refused += !parser.good;
	if (schema === parser.good || (schema && beyond.some((b) => b.test(parser.says))))
		return;
	bad++;
	console.error(`${what}: schema ${schema ? "passes" : "refuses"}, parser says ${parser.says || "good"}`);
	if (!schema)
		console.error(valid.errors.slice(0, 3).map((e) => `  ${e.instancePath} ${e.message}`).join("\n"));
};

const parse = (text) => {
	try { return JSON.parse(text); } catch { return undefined; }
};

// Every place in v, as a path of keys.
function* places(v, at = []) {
	for (const key of Object.keys(v)) {
		yield [...at, key];
		if (v[key] && typeof v[key] === "object")
			yield* places(v[key], [...at, key]);
	}
}

const others = [7, -1, 1e12, 0.5, "", "a b|c", true, null, [], {}];

// v with the member at path changed by change(holder, key).
const changed = (v, path, change) => {
	const copy = structuredClone(v);
	change(path.slice(0, -1).reduce((o, k) => o[k], copy), path.at(-1));
	return copy;
};

function* mutants(v) {
	for (const path of places(v)) {
		const at = "/" + path.join("/");
		yield [at + " out", changed(v, path, (o, k) => Array.isArray(o) ? o.splice(k, 1) : delete o[k])];
		yield [at + "_", changed(v, path, (o, k) => { if (!Array.isArray(o)) o[k + "_"] = o[k]; })];
		for (const value of others) {
			yield [`${at} = ${JSON.stringify(value)}`, changed(v, path, (o, k) => { o[k] = value; })];
		}
	}
}

const cases = readdirSync("tests/data/scenario").map((n) => join("tests/data/scenario", n, "in"));
const kept = readdirSync("scenarios", { recursive: true }).filter((f) => f.endsWith(".json") &&
    (f.startsWith("presets/") || f.endsWith("/scenario.json"))).map((f) => join("scenarios", f));
const documents = new Map([...cases, ...kept].map((f) => [f, { what: f, doc: parse(readFileSync(f, "utf8")) }]));
for (const file of cases.filter((f) => /good-every-kind/.test(f)))
	for (const [what, doc] of mutants(JSON.parse(readFileSync(file, "utf8")))) {
		const path = join(tmp, `mutant-${documents.size}.json`);
		writeFileSync(path, JSON.stringify(doc));
		documents.set(path, { what: `${file} ${what}`, doc });
	}
const said = await checkAll([...documents.keys()]);
for (const [file, { what, doc }] of documents)
	judge(what, doc, said.get(file));
console.log(`${seen} documents, ${refused} refused by the parser, ${bad} disagreements`);
process.exit(bad || refused < seen / 4 || refused > seen * 0.95 ? 1 : 0);
