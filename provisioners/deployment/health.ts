import { remainingMs } from '../../src/base/index.ts';
import { requeueAfter } from '../../src/controller/index.ts';
import { actingOwnerOf } from '../installed-record.ts';
import { type HealthChange, healthCondition } from './conditions.ts';
import { type DeploymentRun, setStatus, standingOf } from './run.ts';

/** How the installed objects are; undefined when this process does not know what is installed. */
export async function currentHealth(run: DeploymentRun, signal: AbortSignal): Promise<HealthChange | undefined> {
  const { engine, clock } = run.context;
  const health = await engine.health(actingOwnerOf(run.object), signal);
  if (health === undefined) return undefined;
  if (health.againAtMs !== undefined) requeueAfter(run, health.againAtMs - clock.now());
  return healthCondition(health.lines);
}

/** While the template's Bundle is not the installed one, or nothing may be installed, `Healthy` still follows what is. */
export async function refreshHealth(run: DeploymentRun, signal: AbortSignal): Promise<void> {
  const installed = standingOf(run).conditions.find(({ type }) => type === 'Installed');
  if (installed?.status !== 'True') return;
  const health = await currentHealth(run, signal);
  if (health === undefined) return;
  const { observedGeneration } = installed;
  setStatus(run, [observedGeneration === undefined ? health : { ...health, observedGeneration }]);
}

/** How long the Bundles of earlier templates are still kept for an installation that is not healthy. */
export function oldBundlesStayMs(run: DeploymentRun): number {
  const { clock, healthDeadlineMs } = run.context;
  const healthy = standingOf(run).conditions.find(({ type }) => type === 'Healthy');
  if (healthy === undefined || healthy.status === 'True') return 0;
  return remainingMs(Date.parse(healthy.lastTransitionTime), healthDeadlineMs, clock.now());
}
