import { pausedAnnotation } from '../../src/api/index.ts';
import type { Step } from '../../src/controller/index.ts';
import { pausedCondition } from './conditions.ts';
import { refreshHealth } from './health.ts';
import { overdueCertificates } from './renewal.ts';
import { type DeploymentRun, deploymentOf, setStatus } from './run.ts';

/** While the deployment is paused nothing of it is written but its own status, which also reports which certificates
 *  would have been renewed. */
export const skipPaused: Step<DeploymentRun> = async (run, { signal }) => {
  const isPaused = run.object.metadata.annotations?.[pausedAnnotation] === 'true';
  const shown = deploymentOf(run).status?.conditions?.find(({ type }) => type === 'Paused')?.status;
  const overdue = isPaused ? await overdueCertificates(run, signal) : undefined;
  if (isPaused || shown === 'True') setStatus(run, [pausedCondition(isPaused, overdue)]);
  if (!isPaused) return undefined;
  await refreshHealth(run, signal);
  return 'stop';
};
