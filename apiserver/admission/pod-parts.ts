import { isJsonObject, type JsonObject, type JsonValue } from '../../src/base/index.ts';
import type { AdmissionPlugin, AdmissionRequest } from '../core/admission-plugin.ts';
import type { KubeObject } from '../core/kube-object.ts';
import { addLists, maxLists, type ResourceList, resourceList } from '../schema/resource-lists.ts';

/** The objects of a list; anything else in it is left out. */
export function objectsOf(value: JsonValue | undefined): JsonObject[] {
  return Array.isArray(value) ? value.filter((item) => isJsonObject(item)) : [];
}

/** A text, or nothing. */
export function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}

/** The texts of a list. */
export function textsOf(value: JsonValue | undefined): string[] {
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : [];
}

/** An object, empty where there is none. */
export function objectOf(value: unknown): JsonObject {
  return isJsonObject(value as JsonValue) ? (value as JsonObject) : {};
}

/** Whether a pod is being made. */
export function isNewPod({ operation, resource, subresource }: AdmissionRequest): boolean {
  return operation === 'CREATE' && resource.storageKey === 'pods' && subresource === undefined;
}

/** Whether a pod is being made, or changed as a whole. */
export function isPodWrite(request: AdmissionRequest): boolean {
  const isUpdate = request.operation === 'UPDATE' && request.resource.storageKey === 'pods';
  return isNewPod(request) || (isUpdate && request.subresource === undefined);
}

/** A plug-in that fills in the spec of new pods, or of those that `isMeant`; `change` gets a copy of its own. */
export function podPlugin(
  name: string,
  change: (spec: JsonObject, request: AdmissionRequest) => void,
  isMeant: (request: AdmissionRequest) => boolean = isNewPod,
): AdmissionPlugin {
  return {
    name,
    mutate: (request) => {
      const { object } = request;
      if (!isMeant(request) || !isJsonObject(object?.['spec'])) return Promise.resolve(undefined);
      const spec = structuredClone(object['spec']);
      change(spec, request);
      return Promise.resolve({ ...object, spec } as KubeObject);
    },
  };
}

/** What all containers of a pod ask for together, as the scheduler counts: init containers run one by one before the others, those that are
 *  restarted beside them. */
export function podTotals(spec: JsonObject, part: 'requests' | 'limits'): ResourceList {
  const of = (container: JsonObject): ResourceList => resourceList(objectOf(container['resources'])[part]);
  let total = objectsOf(spec['containers']).map(of).reduce(addLists, {});
  let beside: ResourceList = {};
  let before: ResourceList = {};
  for (const container of objectsOf(spec['initContainers'])) {
    const own = of(container);
    if (container['restartPolicy'] === 'Always') {
      total = addLists(total, own);
      beside = addLists(beside, own);
      before = maxLists(before, beside);
    } else {
      before = maxLists(before, addLists(own, beside));
    }
  }
  return maxLists(total, before);
}
