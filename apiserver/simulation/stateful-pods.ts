import { isJsonObject, type JsonObject } from '../../src/base/index.ts';
import { objectsIn, specOf, typeOf } from '../controllers/index.ts';
import type { Cluster, KubeObject } from '../core/index.ts';
import { createPod } from './pod-set.ts';
import { countOf } from './simulated.ts';

/** Name of the controller in requests. */
export const as = 'system:serviceaccount:kube-system:statefulset-controller';
/** On a pod: the name of its revision. */
export const revisionLabel = 'controller-revision-hash';

function claimName(template: JsonObject, podName: string): string {
  const { metadata } = template;
  const name = isJsonObject(metadata) && typeof metadata.name === 'string' ? metadata.name : '';
  return `${name}-${podName}`;
}

async function ensureClaims(cluster: Cluster, set: KubeObject, podName: string): Promise<void> {
  const type = typeOf(cluster, 'persistentvolumeclaims');
  const { namespace = '' } = set.metadata;
  for (const template of objectsIn(specOf(set).volumeClaimTemplates)) {
    const name = claimName(template, podName);
    if (cluster.get(type, { namespace, name }) !== undefined) continue;
    const claim = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name, namespace } };
    await cluster.create(type, { ...claim, spec: isJsonObject(template.spec) ? template.spec : {} }, { as });
  }
}

/** The volumes of the template, with those of the claims put in. */
function volumesFor(set: KubeObject, podTemplate: JsonObject, podName: string): JsonObject[] {
  const { spec } = podTemplate;
  const claims = objectsIn(specOf(set).volumeClaimTemplates).map((template): JsonObject => {
    const { metadata } = template;
    const name = isJsonObject(metadata) ? metadata.name : '';
    return { name, persistentVolumeClaim: { claimName: claimName(template, podName) } };
  });
  const taken = new Set(claims.map(({ name }) => name));
  return [
    ...objectsIn(isJsonObject(spec) ? spec.volumes : undefined).filter(({ name }) => !taken.has(name)),
    ...claims,
  ];
}

/** The template that a new pod is made from, and the name of its revision. */
export interface MemberTemplate {
  readonly template: JsonObject;
  readonly revision: string;
}

/** Creates the pod with this number, and the claims that it lacks. */
export async function createMember(
  cluster: Cluster,
  set: KubeObject,
  member: MemberTemplate & { readonly ordinal: number },
): Promise<void> {
  const { ordinal, template, revision } = member;
  const name = `${set.metadata.name}-${ordinal}`;
  await ensureClaims(cluster, set, name);
  const labels = {
    'statefulset.kubernetes.io/pod-name': name,
    'apps.kubernetes.io/pod-index': String(ordinal),
    [revisionLabel]: revision,
  };
  const { serviceName } = specOf(set);
  const subdomain = typeof serviceName === 'string' && serviceName !== '' ? { subdomain: serviceName } : {};
  const volumes = volumesFor(set, template, name);
  const spec = { hostname: name, ...subdomain, ...(volumes.length === 0 ? {} : { volumes }) };
  await createPod(cluster, set, { as, name, labels, spec, template });
}

/** The number at the end of the name of a pod of the set; undefined for other names. */
export function ordinalOf(set: KubeObject, { metadata }: KubeObject): number | undefined {
  const { name = '' } = metadata;
  const prefix = `${set.metadata.name}-`;
  const rest = name.startsWith(prefix) ? name.slice(prefix.length) : '';
  return /^(?:0|[1-9]\d{0,9})$/.test(rest) ? Number(rest) : undefined;
}

/** The number of the first pod. */
export function startOrdinal(set: KubeObject): number {
  const { ordinals } = specOf(set);
  return isJsonObject(ordinals) ? countOf(ordinals.start, 0) : 0;
}
