// catalogue.mjs ADMIN FILE [EXCEPT...]: which faults of the program at ADMIN no rule
// of the scenario in FILE plays?  Those of EXCEPT need not be; each must be a
// fault.  Exits 1 with their names, so that a table of all faults stays one.
import fs from 'node:fs';

const [admin, file, ...except] = process.argv.slice(2);
const { toxics } = await (await fetch(`http://${admin}/ui/state`)).json();
const { rules } = JSON.parse(fs.readFileSync(file, 'utf8'));
const played = new Set(rules.flatMap((r) => [r.fault].flat().map((f) => f.type)));
const missing = toxics.filter((t) => !played.has(t) && !except.includes(t));
const strange = except.filter((t) => !toxics.includes(t) || played.has(t));
if (toxics.length < 40 || missing.length || strange.length) {
  console.log(`of ${toxics.length} faults not played: ${missing.join(', ') || 'none'}; excepted for nothing: ${strange.join(', ') || 'none'}`);
  process.exit(1);
}
