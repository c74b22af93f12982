import { healthOf } from '../../apply/index.ts';
import { isTrueAt, type JsonObject, objectAt, objectsAt, textAt } from '../../base/index.ts';

import { conditionsOf, type KubeObject } from '../../kube/index.ts';
import type { SourceKind } from './sources.ts';

/** What a source shows of its component. */
export interface Assessment {
  readonly isAvailable: boolean;
  readonly isProgressing: boolean;
  readonly isDegraded: boolean;
  /** Why it is not available, progressing or degraded; empty when it is as desired. */
  readonly message: string;
  /** That it has reached; empty while it is unknown. */
  readonly version: string;
}

const versionLabel = 'app.kubernetes.io/version';

/** The tag of an image; empty for one by digest alone. */
function tagOf(image: string): string {
  const [, tag = ''] = /:([^/:@]+)(?:@.*)?$/.exec(image) ?? [];
  return tag;
}

function workloadVersion(object: KubeObject): string {
  const label = object.metadata.labels?.[versionLabel] ?? '';
  if (label !== '') return label;
  const [container] = objectsAt(objectAt(object as JsonObject, 'spec', 'template', 'spec'), 'containers');
  return tagOf(textAt(container, 'image'));
}

function workload(object: KubeObject, nowMs: number): Assessment {
  const { state, message } = healthOf(object, nowMs);
  const available = conditionsOf(object).find(({ type }) => type === 'Available');
  const isCurrent = state === 'Current';
  return {
    isAvailable: object.kind === 'Deployment' ? available?.status === 'True' : isCurrent,
    isProgressing: state === 'InProgress',
    isDegraded: state === 'Failed' || state === 'Unavailable',
    message: isCurrent ? '' : message,
    // The new version counts once all Pods have it.
    version: isCurrent ? workloadVersion(object) : '',
  };
}

function bundleDeployment(object: KubeObject): Assessment {
  const all = conditionsOf(object).filter(({ type }) => type === 'Installed' || type === 'Healthy');
  const isTrue = (name: string): boolean => all.some(({ type, status }) => type === name && status === 'True');
  const status = objectAt(object as JsonObject, 'status');
  const isObserved = status?.['observedGeneration'] === object.metadata.generation;
  const problem = all.find((condition) => condition.status !== 'True');
  const isFailed = all.some((condition) => condition.status === 'False');
  const isDone = isTrue('Installed') && isTrue('Healthy');
  const missingText = isDone ? '' : 'it is not installed yet';
  return {
    isAvailable: isTrue('Healthy'),
    isProgressing: !isObserved || !(isDone || isFailed),
    isDegraded: isFailed,
    message: problem?.message ?? missingText,
    version: isDone && isObserved ? textAt(status, 'activeVersion') : '',
  };
}

function clusterServiceVersion(object: KubeObject): Assessment {
  const status = objectAt(object as JsonObject, 'status');
  const [phase, message] = [textAt(status, 'phase'), textAt(status, 'message')];
  const isDone = phase === 'Succeeded';
  return {
    isAvailable: isDone || phase === 'Replacing',
    isProgressing: !isDone && phase !== 'Failed',
    isDegraded: phase === 'Failed',
    message: isDone ? '' : message || `it is ${phase || 'not reported yet'}`,
    version: isDone ? textAt(objectAt(object as JsonObject, 'spec'), 'version') : '',
  };
}

/** Of the name of an object: a user who may write a status can put any text there, and the search for a version takes time with its square. */
const maxName = 253;

/** What is installed, from the name of the ClusterServiceVersion; its own health has the ClusterServiceVersion. */
function subscription(object: KubeObject): Assessment {
  const status = objectAt(object as JsonObject, 'status');
  const [installed, current] = [textAt(status, 'installedCSV'), textAt(status, 'currentCSV')];
  const failed = conditionsOf(object).find(({ type, status: is }) => type.endsWith('Failed') && is === 'True');
  const isCurrent = installed !== '' && installed === current;
  const [, version = ''] = /\.v?(\d+\.\d+\.\d+.*)$/.exec(installed.slice(0, maxName)) ?? [];
  return {
    isAvailable: installed !== '',
    isProgressing: !isCurrent && failed === undefined,
    isDegraded: failed !== undefined,
    message: failed?.message ?? (isCurrent ? '' : `${current || 'nothing'} is to be installed`),
    version: isCurrent ? version : '',
  };
}

/** A release as helm-releases.ts has read it. */
function helmRelease(object: KubeObject): Assessment {
  const { status = '', chartVersion = '' } = object as unknown as Readonly<Record<string, string>>;
  const isDeployed = status === 'deployed';
  const isUpgrade = status === 'pending-upgrade' || status === 'pending-rollback';
  return {
    isAvailable: isDeployed || isUpgrade || isTrueAt(object as JsonObject, 'isDeployed'),
    isProgressing: status.startsWith('pending'),
    isDegraded: status === 'failed',
    message: isDeployed ? '' : `the release is ${status}`,
    version: isDeployed ? chartVersion : '',
  };
}

type Assess = (object: KubeObject, nowMs: number) => Assessment;

const assessments: Readonly<Record<SourceKind, Assess>> = {
  BundleDeployment: bundleDeployment,
  ClusterServiceVersion: clusterServiceVersion,
  DaemonSet: workload,
  Deployment: workload,
  HelmRelease: helmRelease,
  StatefulSet: workload,
  Subscription: subscription,
};

const missing: Assessment = {
  isAvailable: false,
  isProgressing: true,
  isDegraded: false,
  message: 'it does not exist',
  version: '',
};

/** What an object shows of its component; undefined is one that does not exist.
 *  @see docs/spec/cluster-version.md#clusteroperator-api */
export function assess(kind: SourceKind, object: KubeObject | undefined, nowMs: number): Assessment {
  return object === undefined ? missing : assessments[kind](object, nowMs);
}
