import { clusterExtensionResource } from '../../src/api/index.ts';
import type { KubeObject } from '../../src/kube/index.ts';
import { type Check, type Finding, type Patient, spokenAge, warn } from './finding.ts';
import { checkOfKind, deprecationFinding, observedGeneration } from './kind-check.ts';
import { conditionsOf, heldFinding, nameOf, type ReadCondition, unreconciledFinding } from './stuck.ts';

/** Reasons of `Progressing` that stand for a problem, each with what to do about it. */
const adviceByReason: Readonly<Record<string, (name: string) => string>> = {
  Retrying: (name) => `correct what the message names; kubectl describe clusterextension ${name} shows its Events`,
  Blocked: () => 'correct its spec: it is not tried again before the spec changes',
  InvalidConfiguration: () => 'correct spec.config.inline: it is not tried again before the spec changes',
  ProgressDeadlineExceeded: (name) =>
    `longshore tree clusterextension/${name} shows what is not healthy; a change of the spec starts again`,
};

const permissionsCommand = /longshore permissions [a-z]+\/[a-z0-9.-]+/g;

function adviceFor(name: string, { reason, message }: ReadCondition): string | undefined {
  if (message.includes('lacks permissions')) {
    // Those of a dependency are printed for its BundleDeployment.
    const commands = new Set([...message.matchAll(permissionsCommand)].map(([command]) => command));
    const shown = commands.size === 0 ? `longshore permissions clusterextension/${name}` : [...commands].join(', ');
    return `apply the roles that are missing after a review; they are printed by: ${shown}`;
  }
  return Object.hasOwn(adviceByReason, reason) ? adviceByReason[reason]?.(name) : undefined;
}

function progressFinding(object: KubeObject, { nowMs, stuckMs }: Patient): Finding | undefined {
  const { name = '' } = object.metadata;
  const progressing = conditionsOf(object).find(({ type }) => type === 'Progressing');
  if (progressing === undefined) return undefined;
  const { reason, message, sinceMs } = progressing;
  const advice = adviceFor(name, progressing);
  if (advice !== undefined) return warn(`${nameOf(object)}: ${reason}: ${message}`, advice);
  const forMs = nowMs - sinceMs;
  if (reason !== 'RollingOut' || forMs < stuckMs) return undefined;
  const text = `${nameOf(object)}: RollingOut for ${spokenAge(forMs)}: ${message}`;
  return warn(text, `longshore tree clusterextension/${name} shows what it waits for`);
}

const deprecationAdvice = 'follow the message, or select another version, channel or package in spec.source.catalog';

function problemOf(object: KubeObject, patient: Patient): Finding | undefined {
  return (
    heldFinding(object, patient) ??
    unreconciledFinding(object, observedGeneration(object, 'Progressing'), patient) ??
    progressFinding(object, patient) ??
    deprecationFinding(object, deprecationAdvice)
  );
}

/** Every ClusterExtension is reconciled, reaches its version, and is not deprecated. */
export const extensionCheck: Check = checkOfKind({
  name: 'extensions',
  resource: clusterExtensionResource,
  healthy: 'none is stuck or deprecated',
  problemOf,
});
