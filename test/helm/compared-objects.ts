import { isJsonObject, type JsonObject, type JsonValue, objectAt } from '../../src/base/index.ts';
import type { KubeObject } from '../../src/kube/index.ts';

/** A place at which an object that Longshore has installed differs from the one that Helm has installed. */
export interface Difference {
  /** `apps/v1 Deployment web` */
  readonly object: string;
  /** `spec.replicas`; empty where one of them has no such object. */
  readonly path: string;
  readonly helm: string;
  readonly ours: string;
}

/** What the server sets, and who has written. */
const serverFields = [
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'managedFields',
  'ownerReferences',
  'selfLink',
  'namespace',
  'finalizers',
];
/** How either marks what it has installed. */
const marks = /^(core\.rukpak\.io|applyset\.kubernetes\.io|meta\.helm\.sh)\/|^app\.kubernetes\.io\/managed-by$/;
const revision = 'deployment.kubernetes.io/revision';

function withoutMarks(value: JsonValue | undefined): JsonObject {
  const entries = Object.entries(isJsonObject(value) ? value : {});
  return Object.fromEntries(entries.filter(([key]) => !marks.test(key) && key !== revision));
}

/** An object without what is different whenever it is installed. */
export function comparable(object: KubeObject): JsonObject {
  const { metadata: all, status: _status, ...rest } = object as unknown as JsonObject;
  const metadata = Object.fromEntries(
    Object.entries(isJsonObject(all) ? all : {}).filter(([key]) => !serverFields.includes(key)),
  );
  const named = {
    ...metadata,
    labels: withoutMarks(metadata['labels']),
    annotations: withoutMarks(metadata['annotations']),
  };
  if (object.kind !== 'Service') return { ...rest, metadata: named };
  // Addresses and ports are given out by the server.
  const spec: Record<string, JsonValue | undefined> = { ...objectAt(rest, 'spec') };
  for (const field of ['clusterIP', 'clusterIPs', 'healthCheckNodePort']) {
    if (spec[field] !== 'None' && JSON.stringify(spec[field]) !== '["None"]') delete spec[field];
  }
  const ports = Array.isArray(spec['ports']) ? spec['ports'] : [];
  spec['ports'] = ports.map((port) =>
    isJsonObject(port) ? { ...port, nodePort: port['nodePort'] === undefined ? '' : 'given' } : port,
  );
  return { ...rest, metadata: named, spec };
}

function shown(value: JsonValue | undefined): string {
  return value === undefined ? '(absent)' : JSON.stringify(value).slice(0, 160);
}

function* compare(
  helm: JsonValue | undefined,
  ours: JsonValue | undefined,
  path: string,
): Generator<Omit<Difference, 'object'>> {
  if (isJsonObject(helm) && isJsonObject(ours)) {
    for (const key of new Set([...Object.keys(helm), ...Object.keys(ours)])) {
      yield* compare(helm[key], ours[key], path === '' ? key : `${path}.${key}`);
    }
  } else if (Array.isArray(helm) && Array.isArray(ours)) {
    for (let index = 0; index < Math.max(helm.length, ours.length); index++) {
      yield* compare(helm[index], ours[index], `${path}[${index}]`);
    }
  } else if (JSON.stringify(helm) !== JSON.stringify(ours)) yield { path, helm: shown(helm), ours: shown(ours) };
}

/** Objects by what they are, as Helm and Longshore have left them. */
export type Installed = ReadonlyMap<string, JsonObject>;

/** Everything that differs. */
export function differencesOf(helm: Installed, ours: Installed): readonly Difference[] {
  return [...new Set([...helm.keys(), ...ours.keys()])].flatMap((object): Difference[] => {
    const [theirs, own] = [helm.get(object), ours.get(object)];
    if (theirs === undefined || own === undefined) {
      const present = (value: JsonObject | undefined): string => (value === undefined ? '(absent)' : 'present');
      return [{ object, path: '', helm: present(theirs), ours: present(own) }];
    }
    return [...compare(theirs, own, '')].map((difference) => ({ object, ...difference }));
  });
}
