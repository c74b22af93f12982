import { type JsonObject, objectAt, objectsAt } from '../base/index.ts';
import type { KubeObject, ListTarget } from '../kube/index.ts';

/** Of a definition what controllers of operators read; schemas take most of the memory. */
function definitionSummary(object: KubeObject): KubeObject {
  const { apiVersion, kind, metadata } = object;
  const spec = objectAt(object as JsonObject, 'spec');
  const { group = null, conversion = null, preserveUnknownFields = null } = spec ?? {};
  const versions = objectsAt(spec, 'versions').map(({ name = null, served = null }) => ({ name, served }));
  const conditions = objectsAt(objectAt(object as JsonObject, 'status'), 'conditions');
  return {
    apiVersion,
    kind,
    metadata,
    spec: { group, versions, conversion, preserveUnknownFields },
    status: { conditions },
  };
}

/** CustomResourceDefinitions without their schemas: `spec.group`, names and serving of the versions, conversion, `status.conditions`. */
export const definitionSummaries: ListTarget = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  projection: { name: 'versions, conversion and conditions', of: definitionSummary },
};
