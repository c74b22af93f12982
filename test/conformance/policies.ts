import { isJsonObject, type JsonObject, type JsonValue } from '../../src/base/index.ts';
import type { Probe } from './probe.ts';

const root = '/apis/admissionregistration.k8s.io/v1';
const asAlice = { as: { user: 'alice', groups: ['system:masters'] } };
const sentinelText = 'the policies are in force';

/** A policy by what is special about it: `spec` goes over the defaults, `binding` over those of its binding; without one it is not bound. */
export interface PolicyOptions {
  readonly spec: JsonObject;
  readonly binding?: JsonObject | undefined;
}

function policy(name: string, spec: JsonObject): JsonObject {
  return { apiVersion: 'admissionregistration.k8s.io/v1', kind: 'ValidatingAdmissionPolicy', metadata: { name }, spec };
}

function binding(name: string, spec: JsonObject): JsonObject {
  const kind = 'ValidatingAdmissionPolicyBinding';
  return { apiVersion: 'admissionregistration.k8s.io/v1', kind, metadata: { name }, spec };
}

/** What policies match by default: ConfigMaps that are written. */
export const configMaps: JsonObject = {
  resourceRules: [
    { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE', 'UPDATE', 'DELETE'], resources: ['configmaps'] },
  ],
};

async function install(api: Probe, name: string, { spec, binding: own }: PolicyOptions): Promise<void> {
  const namespaceSelector = { matchLabels: { 'kubernetes.io/metadata.name': api.namespace } };
  const given = isJsonObject(spec['matchConstraints']) ? spec['matchConstraints'] : configMaps;
  api.cleanUp(`${root}/validatingadmissionpolicies/${name}`);
  await api.setUp('POST', `${root}/validatingadmissionpolicies`, {
    body: policy(name, { ...spec, matchConstraints: { namespaceSelector, ...given } }),
  });
  if (own === undefined) return;
  api.cleanUp(`${root}/validatingadmissionpolicybindings/${name}`);
  await api.setUp('POST', `${root}/validatingadmissionpolicybindings`, {
    body: binding(name, {
      policyName: name,
      validationActions: ['Deny'],
      ...own,
      matchResources: { namespaceSelector, ...(isJsonObject(own['matchResources']) ? own['matchResources'] : {}) },
    }),
  });
}

function configMap(name: string, more: JsonObject = {}): JsonObject {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, ...more };
}

const sentinelRules: JsonObject = {
  resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['secrets'] }],
};

/** Installs policies by first name, bound to the case's namespace, and waits until they are in force. */
export async function installPolicies(api: Probe, policies: Readonly<Record<string, PolicyOptions>>): Promise<void> {
  const names = Object.keys(policies);
  for (const [first, options] of Object.entries(policies)) await install(api, api.unique(first), options);
  const sentinel = `sentinel-after-${names.join('-')}`;
  const validations = [{ expression: `object.metadata.name != '${sentinel}'`, message: sentinelText }];
  await install(api, api.unique(sentinel), { spec: { matchConstraints: sentinelRules, validations }, binding: {} });
  const path = `/api/v1/namespaces/${api.namespace}/secrets?dryRun=All`;
  const body = { apiVersion: 'v1', kind: 'Secret', metadata: { name: sentinel } };
  for (let attempt = 0; attempt < 600; attempt += 1) {
    const { steps } = api;
    const { length } = steps;
    const answer = await api.ask('POST', path, { body });
    steps.length = length;
    if (answer.text.includes(sentinelText)) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error('the policies were never in force');
}

function narrow(body: JsonValue): unknown {
  return isJsonObject(body) && body['kind'] === 'Status' ? body : 'written';
}

/** Writes ConfigMaps of the case's namespace; records what is refused, and warnings. */
export function configMapWriter(api: Probe): {
  readonly create: (name: string, data?: JsonObject, metadata?: JsonObject) => Promise<void>;
  readonly change: (name: string, patch: JsonObject) => Promise<void>;
  readonly remove: (name: string) => Promise<void>;
} {
  const path = `/api/v1/namespaces/${api.namespace}/configmaps`;
  return {
    create: async (name, data = {}, metadata = {}) => {
      const body = { ...configMap(name, { data }), metadata: { name, ...metadata } };
      await api.ask('POST', path, { ...asAlice, body, keep: narrow });
    },
    change: async (name, patch) => {
      await api.ask('PATCH', `${path}/${name}`, {
        ...asAlice,
        body: patch,
        contentType: 'application/merge-patch+json',
        keep: narrow,
      });
    },
    remove: async (name) => {
      await api.ask('DELETE', `${path}/${name}`, { ...asAlice, keep: narrow });
    },
  };
}
