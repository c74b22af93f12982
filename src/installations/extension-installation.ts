import { type JsonObject, objectAt, textAt } from '../base/index.ts';
import { type Condition, conditionsOf, type KubeObject } from '../kube/index.ts';
import type { Installation, InstallationStep, StatusWord } from './contract/index.ts';
import { firstLine, identityOf } from './installation.ts';

const retried = 'correct what the message names; it is tried again by itself';
const adviceByReason: Readonly<Record<string, readonly string[]>> = {
  Blocked: ['correct the spec: it is not tried again before it changes'],
  InvalidConfiguration: ['correct spec.config.inline: it is not tried again before the spec changes'],
  ProgressDeadlineExceeded: ['correct what is not healthy, or change the spec to try again'],
  Retrying: [retried],
  Failed: [retried],
};

/** By the reason: the status of `Progressing` is True while it is retried as well. */
function stepOf(title: string, condition: Condition | undefined): InstallationStep {
  if (condition === undefined) return { title, state: 'running', reason: '', text: '', since: '', advice: [] };
  const { reason, message: text, lastTransitionTime: since } = condition;
  const isFailed = Object.hasOwn(adviceByReason, reason);
  const state = reason === 'Succeeded' ? 'done' : isFailed ? 'failed' : 'running';
  return { title, state, reason, text, since, advice: isFailed ? (adviceByReason[reason] ?? []) : [] };
}

function wordOf(object: KubeObject, steps: readonly InstallationStep[], version: string): StatusWord {
  if (object.metadata.deletionTimestamp !== undefined) return 'Deleting';
  if (steps.every(({ state }) => state === 'done')) return 'Healthy';
  if (steps.every(({ state }) => state !== 'failed')) return 'Progressing';
  return version === '' ? 'Failed' : 'Degraded';
}

/** A ClusterExtension as an installation. */
export function installationOfExtension(object: KubeObject): Installation {
  const raw = object as unknown as JsonObject;
  const conditions = conditionsOf(object);
  const find = (type: string): Condition | undefined => conditions.find((condition) => condition.type === type);
  const version = textAt(objectAt(raw, 'status', 'install', 'bundle'), 'version');
  const steps = [stepOf('Installed', find('Installed')), stepOf('Up to date', find('Progressing'))];
  const status = wordOf(object, steps, version);
  const open = steps.find(({ state }) => state === 'failed') ?? steps.find(({ state }) => state !== 'done');
  return {
    ...identityOf(object),
    type: 'Operator',
    version,
    available: '',
    source: textAt(objectAt(raw, 'spec', 'source', 'catalog'), 'packageName'),
    status,
    message: open === undefined ? '' : [open.reason, firstLine(open.text)].filter((text) => text !== '').join(': '),
    needsUser: status === 'Failed' || status === 'Degraded',
    advice: open?.advice ?? [],
    steps,
    pendingPlan: '',
    pendingBundles: [],
  };
}
