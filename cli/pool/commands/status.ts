import { setTimeout as pause } from 'node:timers/promises';
import type { RolloutCanaryStatus } from '../../../src/api/index.ts';
import { printable } from '../../../src/base/index.ts';
import type { KubeClient } from '../../../src/kube/index.ts';
import { skippedGates } from '../../../src/machines/index.ts';
import { openKube } from '../../client/index.ts';
import { type OptionValues, printDocument } from '../../command/index.ts';
import { formatTable } from '../../output/index.ts';
import type { poolStatusOptions } from '../options.ts';
import { conditionOf, progressText, readPool, type ShownPool } from '../read.ts';

const columns = ['NODE', 'ZONE', 'PHASE', 'CONFIG', 'MESSAGE'];
const pollMs = 500;

type Line = readonly [string, string];

function canaryText({ nodes = [], readySince, passed }: RolloutCanaryStatus, bake: string): string {
  const names = nodes.length === 0 ? 'no node started' : nodes.join(', ');
  if (passed === true) return `${names}: passed`;
  return `${names}: ${readySince === undefined ? 'not all updated and ready' : `ready since ${readySince}, for ${bake}`}`;
}

/** What the status has of the present configuration: one from before a change does not count. */
function rolloutLines(shown: ShownPool): readonly Line[] {
  const { configuration, canary, hold } = shown.pool.status?.rollout ?? {};
  if (configuration !== shown.target) return [['Zone', shown.zone]];
  const bake = shown.pool.spec.rollout?.canary?.bake ?? '10m';
  return [
    ['Zone', shown.zone],
    ['Canary', canary === undefined ? '' : canaryText(canary, bake)],
    ['Gate', hold === undefined ? '' : `${hold.gate} holds since ${hold.since}: ${hold.message}`],
  ];
}

function summaryOf(shown: ShownPool): readonly Line[] {
  const { spec } = shown.pool;
  const [updating, degraded, render] = ['Updating', 'Degraded', 'RenderDegraded'].map((type) =>
    conditionOf(shown, type),
  );
  const problem = [degraded, render].map((one) => (one?.status === 'True' ? one.message : '')).filter(Boolean);
  return [
    ['Target', shown.target],
    ['Progress', progressText(shown)],
    ['At a time', String(spec.maxUnavailable ?? 1)],
    ['Paused', spec.paused === true ? 'yes' : ''],
    ['Skipped', [...skippedGates(shown.pool)].join(', ')],
    ...rolloutLines(shown),
    ['Updating', updating?.message ?? ''],
    ['Degraded', problem.join('; ')],
  ];
}

function text(shown: ShownPool): string {
  const lines = summaryOf(shown).filter(([, value]) => value !== '');
  const summary = lines.map(([title, value]) => `${`${title}:`.padEnd(11)}${printable(value)}\n`).join('');
  if (shown.nodes.length === 0) return `${summary}\nno nodes\n`;
  const rows = shown.nodes.map(({ name, zone, phase, config, message }) => [name, zone, phase, config, message]);
  return `${summary}\n${formatTable(columns, rows)}`;
}

function isUpdated(shown: ShownPool): boolean {
  const { status, metadata } = shown.pool;
  const isObserved = (status?.observedGeneration ?? 0) >= (metadata.generation ?? 0);
  return isObserved && conditionOf(shown, 'Updated').status === 'True';
}

async function wait(kube: KubeClient, name: string, timeoutMs: number): Promise<number> {
  const dueMs = Date.now() + timeoutMs;
  let last = '';
  for (;;) {
    const shown = await readPool(kube, name);
    const line = progressText(shown);
    if (line !== last) process.stdout.write(`${line}\n`);
    last = line;
    if (isUpdated(shown)) return 0;
    if (Date.now() > dueMs) {
      const why = conditionOf(shown, 'Degraded').message || conditionOf(shown, 'Updating').message;
      process.stderr.write(`pool ${name} was not updated in time: ${printable(why)}\n`);
      return 1;
    }
    await pause(pollMs);
  }
}

/** `longshore pool status NAME` */
export async function poolStatus(
  values: OptionValues<typeof poolStatusOptions>,
  [name]: readonly [string],
): Promise<number> {
  using kube = await openKube(values);
  if (values.wait) return await wait(kube, name, values.timeout);
  const shown = await readPool(kube, name);
  printDocument(values, { pool: shown.object, nodes: shown.nodes }, () => text(shown));
  return conditionOf(shown, 'Degraded').status === 'True' ? 1 : 0;
}
