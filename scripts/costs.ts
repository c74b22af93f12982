/** `npm run costs`: objects with very many values in some of their lists and maps, by chance, on a whole platform: how long others wait meanwhile. The
 *  same seed makes the same objects. */
import { parseArgs } from 'node:util';
import { type CostFinding, findCosts } from '../test/faults/costs/run.ts';

const usage = `usage: npm run costs -- [options]
  --seconds N  (default 600)
  --seed N     of the objects (default: another one each day)
  --first N    the number of the first draw (default 0)
  --kind NAME  objects of this kind alone; may be given more than once
  --limit N    milliseconds of processor time that others may wait (default 1000)`;

const dayMs = 86_400_000;
const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '600' },
    seed: { type: 'string', default: String(Math.floor(Date.now() / dayMs)) },
    first: { type: 'string', default: '0' },
    kind: { type: 'string', multiple: true, default: [] },
    limit: { type: 'string', default: '1000' },
    help: { type: 'boolean', default: false },
  },
});

let found = 0;

function print({ number, objects, problem, steps }: CostFinding): void {
  found += 1;
  console.log(`draw ${number}: ${objects}\n  ${problem}`);
  for (const step of steps) if (!step.startsWith('crowd')) console.log(`    ${step}`);
}

const drawsALine = 50;

function progress(number: number, objects: string): void {
  if (number % drawsALine === 0) console.log(`draw ${number}: ${objects}; ${found} found until now`);
}

const numbers = [values.seconds, values.seed, values.first, values.limit].map(Number);
const [seconds = 0, seed = 0, first = 0, limitMs = 0] = numbers;
if (values.help) console.log(usage);
else if (numbers.every(Number.isFinite)) {
  console.log(`seed ${seed}`);
  const options = { seed, first, limitMs, kinds: values.kind, forMs: seconds * 1000 };
  const draws = await findCosts({ ...options, onFound: print, onDrawn: progress });
  console.log(`${draws} draws, ${found} found`);
  process.exitCode = found === 0 ? 0 : 1;
} else {
  console.error(usage);
  process.exitCode = 2;
}
