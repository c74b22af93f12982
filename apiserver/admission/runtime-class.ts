import { isJsonEqual, isJsonObject, type JsonObject, type JsonValue, sortedKeys } from '../../src/base/index.ts';
import {
  type AdmissionPlugin,
  type AdmissionRequest,
  type Cluster,
  type KubeObject,
  objectOf,
  objectsOf,
  textOf,
} from '../core/index.ts';
import { resourceList } from '../schema/index.ts';
import { isNewPod, podPlugin } from './pod-parts.ts';
import { refusal } from './refusal.ts';

function classOf(cluster: Cluster, request: AdmissionRequest): KubeObject | undefined {
  const name = textOf(objectOf(request.object?.['spec'])['runtimeClassName']);
  const type = cluster.resource('node.k8s.io', 'runtimeclasses');
  if (name === '' || type === undefined) return undefined;
  const found = cluster.get(type, { namespace: '', name });
  if (found === undefined) throw refusal(request, `pod rejected: RuntimeClass "${name}" not found`);
  return found;
}

function setOverhead(spec: JsonObject, runtime: KubeObject, request: AdmissionRequest): void {
  const { podFixed } = objectOf(runtime['overhead']);
  if (podFixed === undefined) return;
  if (
    isJsonObject(spec['overhead']) &&
    !isJsonEqual({ ...resourceList(spec['overhead']) }, { ...resourceList(podFixed) })
  ) {
    throw refusal(request, "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead");
  }
  spec['overhead'] = structuredClone(podFixed);
}

function setScheduling(spec: JsonObject, runtime: KubeObject, request: AdmissionRequest): void {
  const scheduling = objectOf(runtime['scheduling']);
  const [own, required] = [objectOf(spec['nodeSelector']), objectOf(scheduling['nodeSelector'])];
  for (const [key, value] of Object.entries(required)) {
    const existing = Object.hasOwn(own, key) ? own[key] : value;
    if (existing === value) continue;
    const [runtimeWords, podWords] = [
      `runtimeClass.scheduling.nodeSelector[${key}] = ${String(value as string)}`,
      `pod.spec.nodeSelector[${key}] = ${String(existing as string)}`,
    ];
    throw refusal(request, `conflict: ${runtimeWords}; ${podWords}`);
  }
  if (Object.keys(required).length > 0) spec['nodeSelector'] = { ...own, ...required };
  const added = objectsOf(scheduling['tolerations']);
  const tolerations = objectsOf(spec['tolerations']);
  if (added.length === 0) return;
  const known = new Set(tolerations.map((item) => JSON.stringify(sortedKeys(item))));
  const lacking = added.filter((item) => !known.has(JSON.stringify(sortedKeys(item))));
  if (lacking.length > 0) spec['tolerations'] = [...tolerations, ...structuredClone(lacking)];
}

function checkOverhead(request: AdmissionRequest, runtime: KubeObject | undefined): void {
  const given: JsonValue | undefined = objectOf(request.object?.['spec'])['overhead'];
  const { podFixed } = objectOf(runtime?.['overhead']);
  if (given === undefined || Object.keys(objectOf(given)).length === 0) return;
  if (podFixed !== undefined) return;
  throw refusal(request, 'pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead');
}

/** Pods take overhead and scheduling from their RuntimeClass. */
export function runtimeClass(cluster: Cluster): AdmissionPlugin {
  const filling = podPlugin('RuntimeClass', (spec, request) => {
    const runtime = classOf(cluster, request);
    if (runtime === undefined) return;
    setOverhead(spec, runtime, request);
    setScheduling(spec, runtime, request);
  });
  return {
    ...filling,
    validate: (request) => {
      if (isNewPod(request)) checkOverhead(request, classOf(cluster, request));
      return Promise.resolve();
    },
  };
}
