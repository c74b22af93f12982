import { createHash } from 'node:crypto';
import {
  isJsonEqual,
  isTrueAt,
  type JsonObject,
  listAt,
  objectAt,
  objectsAt,
  textAt,
  valueAt,
} from '../../../src/base/index.ts';
import type { Schema } from '../../../src/schema/index.ts';
import {
  type AsyncConversion,
  asJson,
  compareVersions,
  copyJson,
  type KubeObject,
  type ResourceType,
  type ScalePaths,
  type SubresourceType,
  type TableColumn,
  type Verb,
} from '../../core/index.ts';
import { loadBuiltinSchemas } from '../../schema/index.ts';
import { columnsOfPrinterColumns } from '../../table/index.ts';
import { ConvertedObjects } from './converted-objects.ts';
import {
  type CustomObjects,
  type CustomVersion,
  compileObjects,
  createCustomStrategy,
  selectedText,
} from './custom-strategy.ts';
import { type CallConversion, WebhookConversion } from './webhook-conversion.ts';

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

/** The version that is to be used instead of a deprecated one: the best that is served, not deprecated itself, and better. */
function replacementOf(crd: JsonObject, name: string): string | undefined {
  const versions = objectsAt(objectAt(crd, 'spec'), 'versions').filter(
    (version) => isTrueAt(version, 'served') && !isTrueAt(version, 'deprecated'),
  );
  const [best] = versions.map((version) => textAt(version, 'name')).sort(compareVersions);
  return best !== undefined && compareVersions(best, name) < 0 ? best : undefined;
}

function deprecationOf(crd: JsonObject, version: JsonObject): { readonly deprecationWarning?: string } {
  if (!isTrueAt(version, 'deprecated')) return {};
  const own = textAt(version, 'deprecationWarning');
  if (own !== '') return { deprecationWarning: own };
  const spec = objectAt(crd, 'spec');
  const [group, kind, name] = [textAt(spec, 'group'), textAt(objectAt(spec, 'names'), 'kind'), textAt(version, 'name')];
  const better = replacementOf(crd, name);
  const advice = better === undefined ? '' : `; use ${group}/${better} ${kind}`;
  return { deprecationWarning: `${group}/${name} ${kind} is deprecated${advice}` };
}

/** An object with its defaults, and how many characters of JSON these have. */
interface Completed {
  readonly object: KubeObject;
  readonly characters: number;
}

/** The versions of a definition, and how objects get from one to another. */
class Versions {
  readonly #objects: ReadonlyMap<string, CustomObjects>;
  readonly #webhook: WebhookConversion | undefined;

  constructor(objects: ReadonlyMap<string, CustomObjects>, webhook: WebhookConversion | undefined) {
    this.#objects = objects;
    this.#webhook = webhook;
  }

  /** An object by the schema of its own version, with that version's defaults: as it is before it is turned into another. */
  complete(object: KubeObject): Completed {
    const copy = copyJson(object);
    return { object: copy, characters: this.#objects.get(object.apiVersion)?.complete(copy) ?? 0 };
  }

  /** The object under the name of another version; what that one does not know goes. */
  rename(object: KubeObject, apiVersion: string): KubeObject {
    const copy = { ...copyJson(object), apiVersion };
    this.#objects.get(apiVersion)?.prune(copy);
    return copy;
  }

  /** How objects come into a version; undefined where they are only renamed. */
  asyncInto(apiVersion: string, storageVersion: string): VersionConversion | undefined {
    const webhook = this.#webhook;
    if (webhook === undefined) return undefined;
    const served = new ConvertedObjects(apiVersion, (object, signal) =>
      webhook.convert(this.complete(object).object, apiVersion, signal),
    );
    return {
      find: (object) => served.find(object),
      prepare: (objects, signal) => served.prepare(objects, signal),
      store: async (object, signal) => {
        if (object.apiVersion === storageVersion) return object;
        return this.rename(await webhook.convert(object, storageVersion, signal), storageVersion);
      },
    };
  }
}

interface VersionConversion extends AsyncConversion {
  find(object: KubeObject): KubeObject;
}

/** Of defaults of an object that is served again as it is: those of many small objects could be far more than the objects. */
const maxKeptCharacters = 2048;

/** Objects as they are served are worked out once each, unless defaults make them large; what needs no change is served as it is stored. */
function converters(
  versions: Versions,
  apiVersion: string,
  storageVersion: string,
): Pick<ResourceType, 'toServed' | 'toStorage' | 'conversion'> {
  const served = new WeakMap<KubeObject, KubeObject>();
  const conversion = versions.asyncInto(apiVersion, storageVersion);
  const read = (object: KubeObject, source: KubeObject): Completed => {
    if (object.apiVersion === apiVersion) return versions.complete(object);
    if (source !== object) return { object: versions.rename(source, apiVersion), characters: 0 };
    const completed = versions.complete(object);
    return { ...completed, object: versions.rename(completed.object, apiVersion) };
  };
  return {
    ...(conversion === undefined ? {} : { conversion }),
    toServed: (object) => {
      // What a webhook made of an object may be large: nothing of it outlives its place among the converted objects.
      const source = conversion?.find(object) ?? object;
      const known = served.get(source);
      if (known !== undefined) return known;
      const { object: result, characters } = read(object, source);
      if (characters > maxKeptCharacters) return result;
      const isSame = isJsonEqual(asJson(result), asJson(object));
      served.set(source, isSame ? object : result);
      return isSame ? object : result;
    },
    toStorage: (object) => (object.apiVersion === storageVersion ? object : versions.rename(object, storageVersion)),
  };
}

function webhookOf(crd: JsonObject, call: CallConversion | undefined): WebhookConversion | undefined {
  const conversion = objectAt(crd, 'spec', 'conversion');
  const webhook = objectAt(conversion, 'webhook');
  if (webhook === undefined || call === undefined || textAt(conversion, 'strategy') !== 'Webhook') return undefined;
  return new WebhookConversion(call, `conversion_webhook_for_${textAt(objectAt(crd, 'metadata'), 'name')}`, webhook);
}

interface Build {
  readonly versions: Versions;
  readonly objects: ReadonlyMap<string, CustomObjects>;
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

function resourceOf(version: JsonObject, { crd, storageVersion, columns, versions, objects }: Build): ResourceType {
  const spec = objectAt(crd, 'spec');
  const names = objectAt(spec, 'names');
  const own = { group: textAt(spec, 'group'), version: textAt(version, 'name'), kind: textAt(names, 'kind') };
  const custom = customVersion(version, own.kind);
  const isStorageVersion = own.version === storageVersion;
  const apiVersion = `${own.group}/${own.version}`;
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
    strategy: createCustomStrategy(custom, objects.get(apiVersion) ?? compileObjects(custom)),
    ...converters(versions, apiVersion, `${own.group}/${storageVersion}`),
  };
}

/** What the types of a definition are made with. */
export interface CustomTypeDeps {
  readonly columns?: ColumnsOfPrinterColumns;
  readonly callConversion?: CallConversion;
}

/** The resource types that a valid CustomResourceDefinition adds: one a served version, and the storage version even when it is not served
 *  (then without verbs). Work is done once here; call it once a revision. Without `callConversion` every conversion is `None`. */
export function resourceTypesOfCrd(object: KubeObject, deps: CustomTypeDeps = {}): ResourceType[] {
  const { columns = columnsOfPrinterColumns, callConversion: call } = deps;
  const crd = asJson(object);
  const versions = objectsAt(objectAt(crd, 'spec'), 'versions');
  const storageVersion = textAt(
    versions.find((version) => isTrueAt(version, 'storage')),
    'name',
  );
  const group = textAt(objectAt(crd, 'spec'), 'group');
  const kind = textAt(objectAt(crd, 'spec', 'names'), 'kind');
  const objects = new Map(
    versions.map((version) => [`${group}/${textAt(version, 'name')}`, compileObjects(customVersion(version, kind))]),
  );
  const build = { crd, storageVersion, columns, objects, versions: new Versions(objects, webhookOf(crd, call)) };
  const needed = versions.filter((version) => isTrueAt(version, 'served') || isTrueAt(version, 'storage'));
  return needed.map((version) => {
    const type = resourceOf(version, build);
    return valueAt(version, 'served') === true ? type : { ...type, verbs: [] };
  });
}
