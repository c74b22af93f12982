/** The CustomResourceDefinitions of operators.coreos.com, from the sources in scripts/olm-crds/. A `$ref` in a source names a schema of
 *  definitions.yaml or of the built-in kinds, such as `io.k8s.api.apps.v1.DeploymentSpec`; keys beside it win over the schema's. */
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { loadBuiltinSchemas } from '../apiserver/schema/index.ts';
import { isJsonObject, type JsonObject, type JsonValue, parseYaml } from '../src/base/index.ts';

export interface OlmCrdSource {
  /** `clusterserviceversions.yaml` */
  readonly fileName: string;
  readonly crd: JsonObject;
}

/** What a `$ref` becomes: the schema of the API server, or what types need to know of it. */
export type ReferenceForm = 'schema' | 'type';

const sourcesDir = path.resolve(import.meta.dirname, 'olm-crds');
const definitionsFile = 'definitions.yaml';

/** Keywords of the built-in schemas that definitions of custom resources have as well. */
const copiedKeywords = [
  'type',
  'format',
  'required',
  'default',
  'x-kubernetes-list-type',
  'x-kubernetes-list-map-keys',
  'x-kubernetes-map-type',
];
const numberOrString: JsonObject = {
  anyOf: [{ type: 'integer' }, { type: 'string' }],
  'x-kubernetes-int-or-string': true,
};
const quantityPattern =
  '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$';
/** Definitions whose form in a CustomResourceDefinition differs from the one of the built-in kinds. */
const customForms: Readonly<Record<string, JsonObject>> = {
  'io.k8s.apimachinery.pkg.util.intstr.IntOrString': numberOrString,
  'io.k8s.apimachinery.pkg.api.resource.Quantity': { ...numberOrString, pattern: quantityPattern },
  'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta': { type: 'object' },
};

/** `addition` laid over `base`: schemas below are merged, other keywords replaced, or removed by null. */
function merge(base: JsonObject, addition: JsonObject): JsonObject {
  const merged = { ...base };
  for (const [key, value] of Object.entries(addition)) {
    const before = merged[key];
    if (value === null) delete merged[key];
    else merged[key] = isJsonObject(before) && isJsonObject(value) ? merge(before, value) : value;
  }
  return merged;
}

/** A copy with the schemas below changed; properties and names of required ones are sorted. */
function mapSchemas(node: JsonObject, change: (schema: JsonObject) => JsonObject): JsonObject {
  const changed = { ...node };
  if (Array.isArray(node['required'])) changed['required'] = node['required'].map(String).toSorted();
  for (const key of ['items', 'additionalProperties']) {
    const child = node[key];
    if (isJsonObject(child)) changed[key] = change(child);
  }
  if (isJsonObject(node['properties'])) {
    const entries = Object.entries(node['properties']).toSorted(([a], [b]) => (a < b ? -1 : 1));
    changed['properties'] = Object.fromEntries(
      entries.map(([name, child]) => [name, isJsonObject(child) ? change(child) : child]),
    );
  }
  return changed;
}

/** Replaces the references of schemas. */
class References {
  readonly #builtin = loadBuiltinSchemas();
  readonly #definitions: JsonObject;
  readonly #form: ReferenceForm;

  constructor(definitions: JsonObject, form: ReferenceForm) {
    this.#definitions = definitions;
    this.#form = form;
  }

  resolve(node: JsonObject): JsonObject {
    const { $ref, ...own } = node;
    const resolved = mapSchemas(own, (child) => this.resolve(child));
    if (typeof $ref !== 'string') return resolved;
    return mapSchemas(merge(this.#definition($ref), resolved), (child) => child);
  }

  #definition(name: string): JsonObject {
    const addition = this.#definitions[name];
    const own = isJsonObject(addition) ? addition : {};
    const isBuiltin = this.#builtin.definitionNames.includes(name);
    if (!isBuiltin && addition === undefined) throw new Error(`${name}: no such definition`);
    if (this.#form === 'schema') {
      const base = isBuiltin ? this.#builtinForm(name) : {};
      return mapSchemas(merge(base, this.resolve(own)), (child) => child);
    }
    if (customForms[name] !== undefined) return customForms[name];
    return isBuiltin ? { 'x-kubernetes-preserve-unknown-fields': true } : { ...this.resolve(own), title: name };
  }

  #builtinForm(name: string): JsonObject {
    return customForms[name] ?? this.#structural(this.#builtin.definition(name) as JsonObject);
  }

  #structural(node: JsonObject): JsonObject {
    const kept: JsonObject = {};
    for (const key of copiedKeywords) if (node[key] !== undefined) kept[key] = node[key];
    const { properties, items, additionalProperties } = node;
    const children = { properties, items, additionalProperties };
    const given = Object.entries(children).filter((entry): entry is [string, JsonValue] => entry[1] !== undefined);
    return mapSchemas({ ...kept, ...Object.fromEntries(given) }, (child) => this.#builtinChild(child));
  }

  #builtinChild(child: JsonObject): JsonObject {
    const name = child['definition'];
    if (typeof name !== 'string') return this.#structural(child);
    const own = Object.fromEntries(
      copiedKeywords.filter((key) => key in child).map((key) => [key, child[key] ?? null]),
    );
    return customForms[name] ?? merge(own, this.#definition(name));
  }
}

async function readSource(fileName: string): Promise<JsonObject> {
  const value = parseYaml(fileName, await readFile(path.join(sourcesDir, fileName), 'utf8'));
  if (!isJsonObject(value)) throw new Error(`scripts/olm-crds/${fileName}: expected an object`);
  return value;
}

function resolveCrd(crd: JsonObject, references: References): JsonObject {
  const spec = isJsonObject(crd['spec']) ? crd['spec'] : {};
  const versions = Array.isArray(spec['versions']) ? spec['versions'].filter((version) => isJsonObject(version)) : [];
  const resolved = versions.map((version) => {
    const schema = isJsonObject(version['schema']) ? version['schema']['openAPIV3Schema'] : undefined;
    if (!isJsonObject(schema)) throw new Error('expected a schema for each version');
    return { ...version, schema: { openAPIV3Schema: references.resolve(schema) } };
  });
  return { ...crd, spec: { ...spec, versions: resolved } };
}

/** All definitions, sorted by file. */
export async function readOlmCrds(form: ReferenceForm): Promise<OlmCrdSource[]> {
  const references = new References(await readSource(definitionsFile), form);
  const fileNames = (await readdir(sourcesDir)).filter((name) => name !== definitionsFile).toSorted();
  return await Promise.all(
    fileNames.map(async (fileName) => ({ fileName, crd: resolveCrd(await readSource(fileName), references) })),
  );
}
