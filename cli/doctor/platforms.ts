import { platformOperatorResource } from '../../src/api/index.ts';
import type { KubeObject } from '../../src/kube/index.ts';
import { type Check, type Finding, type Patient, spokenAge, warn } from './finding.ts';
import { checkOfKind, deprecationFinding, observedGeneration } from './kind-check.ts';
import { conditionsOf, heldFinding, nameOf, unreconciledFinding } from './stuck.ts';

/** Reasons of `Installed=False` while nothing has failed. */
const pendingReasons: ReadonlySet<string> = new Set(['UnpackPending', 'InstallPending']);

function adviceFor(name: string, reason: string): string {
  if (reason === 'SourceFailed') {
    return `correct spec.package.name, or add a ClusterCatalog that has the package; kubectl describe platformoperator ${name} shows the whole message`;
  }
  return `correct what the message names; kubectl describe platformoperator ${name} shows its BundleDeployment, longshore tree bd/NAME what that has installed`;
}

function installedFinding(object: KubeObject, { nowMs, stuckMs }: Patient): Finding | undefined {
  const { name = '' } = object.metadata;
  const installed = conditionsOf(object).find(({ type }) => type === 'Installed');
  if (installed === undefined || installed.status === 'True') return undefined;
  const { reason, message, sinceMs } = installed;
  if (!pendingReasons.has(reason)) return warn(`${nameOf(object)}: ${reason}: ${message}`, adviceFor(name, reason));
  const forMs = nowMs - sinceMs;
  const text = `${nameOf(object)}: ${reason} for ${spokenAge(forMs)}: ${message}`;
  return forMs < stuckMs ? undefined : warn(text, adviceFor(name, reason));
}

function updateFinding(object: KubeObject): Finding | undefined {
  const found = conditionsOf(object).find(({ type, reason }) => type === 'UpToDate' && reason === 'UpdateBlocked');
  const advice = 'meet what the message names, or set spec.upgradePolicy None to stay with what is installed';
  return found && warn(`${nameOf(object)}: its update is blocked: ${found.message}`, advice);
}

const deprecationAdvice = 'follow the message, or install the package that it names instead';

function problemOf(object: KubeObject, patient: Patient): Finding | undefined {
  return (
    heldFinding(object, patient) ??
    unreconciledFinding(object, observedGeneration(object, 'Installed'), patient) ??
    installedFinding(object, patient) ??
    updateFinding(object) ??
    deprecationFinding(object, deprecationAdvice)
  );
}

/** Every PlatformOperator is reconciled and installed, can be updated, and is not deprecated. */
export const platformCheck: Check = checkOfKind({
  name: 'platforms',
  resource: platformOperatorResource,
  healthy: 'none is stuck or deprecated',
  problemOf,
});
