import type { JsonObject } from '../../src/base/index.ts';
import type { KubeClient, KubeObject } from '../../src/kube/index.ts';
import { eventually } from '../support/index.ts';
import {
  clusterVersion,
  openReleaseCluster,
  operatorManifest,
  patchSpec,
  type ReleaseCluster,
  releaseImage,
  runEngine,
  runOperators,
} from '../support/release-cluster.ts';
import { installed, operatorAt, settings, smallRelease, untilAt } from '../support/small-release.ts';

/** At which write of an engine its process is killed, and whether that write reaches the server. */
export interface KillPoint {
  readonly count: number;
  readonly isSent: boolean;
  /** Whether writes count once the status has manifests as done, not from the start. */
  readonly isWithin?: boolean;
}

/** A client whose process is killed at its `count`th write: that one is sent, or not, its answer is lost, and nothing is sent any more. */
export function killedAt(
  kube: KubeClient,
  { count, isSent, isWithin = false }: KillPoint,
): { readonly kube: KubeClient; readonly whenKilled: Promise<void>; readonly startCount: () => void } {
  const { promise: whenKilled, resolve } = Promise.withResolvers<void>();
  let writes = isWithin ? -Infinity : 0;
  const never = new Promise<never>(() => undefined);
  const write =
    <Args extends unknown[], Answer>(send: (...args: Args) => Promise<Answer>) =>
    async (...args: Args): Promise<Answer> => {
      writes += 1;
      if (writes < count) return await send(...args);
      if (writes === count && isSent) await send(...args);
      resolve();
      return await never;
    };
  const writing: Partial<KubeClient> = {
    apply: write((object, options) => kube.apply(object, options)),
    create: write((object, options) => kube.create(object, options)),
    patch: write((ref, change, options) => kube.patch(ref, change, options)),
    update: write((object, options) => kube.update(object, options)),
    delete: write((ref, options) => kube.delete(ref, options)),
  };
  const startCount = (): void => {
    writes = 0;
  };
  return { kube: { ...kube, ...writing }, whenKilled, startCount };
}

const names = ['alpha', 'beta', 'gamma', 'delta'];
const settingsOfEach = 8;

/** Four components at two levels, some forty objects. */
function manifests(version: string): Record<string, JsonObject> {
  const all: Record<string, JsonObject> = {};
  for (const [index, name] of names.entries()) {
    const level = index < 2 ? '10' : '20';
    for (let number = 0; number < settingsOfEach; number += 1) {
      all[`0000_${level}_${name}_1${number}_settings.yaml`] = settings(`${name}-${number}`, version);
    }
    Object.assign(all, operatorAt(level, name, version));
  }
  return all;
}

const operatorsAt = (version: string): JsonObject[] => names.map((name) => operatorManifest(name, version));

/** How far the update is. */
async function doneNow(kube: KubeClient): Promise<number> {
  const { progress, desired } = (await clusterVersion(kube)).status ?? {};
  return desired?.version === '1.1.0' ? (progress?.done ?? 0) : 0;
}

/** Operators are of the release that is applied: they report its version once it is accepted. */
async function untilAccepted(kube: KubeClient): Promise<void> {
  await eventually(async () => {
    const version = (await clusterVersion(kube)).status?.desired.version;
    if (version !== '1.1.0') throw new Error(`expected that 1.1.0 is applied, found ${version}`);
  });
}

/** The first level is applied, and waits for its operators. */
async function untilBegun(kube: KubeClient): Promise<void> {
  await eventually(async () => {
    if ((await doneNow(kube)) === 0) throw new Error('expected manifests that the status has as done, found none');
  });
}

async function settingsOf(kube: KubeClient): Promise<readonly KubeObject[]> {
  const { items } = await kube.list({ apiVersion: 'v1', kind: 'ConfigMap', namespace: 'quay' });
  return items.filter(({ metadata }) => metadata.name !== 'kube-root-ca.crt');
}

/** The share of settings that are those of the new release. */
async function updatedShare(kube: KubeClient): Promise<number> {
  const all = await settingsOf(kube);
  return all.filter((object) => JSON.stringify(object['data']).includes('1.1.0')).length / all.length;
}

async function endOf(kube: KubeClient): Promise<string> {
  const { history = [], versionHash } = (await clusterVersion(kube)).status ?? {};
  const values = (await settingsOf(kube)).map((object) => `${object.metadata.name}=${JSON.stringify(object['data'])}`);
  return [...history.map(({ state, version }) => `${state} ${version}`), versionHash, ...values.toSorted()].join('\n');
}

async function restartedEnd(
  cluster: ReleaseCluster,
  releases: Readonly<Record<string, string>>,
): Promise<{ readonly least: number; readonly end: string }> {
  await using _engine = await runEngine(cluster, { releases });
  const least = await doneNow(cluster.kube);
  await untilAccepted(cluster.kube);
  await using _operators = await runOperators(cluster.kube, operatorsAt('1.1.0'));
  await untilAt(cluster, '1.1.0');
  return { least, end: await endOf(cluster.kube) };
}

/** What became of an update whose engine was killed. */
export interface KilledUpdate {
  /** False when the update had fewer writes. */
  readonly wasKilled: boolean;
  /** Manifests that the status had as done when the engine was killed, and after its restart. */
  readonly done: { readonly before: number; readonly after: number };
  /** From 0 to 1: the settings that were of the new release when the engine was killed. */
  readonly share: number;
  /** History, hash and all objects at the end. */
  readonly end: string;
}

/** Kills the engine in the middle of an update on a cluster of its own, starts it again and waits for the end; a `count` of zero kills nothing. */
export async function killUpdate(point: KillPoint): Promise<KilledUpdate> {
  await using cluster = await openReleaseCluster();
  const releases = {
    '1.0.0': await smallRelease(cluster, '1.0.0', manifests('1.0.0')),
    '1.1.0': await smallRelease(cluster, '1.1.0', manifests('1.1.0')),
  };
  await (await installed(cluster, { releases, first: '1.0.0', operators: names }))[Symbol.asyncDispose]();
  await patchSpec(cluster.kube, { desiredUpdate: { image: releaseImage('1.1.0') } });
  let wasKilled = false;
  if (point.count > 0) {
    const { kube, whenKilled, startCount } = killedAt(cluster.kube, point);
    const engine = await runEngine({ ...cluster, kube }, { releases });
    const killed = whenKilled.then(() => true);
    await Promise.race([killed, untilAccepted(cluster.kube)]);
    if (point.isWithin === true) {
      await untilBegun(cluster.kube);
      startCount();
    }
    await using _operators = await runOperators(cluster.kube, operatorsAt('1.1.0'));
    wasKilled = await Promise.race([killed, untilAt(cluster, '1.1.0').then(() => false)]);
    // A killed process waits for nothing: what it had begun never ends.
    void engine[Symbol.asyncDispose]();
  }
  const before = await doneNow(cluster.kube);
  const share = await updatedShare(cluster.kube);
  const { least, end } = await restartedEnd(cluster, releases);
  return { wasKilled, done: { before, after: least }, share, end };
}

/** What is wrong after a kill; empty when nothing is. */
export function problemsOf({ done, end }: KilledUpdate, expectedEnd: string): readonly string[] {
  return [
    ...(done.after < done.before ? [`the status went back from ${done.before} to ${done.after} manifests`] : []),
    ...(end === expectedEnd ? [] : [`the end differs:\n${end}`]),
  ];
}
