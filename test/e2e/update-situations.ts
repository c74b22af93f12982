import type { JsonObject } from '../../src/base/index.ts';
import type { KubeClient } from '../../src/kube/index.ts';

/** A cluster between two releases: its ClusterVersion, and what its operators report. */
export interface UpdateSituation {
  readonly spec?: JsonObject;
  readonly status: JsonObject;
  readonly operators?: readonly JsonObject[];
}

const time = '2026-03-01T10:00:00Z';
const clusterId = '9b588658-9671-429c-a762-34106da5795f';
const digest = (version: string): string => Buffer.from(version).toString('hex').padEnd(64, '0');

/** The image of a release. */
export function releaseImage(version: string): string {
  return `registry.example.com/release@sha256:${digest(version)}`;
}

export function release(version: string): JsonObject {
  const url = `https://example.com/errata/${version}`;
  return { version, image: releaseImage(version), url, channels: ['candidate-4.14', 'fast-4.14', 'stable-4.14'] };
}

export function condition(type: string, status: string, ...[reason = '', message = '']: readonly string[]): JsonObject {
  return { type, status, reason, message, lastTransitionTime: time };
}

/** An update whose risk applies, or whose exposure has that status. */
export function risky(version: string, status: string, ...[reason = '', message = '']: readonly string[]): JsonObject {
  const risk = { name: reason, url: 'https://example.com/risk', message, matchingRules: [{ type: 'Always' }] };
  return { release: release(version), risks: [risk], conditions: [condition('Recommended', status, reason, message)] };
}

export function operator(name: string, version: string, ...conditions: readonly JsonObject[]): JsonObject {
  return {
    apiVersion: 'config.openshift.io/v1',
    kind: 'ClusterOperator',
    metadata: { name, annotations: { 'include.release.openshift.io/self-managed-high-availability': 'true' } },
    spec: {},
    status: { conditions: [...conditions], versions: [{ name: 'operator', version }] },
  };
}

export function entry(version: string, state: string, ...[started = time, completed]: readonly string[]): JsonObject {
  const image = releaseImage(version);
  return { state, version, image, verified: true, startedTime: started, completionTime: completed ?? null };
}

const idle = [
  condition('Failing', 'False'),
  condition('Progressing', 'False', '', 'Cluster version is 4.14.1'),
  condition('RetrievedUpdates', 'True'),
  condition('ReleaseAccepted', 'True', 'PayloadLoaded'),
];

/** A status at 4.14.1. */
export function statusWith(...changes: readonly JsonObject[]): JsonObject {
  const base = {
    desired: release('4.14.1'),
    history: [entry('4.14.1', 'Completed', time, time)],
    observedGeneration: 1,
    versionHash: 'a',
    availableUpdates: null,
    conditions: idle,
  };
  return Object.assign({}, base, ...changes) as JsonObject;
}

/** `conditions` of an idle cluster with others in place of those of their types. */
export function conditionsWith(...changed: readonly JsonObject[]): JsonObject {
  const types = new Set(changed.map(({ type }) => type));
  return { conditions: [...changed, ...idle.filter(({ type }) => !types.has(type))] };
}

const slow = 'Disks may be slow. https://example.com/SlowDisks';
const unknown =
  'Could not evaluate exposure to update risk Leak (no answer)\n  Leak description: Memory leaks.\n  Leak URL: https://example.com/Leak';
export const availableUpdates: JsonObject[] = ['4.14.3', '4.14.27', '4.15.0', '4.14.5-rc.1'].map(release);
export const conditionalUpdates: JsonObject[] = [
  risky('4.14.2', 'False', 'SlowDisks', slow),
  risky('4.15.2', 'Unknown', 'EvaluationFailed', unknown),
  risky('4.15.0', 'True', 'NotExposedToRisks', 'The update is recommended.'),
];

/** Situations in which the texts of commands are compared. */
export const situations: Readonly<Record<string, UpdateSituation>> = {
  idle: { status: statusWith() },
  'with updates': { status: statusWith({ availableUpdates, conditionalUpdates }) },
  'with known issues alone': {
    status: statusWith({ conditionalUpdates: conditionalUpdates.slice(0, 1) }),
    spec: { upstream: 'https://example.com/graph' },
  },
  'with long versions': {
    status: statusWith({
      availableUpdates: [release('4.14.2'), release('4.15.0-0.nightly-2026-02-28-010203')],
    }),
  },
  'without a channel': {
    status: statusWith(
      conditionsWith(
        condition('RetrievedUpdates', 'False', 'NoChannel', 'The update channel has not been configured.'),
      ),
    ),
    spec: { channel: '' },
  },
  'updates not refreshed': {
    status: statusWith(
      { availableUpdates },
      conditionsWith(condition('RetrievedUpdates', 'False', 'RemoteFailed', 'no answer\nat all')),
    ),
  },
  'updating, and not accepted': {
    status: statusWith(
      { availableUpdates: availableUpdates.slice(0, 1) },
      conditionsWith(
        condition('Failing', 'True', 'ClusterOperatorDegraded', 'Cluster operator dns is degraded\nfor long'),
        condition('Progressing', 'True', '', 'Working towards 4.14.2: 12 of 40 done (30% complete)'),
        condition('Upgradeable', 'False', 'MultipleReasons', 'Not now:\n* one\n* two'),
        condition('ReleaseAccepted', 'False', 'PreconditionChecks', 'Preconditions failed:\nmany'),
      ),
    ),
  },
  'no conditions': { status: statusWith({ conditions: [] }) },
  invalid: {
    status: statusWith(
      { availableUpdates },
      conditionsWith(condition('Invalid', 'True', 'InvalidClusterVersion', 'The cluster version is invalid: x')),
    ),
  },
};

/** Replaces the ClusterVersion and all ClusterOperators of a cluster. */
export async function establish(kube: KubeClient, { spec, status, operators = [] }: UpdateSituation): Promise<void> {
  const apiVersion = 'config.openshift.io/v1';
  for (const kind of ['ClusterVersion', 'ClusterOperator']) {
    for (const { metadata } of (await kube.list({ apiVersion, kind })).items) {
      await kube.delete({ apiVersion, kind, name: metadata.name ?? '' });
    }
  }
  const clusterVersion = {
    apiVersion,
    kind: 'ClusterVersion',
    metadata: { name: 'version' },
    spec: { clusterID: clusterId, channel: 'stable-4.14', ...spec },
    status,
  };
  for (const object of [clusterVersion, ...operators]) {
    const created = await kube.create(object as never, { fieldManager: 'test' });
    const changed = { ...created, status: object['status'] } as never;
    await kube.update(changed, { fieldManager: 'test', subresource: 'status' });
  }
}
