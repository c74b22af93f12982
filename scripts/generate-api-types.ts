/** Writes src/api/generated/ from crds/: for each kind its TypeScript types and what objects are checked for when they are read. Run by `npm run generate`. */
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { isJsonObject, type JsonObject, type JsonValue, parseYaml } from '../src/base/index.ts';
import { readOlmCrds } from './read-olm-crds.ts';

const root = path.resolve(import.meta.dirname, '..');
const outputDir = path.join(root, 'src/api/generated');

function objectAt(value: JsonObject, key: string): JsonObject {
  const member = value[key];
  if (!isJsonObject(member)) throw new Error(`expected an object at ${key}`);
  return member;
}

function capitalised(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

function stringAt(value: JsonObject, key: string): string {
  const member = value[key];
  if (typeof member !== 'string') throw new Error(`expected a string at ${key}`);
  return member;
}

/** `configMaps` → `configMap`: the name of one item. */
function singular(word: string): string {
  if (word.endsWith('ies')) return `${word.slice(0, -3)}y`;
  return word.endsWith('s') ? word.slice(0, -1) : word;
}

/** The type of a schema that has none or allows every field. */
function openTypeOf(schema: JsonObject): string | undefined {
  if (schema['x-kubernetes-int-or-string'] === true) return 'number | string';
  return schema['x-kubernetes-preserve-unknown-fields'] === true ? 'JsonObject' : undefined;
}

class TypeWriter {
  readonly interfaces: string[] = [];
  readonly #named = new Set<string>();

  typeOf(name: string, schema: JsonObject): string {
    const type = this.#presentTypeOf(name, schema);
    return schema.nullable === true ? `${type} | null` : type;
  }

  #presentTypeOf(name: string, schema: JsonObject): string {
    const open = openTypeOf(schema);
    if (open !== undefined) return open;
    if (Array.isArray(schema.enum))
      return schema.enum.map((value) => JSON.stringify(value).replaceAll('"', "'")).join(' | ');
    if (schema.type === 'array') {
      const item = this.typeOf(singular(name), objectAt(schema, 'items'));
      return item.includes('|') ? `readonly (${item})[]` : `readonly ${item}[]`;
    }
    if (schema.type === 'integer' || schema.type === 'number') return 'number';
    if (schema.type !== 'object') return stringAt(schema, 'type');
    if (isJsonObject(schema.additionalProperties)) {
      return `Readonly<Record<string, ${this.typeOf(name, schema.additionalProperties)}>>`;
    }
    return isJsonObject(schema.properties) ? this.#interfaceOf(name, schema) : 'Readonly<Record<string, never>>';
  }

  /** A schema with a title has one interface of that name, wherever it is used. */
  #interfaceOf(name: string, schema: JsonObject): string {
    const { title } = schema;
    const used = typeof title === 'string' ? title : name;
    if (!this.#named.has(used)) this.#writeInterface(used, schema);
    if (used === title) this.#named.add(used);
    return used;
  }

  #writeInterface(name: string, schema: JsonObject): void {
    const slot = this.interfaces.push('') - 1;
    const required = Array.isArray(schema.required) ? schema.required : [];
    const members = Object.entries(objectAt(schema, 'properties')).map(([key, member]) => {
      if (!isJsonObject(member)) throw new Error(`expected a schema at ${name}.${key}`);
      const doc = typeof member.description === 'string' ? `  /** ${member.description} */\n` : '';
      const mark = required.includes(key) ? '' : '?';
      const property = /^\w+$/.test(key) ? key : `'${key}'`;
      return `${doc}  readonly ${property}${mark}: ${this.typeOf(name + capitalised(key), member)};\n`;
    });
    this.interfaces[slot] = `${docOf(schema)}export interface ${name} {\n${members.join('')}}\n`;
  }
}

function docOf(schema: JsonObject): string {
  return typeof schema.description === 'string' ? `/** ${schema.description} */\n` : '';
}

/** What a check at run time needs of a schema: types, required members, enums. */
function shapeOf(schema: JsonObject): JsonValue {
  if (schema.nullable === true) {
    const { nullable: _nullable, ...present } = schema;
    return { ...(shapeOf(present) as JsonObject), nullable: true };
  }
  if (schema['x-kubernetes-preserve-unknown-fields'] === true) return { type: 'object' };
  if (schema['x-kubernetes-int-or-string'] === true) return { 'x-kubernetes-int-or-string': true };
  const shape: JsonObject = { type: schema.type ?? 'object' };
  if (Array.isArray(schema.required)) shape.required = schema.required;
  if (Array.isArray(schema.enum)) shape.enum = schema.enum;
  if (isJsonObject(schema.items)) shape.items = shapeOf(schema.items);
  if (isJsonObject(schema.additionalProperties)) shape.additionalProperties = shapeOf(schema.additionalProperties);
  if (isJsonObject(schema.properties)) {
    const entries = Object.entries(schema.properties).filter(([, member]) => isJsonObject(member));
    shape.properties = Object.fromEntries(entries.map(([key, member]) => [key, shapeOf(member as JsonObject)]));
  }
  return shape;
}

/** apiVersion, kind and metadata are the same for all kinds and are written by hand. */
function withoutTypeMeta(schema: JsonObject): JsonObject {
  const { apiVersion: _apiVersion, kind: _kind, metadata: _metadata, ...properties } = objectAt(schema, 'properties');
  return { ...schema, properties };
}

/** `OLMConfig` → `OLM`, `Config`. */
function wordsOf(kind: string): readonly string[] {
  return kind.match(/[A-Z]+(?![a-z])|[A-Z][a-z]*/g) ?? [];
}

function generate(source: string, crd: JsonObject): { fileName: string; text: string } {
  const spec = objectAt(crd, 'spec');
  const kind = stringAt(objectAt(spec, 'names'), 'kind');
  const versions = Array.isArray(spec.versions) ? spec.versions : [];
  const version = versions.find((one) => isJsonObject(one) && one.storage === true);
  if (!isJsonObject(version)) throw new Error(`${source}: no version is stored`);
  const schema = withoutTypeMeta(objectAt(objectAt(version, 'schema'), 'openAPIV3Schema'));
  const writer = new TypeWriter();
  writer.typeOf(kind, schema);
  const apiVersion = `${stringAt(spec, 'group')}/${stringAt(version, 'name')}`;
  const body = writer.interfaces.join('\n');
  const typed = body.replace(
    `export interface ${kind} {\n`,
    `export interface ${kind} {\n  readonly apiVersion: '${apiVersion}';\n  readonly kind: '${kind}';\n  readonly metadata: ObjectMeta;\n`,
  );
  const json = body.includes('JsonObject') ? `import type { JsonObject } from '../../base/index.ts';\n` : '';
  const header = `// Generated from ${source} by scripts/generate-api-types.ts: do not edit.\n`;
  const imports = `${json}import type { Schema } from '../../schema/index.ts';\nimport type { ObjectMeta } from '../object-meta.ts';\n`;
  const [firstWord = ''] = wordsOf(kind);
  const constant = firstWord.toLowerCase() + kind.slice(firstWord.length);
  const shape = `/** What \`parse${kind}\` checks. */\nexport const ${constant}Shape: Schema = ${JSON.stringify(shapeOf(schema), null, 2)};\n`;
  const fileName = `${wordsOf(kind).join('-').toLowerCase()}.ts`;
  return { fileName, text: [header + imports, typed, shape].join('\n') };
}

await mkdir(outputDir, { recursive: true });
/** Folders of definitions that are written by hand. */
const folders = ['crds', 'crds/cluster-version', 'crds/machines'] as const;
const ownFiles = await Promise.all(
  folders.map(async (folder) => {
    const names = (await readdir(path.join(root, folder))).filter((name) => name.endsWith('.yaml')).toSorted();
    return names.map((name) => `${folder}/${name}`);
  }),
);
const own = ownFiles.flat().map(async (source) => ({
  source,
  crd: parseYaml(source, await readFile(path.join(root, source), 'utf8')),
}));
const olm = (await readOlmCrds('type')).map(({ fileName, crd }) => ({ source: `scripts/olm-crds/${fileName}`, crd }));
for (const { source, crd } of [...(await Promise.all(own)), ...olm]) {
  if (!isJsonObject(crd)) throw new Error(`${source}: expected an object`);
  const { fileName, text } = generate(source, crd);
  await writeFile(path.join(outputDir, fileName), text);
}
