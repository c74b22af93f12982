/** `npm run conformance:helm`: installs, upgrades, rolls back and removes charts of public repositories with Helm and with Longshore on the same server, and
 *  compares every object. */
import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { helmForTests } from '../test/clients/helm-program.ts';
import { startWorld } from '../test/e2e/world.ts';
import { type RealChart, realCharts } from '../test/helm/chart-cache.ts';
import { recordedPath, recordOf } from '../test/helm/document.ts';
import { type Played, playChart } from '../test/helm/play.ts';

const usage = `usage: npm run conformance:helm -- [options]
  --chart TEXT   only charts whose names contain it; may be given several times
  --offline      only charts that were fetched before
  --record       write what all charts showed to test/helm/seen.json
  --out FILE     write everything that differs, as JSON`;

const { values } = parseArgs({
  options: {
    chart: { type: 'string', multiple: true },
    offline: { type: 'boolean', default: false },
    record: { type: 'boolean', default: false },
    out: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

function show(result: Played): void {
  const { chart, objects, hooks, steps, randomValues, problems } = result;
  const count = Object.values(result.differences).flat().length;
  const numbers = `${count} differences, ${randomValues} random values`;
  console.log(`${chart}: ${objects} objects, ${hooks} hooks: ${steps.join(', ')}; ${numbers}`);
  for (const problem of problems) console.log(`    ${problem.replaceAll('\n', '\n      ')}`);
  for (const [step, differences] of Object.entries(result.differences)) {
    for (const { object, path, helm, ours } of differences.slice(0, 6)) {
      console.log(`    ${step}: ${object} ${path}\n        helm: ${helm}\n        ours: ${ours}`);
    }
  }
}

async function play(charts: readonly RealChart[], helmPath: string): Promise<readonly Played[]> {
  await using world = await startWorld(['--helm', helmPath]);
  const played: Played[] = [];
  for (const chart of charts) {
    const result = await playChart(world, helmPath, chart);
    played.push(result);
    show(result);
    if (values.out !== undefined) await writeFile(values.out, JSON.stringify(played, undefined, 2));
  }
  return played;
}

async function main(): Promise<void> {
  if (values.help) return console.log(usage);
  const { path, why } = await helmForTests();
  if (why !== '') return console.log(`conformance:helm${why}`);
  const all = await realCharts({ mayFetch: !values.offline, report: console.log });
  const charts = all.filter(({ id }) => values.chart?.some((text) => id.includes(text)) ?? true);
  if (charts.length === 0) return console.log('conformance:helm (skipped: no charts)');
  const recorded = (await play(charts, path)).map(recordOf);
  const isWhole = values.chart === undefined;
  if (values.record && isWhole) await writeFile(recordedPath, `${JSON.stringify(recorded, undefined, 2)}\n`);
  const unexplained = recorded.filter((chart) => chart.unexplained.length > 0);
  console.log(`${recorded.length} charts, ${unexplained.length} with a difference that has no reason`);
  if (unexplained.length > 0) process.exitCode = 1;
}

await main();
