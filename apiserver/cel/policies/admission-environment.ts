import {
  basicTypes,
  type CelType,
  type Environment,
  extensionTypes,
  kubernetesFunctions,
  listType,
  mapType,
  structType,
} from '../../../src/cel/index.ts';
import type { PatternBudget } from '../../../src/schema/index.ts';

const { string, bool, dyn, int, timestamp } = basicTypes;
const strings = listType(string);
const kind = structType('kubernetes.GroupVersionKind');
const resource = structType('kubernetes.GroupVersionResource');
const userInfo = structType('kubernetes.UserInfo');
const request = structType('kubernetes.AdmissionRequest');
const namespace = structType('kubernetes.Namespace');
const namespaceMetadata = structType('kubernetes.NamespaceMetadata');
const namespaceSpec = structType('kubernetes.NamespaceSpec');
const namespaceStatus = structType('kubernetes.NamespaceStatus');
const namespaceCondition = structType('kubernetes.NamespaceCondition');
const variables = structType('kubernetes.variables');

type Fields = Readonly<Record<string, CelType>>;

const requestFields: Fields = {
  kind,
  resource,
  subResource: string,
  requestKind: kind,
  requestResource: resource,
  requestSubResource: string,
  name: string,
  namespace: string,
  operation: string,
  userInfo,
  dryRun: bool,
  options: dyn,
};

const metadataFields: Fields = {
  name: string,
  generateName: string,
  namespace: string,
  labels: mapType(string, string),
  annotations: mapType(string, string),
  UID: string,
  creationTimestamp: timestamp,
  deletionGracePeriodSeconds: int,
  deletionTimestamp: timestamp,
  generation: int,
  resourceVersion: string,
  finalizers: strings,
};

const conditionFields: Fields = {
  status: string,
  type: string,
  lastTransitionTime: timestamp,
  message: string,
  reason: string,
};

const structs: readonly (readonly [CelType, Fields])[] = [
  [kind, { group: string, version: string, kind: string }],
  [resource, { group: string, version: string, resource: string }],
  [userInfo, { username: string, uid: string, groups: strings, extra: mapType(string, strings) }],
  [request, requestFields],
  [namespace, { metadata: namespaceMetadata, spec: namespaceSpec, status: namespaceStatus }],
  [namespaceMetadata, metadataFields],
  [namespaceSpec, { finalizers: strings }],
  [namespaceStatus, { conditions: listType(namespaceCondition), phase: string }],
  [namespaceCondition, conditionFields],
];

const structMaps = structs.map(([type, fields]) => [type.name, new Map(Object.entries(fields))] as const);

/** What the expressions of one place may use. */
export interface AdmissionVariables {
  readonly hasParams: boolean;
  readonly hasAuthorizer: boolean;
  /** Types of the policy's own variables; absent where there are none. */
  readonly variables?: ReadonlyMap<string, CelType>;
  /** Of the regular expressions of all expressions of the object. */
  readonly patterns?: PatternBudget | undefined;
}

/** The names that expressions of admission may use: `object`, `oldObject`, `request`, `namespaceObject`, and what the place has beside. */
export function admissionEnvironment(options: AdmissionVariables): Environment {
  const names = new Map<string, CelType>([
    ['object', dyn],
    ['oldObject', dyn],
    ['namespaceObject', namespace],
    ['request', request],
  ]);
  if (options.hasParams) names.set('params', dyn);
  if (options.hasAuthorizer) {
    names.set('authorizer', extensionTypes.authorizer);
    names.set('authorizer.requestResource', extensionTypes.resourceCheck);
  }
  const types = new Map<string, ReadonlyMap<string, CelType>>(structMaps);
  if (options.variables !== undefined) {
    names.set('variables', variables);
    // Not a copy: each of many variables has an environment with those before it.
    types.set(variables.name, options.variables);
  }
  return { functions: kubernetesFunctions(), variables: names, structs: types, patterns: options.patterns };
}
