import { isJsonObject, type JsonObject, TerminalError } from '../base/index.ts';
import { type CompiledSchema, compileSchema, type Schema } from '../schema/index.ts';
import { bundleResource } from './bundle.ts';
import { bundleDeploymentResource } from './bundle-deployment.ts';
import { clusterCatalogResource } from './cluster-catalog.ts';
import { type Bundle, bundleShape } from './generated/bundle.ts';
import { type BundleDeployment, bundleDeploymentShape } from './generated/bundle-deployment.ts';
import { type ClusterCatalog, clusterCatalogShape } from './generated/cluster-catalog.ts';
import { type PlatformOperator, platformOperatorShape } from './generated/platform-operator.ts';
import { platformOperatorResource } from './platform-operator.ts';
import type { Resource } from './resource.ts';

const stringMap: Schema = { type: 'object', additionalProperties: { type: 'string' } };

const ownerReference: Schema = {
  type: 'object',
  required: ['apiVersion', 'kind', 'name', 'uid'],
  properties: {
    apiVersion: { type: 'string' },
    kind: { type: 'string' },
    name: { type: 'string' },
    uid: { type: 'string' },
    controller: { type: 'boolean' },
    blockOwnerDeletion: { type: 'boolean' },
  },
};

const metadata: Schema = {
  type: 'object',
  required: ['name'],
  properties: {
    name: { type: 'string' },
    uid: { type: 'string' },
    resourceVersion: { type: 'string' },
    generation: { type: 'integer' },
    deletionTimestamp: { type: 'string' },
    labels: stringMap,
    annotations: stringMap,
    finalizers: { type: 'array', items: { type: 'string' } },
    ownerReferences: { type: 'array', items: ownerReference },
  },
};

function problemsOf(raw: JsonObject, { apiVersion, kind }: Resource, schema: CompiledSchema): readonly string[] {
  if (raw.apiVersion !== apiVersion || raw.kind !== kind) {
    const found = JSON.stringify([raw.apiVersion ?? '', raw.kind ?? ''])
      .slice(1, -1)
      .slice(0, 100);
    return [`expected apiVersion "${apiVersion}" and kind "${kind}", found ${found}`];
  }
  return schema.validate(raw).map(({ field, message }) => `${field}: ${message}`);
}

function createParser<T>(resource: Resource, shape: Schema): (raw: unknown) => T {
  let schema: CompiledSchema | undefined;
  const valid = new WeakSet<JsonObject>();
  return (raw) => {
    if (!isJsonObject(raw)) throw new TerminalError('InvalidObject', `${resource.kind}: expected an object`);
    if (!valid.has(raw)) {
      const required = ['metadata', ...(shape.required ?? [])];
      schema ??= compileSchema({ ...shape, required, properties: { metadata, ...shape.properties } });
      const problems = problemsOf(raw, resource, schema);
      if (problems.length > 0) throw new TerminalError('InvalidObject', `${resource.kind}: ${problems.join(', ')}`);
      valid.add(raw);
    }
    return raw as T;
  };
}

/** The typed view of an object that came from outside: types, required members and closed sets are as its CustomResourceDefinition has them. It is the
 *  same value, so that no field gets lost, and must not be changed afterwards: the same object is not checked twice.
 *  @throws TerminalError InvalidObject, with all problems in the words of kube-apiserver */
export const parseBundle: (raw: unknown) => Bundle = createParser(bundleResource, bundleShape);

/** @see parseBundle */
export const parseBundleDeployment: (raw: unknown) => BundleDeployment = createParser(
  bundleDeploymentResource,
  bundleDeploymentShape,
);

/** @see parseBundle */
export const parseClusterCatalog: (raw: unknown) => ClusterCatalog = createParser(
  clusterCatalogResource,
  clusterCatalogShape,
);

/** @see parseBundle */
export const parsePlatformOperator: (raw: unknown) => PlatformOperator = createParser(
  platformOperatorResource,
  platformOperatorShape,
);
