import { type JsonObject, objectAt, textAt } from '../base/index.ts';
import { type Condition, conditionsOf, type KubeObject } from '../kube/index.ts';
import type { Installation, InstallationStep, StatusWord } from './contract/index.ts';
import { adviceOfDeployment } from './deployment-advice.ts';
import { firstLine, identityOf } from './installation.ts';

/** Reasons of `Installed=False` while nothing has failed. */
const pendingReasons: ReadonlySet<string> = new Set(['UnpackPending', 'InstallPending']);

const adviceByReason: Readonly<Record<string, readonly string[]>> = {
  SourceFailed: [
    'correct spec.package.name, or add a ClusterCatalog that has the package; the message explains the conflict',
  ],
};

function adviceFor(name: string, reason: string): readonly string[] {
  return adviceByReason[reason] ?? adviceOfDeployment(name, reason);
}

function stateOf(installed: Condition | undefined): InstallationStep['state'] {
  if (installed === undefined) return 'running';
  if (installed.status === 'True') return 'done';
  return pendingReasons.has(installed.reason) ? 'running' : 'failed';
}

function wordOf(object: KubeObject, state: InstallationStep['state'], version: string): StatusWord {
  if (object.metadata.deletionTimestamp !== undefined) return 'Deleting';
  if (state === 'done') return 'Healthy';
  if (state === 'running') return 'Progressing';
  return version === '' ? 'Failed' : 'Degraded';
}

function installedStep(name: string, installed: Condition | undefined, version: string): InstallationStep {
  const state = stateOf(installed);
  const { reason = '', message = 'it is not reconciled yet', lastTransitionTime: since = '' } = installed ?? {};
  const advice = state === 'failed' ? adviceFor(name, reason) : [];
  return { title: 'Installed', state, reason, text: state === 'done' ? `version ${version}` : message, since, advice };
}

function updateStep(upToDate: Condition | undefined): readonly InstallationStep[] {
  if (upToDate === undefined) return [];
  const { status, reason, message: text, lastTransitionTime: since } = upToDate;
  const state = status === 'True' ? 'done' : reason === 'UpdateBlocked' ? 'failed' : 'waiting';
  return [{ title: 'Up to date', state, reason, text, since, advice: [] }];
}

/** The package, and the catalog that it was chosen from. */
function sourceOf(object: KubeObject, resolved: JsonObject | undefined): string {
  const name = textAt(objectAt(object as unknown as JsonObject, 'spec', 'package'), 'name');
  const catalog = textAt(objectAt(resolved, 'catalog'), 'name');
  return catalog === '' ? name : `${name} of ${catalog}`;
}

/** A PlatformOperator as an installation. */
export function installationOfPlatformOperator(object: KubeObject): Installation {
  const name = object.metadata.name ?? '';
  const conditions = conditionsOf(object);
  const resolved = objectAt(object as unknown as JsonObject, 'status', 'resolved');
  const version = textAt(resolved, 'version');
  const installed = installedStep(
    name,
    conditions.find(({ type }) => type === 'Installed'),
    version,
  );
  const upToDate = conditions.find(({ type }) => type === 'UpToDate');
  const status = wordOf(object, installed.state, version);
  const message = status === 'Healthy' ? '' : `${installed.reason}: ${firstLine(installed.text)}`;
  return {
    ...identityOf(object),
    type: 'Operator',
    version,
    available: upToDate?.reason === 'UpdateAvailable' ? upToDate.message : '',
    source: sourceOf(object, resolved),
    status,
    message,
    needsUser: status === 'Failed' || status === 'Degraded',
    advice: installed.advice,
    steps: [installed, ...updateStep(upToDate)],
    pendingPlan: '',
    pendingBundles: [],
  };
}
