/** `npm run fuzz`: corrupts input from outside, for a fixed time, and keeps every input that breaks something. The same seed makes the same inputs. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type FuzzFinding, type FuzzOptions, openFuzzer } from '../test/faults/fuzz/run.ts';
import { fuzzTargets } from '../test/faults/fuzz/targets.ts';

const usage = `usage: npm run fuzz -- [options]
  --seconds N    time for all targets together (default 60)
  --seed N       of the inputs (default: another one each day)
  --first N      the number of the first input (default 0)
  --target NAME  one target: ${fuzzTargets.map(({ name }) => name).join(', ')}
  --keep FOLDER  where inputs that break something are written (default fuzz-findings)`;

const dayMs = 86_400_000;
const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    seed: { type: 'string', default: String(Math.floor(Date.now() / dayMs)) },
    first: { type: 'string', default: '0' },
    target: { type: 'string' },
    keep: { type: 'string', default: 'fuzz-findings' },
    help: { type: 'boolean', default: false },
  },
});

const fuzzer = openFuzzer();

async function keep(finding: FuzzFinding): Promise<string> {
  await mkdir(values.keep, { recursive: true });
  const path = join(values.keep, `${finding.target.replaceAll(' ', '-')}-${finding.seed}-${finding.number}`);
  await writeFile(path, finding.input);
  return path;
}

/** Prints the result of a target; returns how many inputs broke something. */
async function run(name: string, options: FuzzOptions): Promise<number> {
  const { inputs, accepted, findings } = await fuzzer.fuzz(name, options);
  const counted = `${String(inputs).padStart(8)} inputs, ${accepted} accepted, ${findings.length} found`;
  console.log(`${name.padEnd(18)} ${counted}`);
  for (const finding of findings) {
    const text = finding.text.split('\n').slice(0, 4).join('\n    ');
    console.log(`  input ${finding.number}, kept as ${await keep(finding)}: ${text}`);
  }
  return findings.length;
}

async function runAll(names: readonly string[], options: FuzzOptions): Promise<number> {
  console.log(`seed ${options.seed}`);
  let found = 0;
  for (const name of names) found += await run(name, options);
  console.log(found === 0 ? 'nothing found' : `${found} found`);
  return found === 0 ? 0 : 1;
}

const names = fuzzTargets.map(({ name }) => name).filter((name) => (values.target ?? name) === name);
const forMs = (Number(values.seconds) * 1000) / names.length;
const [seed, first] = [Number(values.seed), Number(values.first)];
if (values.help) console.log(usage);
else if (Number.isInteger(seed) && Number.isInteger(first) && Number.isFinite(forMs)) {
  process.exitCode = await runAll(names, { seed, first, forMs });
  await fuzzer[Symbol.asyncDispose]();
} else {
  console.error(usage);
  process.exitCode = 2;
}
