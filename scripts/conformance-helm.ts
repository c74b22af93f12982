/** `npm run conformance:helm`: installs, upgrades, rolls back and removes charts of public repositories with Helm and with Longshore on the same server, and
 *  compares every object. */
import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { helmForTests } from '../test/clients/helm-program.ts';
import { startWorld } from '../test/e2e/world.ts';
import { realCharts } from '../test/helm/chart-cache.ts';
import { type Played, playChart } from '../test/helm/play.ts';

const usage = `usage: npm run conformance:helm -- [options]
  --chart TEXT   only charts whose names contain it; may be given several times
  --offline      only charts that were fetched before
  --out FILE     write everything that differs, as JSON`;

const { values } = parseArgs({
  options: {
    chart: { type: 'string', multiple: true },
    offline: { type: 'boolean', default: false },
    out: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

async function main(): Promise<void> {
  if (values.help) return console.log(usage);
  const { path, why } = await helmForTests();
  if (why !== '') return console.log(`conformance:helm${why}`);
  const all = await realCharts({ mayFetch: !values.offline, report: console.log });
  const charts = all.filter(({ id }) => values.chart?.some((text) => id.includes(text)) ?? true);
  if (charts.length === 0) return console.log('conformance:helm (skipped: no charts)');
  await using world = await startWorld(['--helm', path]);
  const played: Played[] = [];
  for (const chart of charts) {
    const result = await playChart(world, path, chart);
    played.push(result);
    const count = Object.values(result.differences).flat().length;
    console.log(
      `${result.chart}: ${result.objects} objects, ${result.hooks} hooks: ${result.steps.join(', ')}; ${count} differences`,
    );
    for (const problem of result.problems) console.log(`    ${problem.replaceAll('\n', '\n      ')}`);
    for (const [step, differences] of Object.entries(result.differences)) {
      for (const { object, path: at, helm, ours } of differences.slice(0, 6)) {
        console.log(`    ${step}: ${object} ${at}\n        helm: ${helm}\n        ours: ${ours}`);
      }
    }
    if (values.out !== undefined) await writeFile(values.out, JSON.stringify(played, undefined, 2));
  }
}

await main();
