import { runSequence, describeFailure } from './run.ts';
const [from = 1, to = 3, shrinkTries = 0] = process.argv.slice(2).map(Number);
for (let seed = from; seed <= to; seed++) {
  const t = performance.now();
  const f = await runSequence(seed, { actionCount: 12, shrinkTries });
  console.log(seed, ((performance.now() - t) / 1000).toFixed(1), f === undefined ? 'ok' : describeFailure(f));
}
