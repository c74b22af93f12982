import { createHash } from 'node:crypto';
import { isJsonEqual, type JsonObject } from '../../../src/base/index.ts';
import { loadBuiltinSchemas } from '../../schema/builtin-schemas.ts';
import type { Schema } from '../../schema/schema.ts';
import { columnsOfPrinterColumns } from '../../table/index.ts';
import { copyJson } from '../json-copy.ts';
import { asJson, isTrueAt, listAt, objectAt, objectsAt, textAt, valueAt } from '../kinds/reading.ts';
import type { KubeObject } from '../kube-object.ts';
import type { ResourceType, ScalePaths, SubresourceType, TableColumn, Verb } from '../resource-type.ts';
import {
  type CustomObjects,
  type CustomVersion,
  compileObjects,
  createCustomStrategy,
  selectedText,
} from './custom-strategy.ts';

const verbs: readonly Verb[] = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'];
const readWrite: readonly Verb[] = ['get', 'patch', 'update'];

/** Makes the columns of a Table from `additionalPrinterColumns`. */
export type ColumnsOfPrinterColumns = (columns: readonly JsonObject[]) => readonly TableColumn[];

function rootSchema(schema: Schema): Schema {
  const metadata = loadBuiltinSchemas().definition('io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta');
  const fixed = { apiVersion: { type: 'string' }, kind: { type: 'string' }, metadata } as const;
  return { ...schema, type: 'object', properties: { ...schema.properties, ...fixed } };
}

const scaleKind = { group: 'autoscaling', version: 'v1', kind: 'Scale' };

function scalePaths(scale: JsonObject | undefined): ScalePaths {
  const labelSelector = textAt(scale, 'labelSelectorPath');
  return {
    specReplicas: textAt(scale, 'specReplicasPath'),
    statusReplicas: textAt(scale, 'statusReplicasPath'),
    ...(labelSelector === '' ? {} : { labelSelector }),
  };
}

function subresourcesOf(
  version: JsonObject,
  own: Pick<SubresourceType, 'group' | 'version' | 'kind'>,
): SubresourceType[] {
  const subresources = objectAt(version, 'subresources');
  const found: SubresourceType[] = [];
  if (objectAt(subresources, 'status') !== undefined) found.push({ name: 'status', verbs: readWrite, ...own });
  if (objectAt(subresources, 'scale') !== undefined) {
    found.push({ name: 'scale', verbs: readWrite, ...scaleKind, scale: scalePaths(objectAt(subresources, 'scale')) });
  }
  return found;
}

function selectable(version: JsonObject): ReadonlyMap<string, (object: KubeObject) => string> {
  const paths = objectsAt(version, 'selectableFields').map((field) => textAt(field, 'jsonPath'));
  return new Map(paths.map((path) => [path.replace(/^\./, ''), (object: KubeObject) => selectedText(object, path)]));
}

function deprecationOf(crd: JsonObject, version: JsonObject): { readonly deprecationWarning?: string } {
  if (!isTrueAt(version, 'deprecated')) return {};
  const own = textAt(version, 'deprecationWarning');
  const spec = objectAt(crd, 'spec');
  const kind = textAt(objectAt(spec, 'names'), 'kind');
  return {
    deprecationWarning: own === '' ? `${textAt(spec, 'group')}/${textAt(version, 'name')} ${kind} is deprecated` : own,
  };
}

/** Objects as they are served are worked out once each; what needs no change is served as it is stored. */
function converters(
  apiVersion: string,
  objects: CustomObjects,
  storageVersion: string,
): Pick<ResourceType, 'toServed' | 'toStorage'> {
  const served = new WeakMap<KubeObject, KubeObject>();
  return {
    toServed: (object) => {
      const known = served.get(object);
      if (known !== undefined) return known;
      const copy = { ...copyJson(object), apiVersion };
      objects.complete(copy);
      const isSame = isJsonEqual(asJson(copy), asJson(object));
      const result = isSame ? object : copy;
      served.set(object, result);
      return result;
    },
    toStorage: (object) => (object.apiVersion === storageVersion ? object : { ...object, apiVersion: storageVersion }),
  };
}

interface Build {
  readonly crd: JsonObject;
  readonly storageVersion: string;
  readonly columns: ColumnsOfPrinterColumns;
}

function customVersion(version: JsonObject, kind: string): CustomVersion {
  const given = (objectAt(version, 'schema', 'openAPIV3Schema') ?? {
    'x-kubernetes-preserve-unknown-fields': true,
  }) as Schema;
  const subresources = objectAt(version, 'subresources');
  const scale = objectAt(subresources, 'scale');
  return {
    kind,
    hasStatus: objectAt(subresources, 'status') !== undefined,
    schema: given,
    scale: scale === undefined ? undefined : scalePaths(scale),
    selectableFields: selectable(version),
  };
}

function storageVersionHash({ group, version, kind }: { group: string; version: string; kind: string }): string {
  const digest = createHash('sha256').update(`${group}/${version}/${kind}`).digest();
  return digest.subarray(0, 8).toString('base64');
}

function resourceOf(version: JsonObject, { crd, storageVersion, columns }: Build): ResourceType {
  const spec = objectAt(crd, 'spec');
  const names = objectAt(spec, 'names');
  const own = { group: textAt(spec, 'group'), version: textAt(version, 'name'), kind: textAt(names, 'kind') };
  const custom = customVersion(version, own.kind);
  const isStorageVersion = own.version === storageVersion;
  const objects = compileObjects(custom);
  return {
    ...own,
    listKind: textAt(names, 'listKind') || `${own.kind}List`,
    plural: textAt(names, 'plural'),
    singular: textAt(names, 'singular') || own.kind.toLowerCase(),
    shortNames: listAt(names, 'shortNames').map(String),
    categories: listAt(names, 'categories').map(String),
    namespaced: textAt(spec, 'scope') === 'Namespaced',
    verbs,
    subresources: subresourcesOf(version, own),
    storageKey: `${textAt(names, 'plural')}.${own.group}`,
    isStorageVersion,
    isStoredAsServed: false,
    isCustom: true,
    storageVersionHash: storageVersionHash({ ...own, version: storageVersion }),
    ...deprecationOf(crd, version),
    schema: rootSchema(custom.schema),
    columns: columns(objectsAt(version, 'additionalPrinterColumns')),
    strategy: createCustomStrategy(custom, objects),
    ...converters(`${own.group}/${own.version}`, objects, `${own.group}/${storageVersion}`),
  };
}

/** The resource types that a valid CustomResourceDefinition adds: one a served version, and the storage version even when it is not served
 *  (then without verbs). Work is done once here; call it once a revision. Conversion is `None`: webhook conversion is not done. */
export function resourceTypesOfCrd(
  object: KubeObject,
  columns: ColumnsOfPrinterColumns = columnsOfPrinterColumns,
): ResourceType[] {
  const crd = asJson(object);
  const versions = objectsAt(objectAt(crd, 'spec'), 'versions');
  const storageVersion = textAt(
    versions.find((version) => isTrueAt(version, 'storage')),
    'name',
  );
  const needed = versions.filter((version) => isTrueAt(version, 'served') || isTrueAt(version, 'storage'));
  return needed.map((version) => {
    const type = resourceOf(version, { crd, storageVersion, columns });
    return valueAt(version, 'served') === true ? type : { ...type, verbs: [] };
  });
}
