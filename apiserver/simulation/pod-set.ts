import { isJsonObject, type JsonObject } from '../../src/base/index.ts';
import { ignoreNotFound, typeOf } from '../controllers/index.ts';
import type { Cluster, KubeObject, ObjectMeta } from '../core/index.ts';
import { assertRoomForPod } from './pod-limit.ts';
import { controllerReference, isSetToFail, runSecondsAnnotation, simulateAnnotation, templateOf } from './simulated.ts';

/** How a new pod differs from its template. */
export interface PodOptions {
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

function metadataOf(owner: KubeObject, options: PodOptions): ObjectMeta {
  const template = (options.template ?? templateOf(owner)).metadata;
  const { labels, annotations } = (isJsonObject(template) ? template : {}) as Pick<
    ObjectMeta,
    'labels' | 'annotations'
  >;
  const runSeconds = owner.metadata.annotations?.[runSecondsAnnotation];
  const simulation = {
    ...(isSetToFail(owner) ? { [simulateAnnotation]: 'fail' } : {}),
    ...(runSeconds === undefined ? {} : { [runSecondsAnnotation]: runSeconds }),
  };
  const { name = '', namespace = '' } = owner.metadata;
  return {
    ...(options.name === undefined ? { generateName: options.generateName ?? `${name}-` } : { name: options.name }),
    namespace,
    labels: { ...labels, ...options.labels },
    annotations: { ...annotations, ...options.annotations, ...simulation },
    ownerReferences: [controllerReference(owner)],
  };
}

/** Creates a pod from the template of its owner. */
export async function createPod(cluster: Cluster, owner: KubeObject, options: PodOptions): Promise<void> {
  await assertRoomForPod(cluster, owner, options.as);
  const { spec } = options.template ?? templateOf(owner);
  const pod: KubeObject = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: metadataOf(owner, options),
    spec: { ...(isJsonObject(spec) ? structuredClone(spec) : {}), ...options.spec },
  };
  await cluster.create(typeOf(cluster, 'pods'), pod, { as: options.as });
}

/** Deletes this very pod. */
export async function deletePod(cluster: Cluster, { metadata }: KubeObject, as: string): Promise<void> {
  const { namespace = '', name = '', uid } = metadata;
  const options = { as, propagationPolicy: 'Background' as const, ...(uid === undefined ? {} : { uid }) };
  await ignoreNotFound(cluster.delete(typeOf(cluster, 'pods'), { namespace, name }, options));
}

/** Copies the owner's simulation annotation to its pods, when it changed after they were made. */
export async function passOnFailure(
  cluster: Cluster,
  owner: KubeObject,
  options: { readonly pods: readonly KubeObject[]; readonly as: string },
): Promise<void> {
  const template = templateOf(owner).metadata;
  const { annotations } = (isJsonObject(template) ? template : {}) as Pick<ObjectMeta, 'annotations'>;
  const simulation = isSetToFail(owner) || annotations?.[simulateAnnotation] === 'fail';
  for (const pod of options.pods.filter((candidate) => isSetToFail(candidate) !== simulation)) {
    const { namespace = '', name = '' } = pod.metadata;
    const metadata = { annotations: { [simulateAnnotation]: simulation ? 'fail' : null } };
    await ignoreNotFound(cluster.patch(typeOf(cluster, 'pods'), { namespace, name }, { metadata }, { as: options.as }));
  }
}
