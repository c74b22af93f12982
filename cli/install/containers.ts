import { isJsonObject, type JsonObject } from '../../src/base/index.ts';
import type { KubeObject } from '../../src/kube/index.ts';

const workloads: ReadonlySet<string> = new Set(['Deployment', 'DaemonSet']);

/** A Deployment or DaemonSet with its containers changed; other objects as they are. */
export function withContainers(object: KubeObject, change: (container: JsonObject) => JsonObject): KubeObject {
  const spec = object['spec'];
  if (!workloads.has(object.kind) || !isJsonObject(spec)) return object;
  const { template } = spec as unknown as { template: { spec: { containers: readonly JsonObject[] } } };
  const containers = template.spec.containers.map(change);
  return {
    ...object,
    spec: { ...spec, template: { ...template, spec: { ...template.spec, containers } } },
  } as KubeObject;
}
