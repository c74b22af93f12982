import { isJsonObject, type JsonObject, type JsonValue, objectAt, objectsAt, textAt } from '../../src/base/index.ts';
import type { KubeObject } from '../../src/kube/index.ts';

type Texts = (text: string) => string;

function mapTexts(value: JsonValue, text: Texts): JsonValue {
  if (typeof value === 'string') return text(value);
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, text));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, mapTexts(item ?? null, text)]));
}

function extensionOf(object: JsonObject): JsonObject {
  const status = objectAt(object, 'status') ?? {};
  const conditions = objectsAt(status, 'conditions').map((condition): [string, JsonValue] => {
    const parts = ['status', 'reason', 'message'].map((key) => textAt(condition, key));
    return [textAt(condition, 'type'), `${parts[0]} ${parts[1]}: ${parts[2]}`];
  });
  const bundle = objectAt(status, 'install', 'bundle');
  const isDeleted = objectAt(object, 'metadata')?.['deletionTimestamp'] !== undefined;
  return {
    ...Object.fromEntries(conditions.toSorted(([a], [b]) => (a < b ? -1 : 1))),
    ...(bundle !== undefined && { installed: `${textAt(bundle, 'name')} ${textAt(bundle, 'version')}` }),
    ...(isDeleted && { isBeingDeleted: true }),
  };
}

function deploymentOf(object: JsonObject): JsonObject {
  const template = objectAt(object, 'spec', 'template');
  const containers = objectsAt(objectAt(template, 'spec'), 'containers');
  const targets = objectAt(template, 'metadata', 'annotations')?.['olm.targetNamespaces'];
  return {
    containers: containers.map(
      ({ image = null, env = [], resources = {} }) => ({ image, env, resources }) as JsonObject,
    ),
    ...(targets !== undefined && { targets }),
  };
}

const shown: Readonly<Record<string, (object: JsonObject) => JsonObject>> = {
  ClusterExtension: extensionOf,
  Deployment: deploymentOf,
  ConfigMap: ({ data = null }) => ({ data }),
  CustomResourceDefinition: (object) => ({
    versions: objectsAt(objectAt(object, 'spec'), 'versions').map((version) => textAt(version, 'name')),
  }),
  ClusterRole: ({ rules = null }) => ({ rules }),
  Role: ({ rules = null }) => ({ rules }),
};

/** What is compared of an object. */
export function canonicalObject(object: KubeObject, text: Texts): JsonObject {
  const read = shown[object.kind] ?? (() => ({}));
  return mapTexts(read(object as unknown as JsonObject), text) as JsonObject;
}

/** By which it is recorded. */
export function keyOf({ kind, metadata: { namespace, name = '' } }: KubeObject, text: Texts): string {
  return text(`${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`);
}
