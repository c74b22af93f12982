/** `npm run soak`: two replicas of the whole platform under load and faults for an hour; `-- --minutes 10` is the short form. */
import { parseArgs } from 'node:util';
import { soak } from '../test/soak/soak.ts';

const usage = `usage: npm run soak -- [options]
  --minutes N  how long (default 60)
  --seed N     of the actions and disturbances (default: another one each day)`;

const dayMs = 86_400_000;
const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '60' },
    seed: { type: 'string', default: String(Math.floor(Date.now() / dayMs)) },
    help: { type: 'boolean', default: false },
  },
});

async function main(minutes: number, seed: number): Promise<number> {
  const startedMs = Date.now();
  const report = (line: string): void =>
    console.log(`${((Date.now() - startedMs) / 1000).toFixed(0).padStart(5)} s  ${line}`);
  console.log(`seed ${seed}, ${minutes} minutes`);
  const { actions, settled, chaos, admission, processes, problems } = await soak({
    forMs: minutes * 60_000,
    seed,
    report,
  });
  console.log(`${actions} actions of users, ${settled} times everything was in its desired state`);
  console.log([...chaos].map(([name, count]) => `${name}: ${count}`).join(', '));
  console.log(
    `admission: ${admission.right} right answers, ${admission.unanswered} times none, while it was disturbed`,
  );
  for (const { name, endings, peakBytes } of processes) {
    console.log(`${name}: at most ${Math.round(peakBytes / 2 ** 20)} MiB, restarted ${endings} times`);
  }
  for (const problem of problems) console.log(`  ${problem}`);
  console.log(problems.length === 0 ? 'nothing wrong' : `${problems.length} problems`);
  return problems.length === 0 ? 0 : 1;
}

const [minutes, seed] = [Number(values.minutes), Number(values.seed)];
if (values.help) console.log(usage);
else if (minutes > 0 && Number.isInteger(seed)) process.exitCode = await main(minutes, seed);
else {
  console.error(usage);
  process.exitCode = 2;
}
