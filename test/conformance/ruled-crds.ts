import { isJsonObject, type JsonObject, type JsonValue } from '../../src/base/index.ts';
import type { Probe } from './probe.ts';

/** A schema's node with rules. */
export function ruled(schema: JsonObject, ...rules: readonly (string | JsonObject)[]): JsonObject {
  const list = rules.map((rule) => (typeof rule === 'string' ? { rule } : rule));
  return { ...schema, 'x-kubernetes-validations': list };
}

/** An object with properties. */
export function objectOf(properties: JsonObject, more: JsonObject = {}): JsonObject {
  return { type: 'object', properties, ...more };
}

/** A CustomResourceDefinition of kind Thing whose `spec` has this schema. */
function thingDefinition(api: Probe, root: JsonObject): JsonObject {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `things.${api.group}` },
    spec: {
      group: api.group,
      scope: 'Namespaced',
      names: { plural: 'things', singular: 'thing', kind: 'Thing', listKind: 'ThingList' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: root } }],
    },
  };
}

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

/** Asks whether a server would take a definition with this schema; records the complaints. */
export async function tryDefinition(api: Probe, root: JsonObject): Promise<void> {
  const keep = (body: JsonValue): unknown => (isJsonObject(body) && body['kind'] === 'Status' ? body : 'accepted');
  await api.ask('POST', `${definitions}?dryRun=All`, { body: thingDefinition(api, root), keep });
}

function isServed(body: JsonValue): boolean {
  if (!isJsonObject(body) || !isJsonObject(body['status'])) return false;
  const { conditions } = body['status'];
  const list = Array.isArray(conditions) ? conditions : [];
  return list.some((item) => isJsonObject(item) && item['type'] === 'Established' && item['status'] === 'True');
}

/** Things of a definition that is served. */
export interface Things {
  /** `POST`s a Thing with these members, recorded. */
  create(name: string, members: JsonObject): Promise<void>;
  /** Changes a Thing by a merge patch, recorded. */
  change(name: string, patch: JsonObject): Promise<void>;
  /** Replaces the schema. */
  redefine(root: JsonObject): Promise<void>;
}

function narrow(body: JsonValue): unknown {
  if (!isJsonObject(body) || body['kind'] === 'Status') return body;
  const { spec, status } = body;
  return { spec: spec ?? null, ...(status === undefined ? {} : { status }) };
}

/** Makes the definition and waits until it is served. */
export async function defineThings(api: Probe, root: JsonObject): Promise<Things> {
  const path = `${definitions}/things.${api.group}`;
  const things = `/apis/${api.group}/v1/namespaces/${api.namespace}/things`;
  api.cleanUp(path);
  await api.setUp('POST', definitions, { body: thingDefinition(api, root) });
  await api.eventually(path, isServed);
  await api.eventually(things, (body) => isJsonObject(body) && body['kind'] === 'ThingList');
  return {
    create: async (name, members) => {
      const body = { apiVersion: `${api.group}/v1`, kind: 'Thing', metadata: { name }, ...members };
      await api.ask('POST', things, { body, keep: narrow });
    },
    change: async (name, patch) => {
      const contentType = 'application/merge-patch+json';
      await api.ask('PATCH', `${things}/${name}`, { body: patch, contentType, keep: narrow });
    },
    redefine: async (schema) => {
      const versions = [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } }];
      const contentType = 'application/merge-patch+json';
      await api.setUp('PATCH', path, { body: { spec: { versions } }, contentType });
      await api.settle(1500);
    },
  };
}
