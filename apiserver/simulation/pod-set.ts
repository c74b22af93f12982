import { isJsonObject, type JsonObject } from '../../src/base/index.ts';
import { typeOf, unlessGone } from '../controllers/index.ts';
import type { Cluster, KubeObject, ObjectMeta } from '../core/index.ts';
import { assertRoomForPod } from './pod-limit.ts';
import {
  controllerReference,
  isToldToFail,
  runSecondsAnnotation,
  simulateAnnotation,
  templateOf,
} from './simulated.ts';

/** How a new pod differs from its template. */
export interface PodWish {
  readonly as: string;
  /** A name of its own; by default a random one after the owner's. */
  readonly name?: string;
  /** Default: the owner's name and a dash. */
  readonly generateName?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly spec?: JsonObject;
  /** Default: the template of the owner. */
  readonly template?: JsonObject;
  readonly annotations?: Readonly<Record<string, string>>;
}

function metadataOf(owner: KubeObject, wish: PodWish): ObjectMeta {
  const template = (wish.template ?? templateOf(owner)).metadata;
  const { labels, annotations } = (isJsonObject(template) ? template : {}) as Pick<
    ObjectMeta,
    'labels' | 'annotations'
  >;
  const runSeconds = owner.metadata.annotations?.[runSecondsAnnotation];
  const told = {
    ...(isToldToFail(owner) ? { [simulateAnnotation]: 'fail' } : {}),
    ...(runSeconds === undefined ? {} : { [runSecondsAnnotation]: runSeconds }),
  };
  const { name = '', namespace = '' } = owner.metadata;
  return {
    ...(wish.name === undefined ? { generateName: wish.generateName ?? `${name}-` } : { name: wish.name }),
    namespace,
    labels: { ...labels, ...wish.labels },
    annotations: { ...annotations, ...wish.annotations, ...told },
    ownerReferences: [controllerReference(owner)],
  };
}

/** Creates a pod from the template of its owner. */
export async function createPod(cluster: Cluster, owner: KubeObject, wish: PodWish): Promise<void> {
  await assertRoomForPod(cluster, owner, wish.as);
  const { spec } = wish.template ?? templateOf(owner);
  const pod: KubeObject = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: metadataOf(owner, wish),
    spec: { ...(isJsonObject(spec) ? structuredClone(spec) : {}), ...wish.spec },
  };
  await cluster.create(typeOf(cluster, 'pods'), pod, { as: wish.as });
}

/** Deletes this very pod. */
export async function deletePod(cluster: Cluster, { metadata }: KubeObject, as: string): Promise<void> {
  const { namespace = '', name = '', uid } = metadata;
  const options = { as, propagationPolicy: 'Background' as const, ...(uid === undefined ? {} : { uid }) };
  await unlessGone(cluster.delete(typeOf(cluster, 'pods'), { namespace, name }, options));
}

/** Tells pods what their owner is told, when that changed after they were made. */
export async function passOnFailure(
  cluster: Cluster,
  owner: KubeObject,
  wish: { readonly pods: readonly KubeObject[]; readonly as: string },
): Promise<void> {
  const template = templateOf(owner).metadata;
  const { annotations } = (isJsonObject(template) ? template : {}) as Pick<ObjectMeta, 'annotations'>;
  const told = isToldToFail(owner) || annotations?.[simulateAnnotation] === 'fail';
  for (const pod of wish.pods.filter((candidate) => isToldToFail(candidate) !== told)) {
    const { namespace = '', name = '' } = pod.metadata;
    const metadata = { annotations: { [simulateAnnotation]: told ? 'fail' : null } };
    await unlessGone(cluster.patch(typeOf(cluster, 'pods'), { namespace, name }, { metadata }, { as: wish.as }));
  }
}
