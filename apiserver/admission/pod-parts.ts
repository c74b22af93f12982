import { isJsonObject, type JsonObject } from '../../src/base/index.ts';
import type { AdmissionPlugin, AdmissionRequest, KubeObject } from '../core/index.ts';

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
