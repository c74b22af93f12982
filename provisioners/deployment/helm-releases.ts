import { clientFor } from '../../src/apply/index.ts';
import { readChartConfig } from '../../src/formats/index.ts';
import { releaseNamespace } from '../chart-values.ts';
import type { ReleaseShelf } from '../helm-release-record.ts';
import { actingOwnerOf, configOf } from '../installed-record.ts';
import { withInstalledConfig } from './history.ts';
import type { DeploymentRun } from './run.ts';

/** Whether the deployment asks for releases that Helm shows. */
export function asksForHelmRelease({ object }: Pick<DeploymentRun, 'object'>): boolean {
  return readChartConfig(configOf(object)).hasHelmRelease;
}

/** Whether what is installed is recorded as a release. */
export function hadHelmRelease(run: DeploymentRun): boolean {
  return configOf(withInstalledConfig(run))['helmRelease'] === true;
}

/** Where the releases of the deployment are recorded. */
export function releaseShelfOf({ context, object }: DeploymentRun, signal: AbortSignal): ReleaseShelf {
  const { kube, unpacker, systemNamespace, clock } = context;
  return {
    kube: clientFor(kube, actingOwnerOf(object)),
    deployment: object,
    unpacker,
    namespace: releaseNamespace(configOf(object), systemNamespace),
    nowMs: clock.now(),
    signal,
  };
}
