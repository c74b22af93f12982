import { isJsonObject, type JsonObject, listAt, objectAt, textAt } from '../../../src/base/index.ts';
import type { KubeObject } from '../../../src/kube/index.ts';

/** Of names, conditions and steps. */
const maxItems = 200;
const maxText = 4_000;

function metadataPart({ metadata }: KubeObject): KubeObject['metadata'] {
  const { name, namespace, uid, creationTimestamp, deletionTimestamp } = metadata;
  return {
    ...(name === undefined ? {} : { name }),
    ...(namespace === undefined ? {} : { namespace }),
    ...(uid === undefined ? {} : { uid }),
    ...(creationTimestamp === undefined ? {} : { creationTimestamp }),
    ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }),
  };
}

/** The members of an object, texts and lists of a limited length. */
function pick(object: JsonObject | undefined, members: readonly string[]): JsonObject {
  const found: JsonObject = {};
  for (const member of members) {
    const value = object?.[member];
    if (typeof value === 'string') found[member] = value.slice(0, maxText);
    else if (Array.isArray(value)) found[member] = value.slice(0, maxItems);
    else if (value !== undefined) found[member] = value;
  }
  return found;
}

const conditionMembers = ['type', 'status', 'reason', 'phase', 'message', 'lastTransitionTime'];

function conditionParts(status: JsonObject | undefined): JsonObject[] {
  const conditions = listAt(status, 'conditions').slice(0, maxItems).filter(isJsonObject);
  return conditions.map((condition) => pick(condition, conditionMembers));
}

/** Of a plan what its steps are about, and not what they apply; none where it is complete. */
function stepParts(status: JsonObject | undefined): JsonObject[] {
  if (textAt(status, 'phase') === 'Complete') return [];
  const steps = listAt(status, 'plan').filter(isJsonObject);
  return steps.map((step) => ({ ...pick(step, ['status']), resource: pick(objectAt(step, 'resource'), ['name']) }));
}

const specMembers = ['name', 'source', 'sourceNamespace', 'channel', 'approved', 'clusterServiceVersionNames'];
const statusMembers = [
  'phase',
  'reason',
  'message',
  'state',
  'lastTransitionTime',
  'startTime',
  'installedCSV',
  'currentCSV',
  'installPlanRef',
  'connectionState',
];

/** What an installation shows of a Subscription, an InstallPlan, a ClusterServiceVersion or a CatalogSource: not the manifests, descriptions and icons in it. */
export function operatorPart(object: KubeObject): KubeObject {
  const whole = object as unknown as JsonObject;
  const status = objectAt(whole, 'status');
  const requirements = textAt(status, 'phase') === 'Succeeded' ? [] : ['requirementStatus'];
  const part = {
    apiVersion: object.apiVersion,
    kind: object.kind,
    metadata: metadataPart(object),
    spec: pick(objectAt(whole, 'spec'), specMembers),
    status: {
      ...pick(status, [...statusMembers, ...requirements]),
      ...(status?.['conditions'] === undefined ? {} : { conditions: conditionParts(status) }),
      ...(status?.['plan'] === undefined ? {} : { plan: stepParts(status) }),
    },
  };
  return part as unknown as KubeObject;
}

/** What an installation shows of a BundleDeployment: not its configuration, and what was installed before. */
export function deploymentPart(object: KubeObject): KubeObject {
  const whole = object as unknown as JsonObject;
  const status = objectAt(whole, 'status');
  const part = {
    apiVersion: object.apiVersion,
    kind: object.kind,
    metadata: metadataPart(object),
    spec: pick(objectAt(whole, 'spec'), ['provisionerClassName']),
    status: { ...pick(status, ['activeVersion', 'activeSource', 'activeBundle']), conditions: conditionParts(status) },
  };
  return part as unknown as KubeObject;
}
