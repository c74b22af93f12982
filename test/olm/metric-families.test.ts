/** @module-tag long */
import { expect, test } from 'vitest';
import { familiesIn, playFamilies, readFamilies } from './metric-families.ts';
import { startOurs } from './ours.ts';

test('metrics are read by name, with type and labels', () => {
  const text = `# HELP a_total Text.
# TYPE a_total counter
a_total{name="x",phase="y, z"} 1
# TYPE b_seconds summary
b_seconds{quantile="0.9",outcome="failed"} 0.1
b_seconds_sum{outcome="failed"} 0.1
# TYPE go_threads gauge
go_threads 4
`;
  expect(familiesIn(text)).toEqual({
    a_total: { type: 'counter', labels: ['name', 'phase'] },
    b_seconds: { type: 'summary', labels: ['outcome', 'quantile'] },
  });
});

test('metrics have the names, types and labels of OLM', async () => {
  await using ours = await startOurs();
  expect(await playFamilies(ours)).toEqual(await readFamilies());
});
