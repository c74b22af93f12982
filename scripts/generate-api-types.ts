/** Writes src/api/generated/ from crds/: for each kind its TypeScript types and what objects are checked for when they are read. Run by `npm run generate`. */
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { isJsonObject, type JsonObject, type JsonValue, parseYaml } from '../src/base/index.ts';

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

class TypeWriter {
  readonly interfaces: string[] = [];

  typeOf(name: string, schema: JsonObject): string {
    if (schema['x-kubernetes-preserve-unknown-fields'] === true) return 'JsonObject';
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
    if (!isJsonObject(schema.properties)) return 'Readonly<Record<string, never>>';
    this.#writeInterface(name, schema);
    return name;
  }

  #writeInterface(name: string, schema: JsonObject): void {
    const slot = this.interfaces.push('') - 1;
    const required = Array.isArray(schema.required) ? schema.required : [];
    const members = Object.entries(objectAt(schema, 'properties')).map(([key, member]) => {
      if (!isJsonObject(member)) throw new Error(`expected a schema at ${name}.${key}`);
      const doc = typeof member.description === 'string' ? `  /** ${member.description} */\n` : '';
      const mark = required.includes(key) ? '' : '?';
      return `${doc}  readonly ${key}${mark}: ${this.typeOf(name + capitalised(key), member)};\n`;
    });
    this.interfaces[slot] = `${docOf(schema)}export interface ${name} {\n${members.join('')}}\n`;
  }
}

function docOf(schema: JsonObject): string {
  return typeof schema.description === 'string' ? `/** ${schema.description} */\n` : '';
}

/** What a check at run time needs of a schema: types, required members, enums. */
function shapeOf(schema: JsonObject): JsonValue {
  if (schema['x-kubernetes-preserve-unknown-fields'] === true) return { type: 'object' };
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

function generate(source: string, crd: JsonObject): { fileName: string; text: string } {
  const spec = objectAt(crd, 'spec');
  const kind = stringAt(objectAt(spec, 'names'), 'kind');
  const version = Array.isArray(spec.versions) ? spec.versions[0] : undefined;
  if (!isJsonObject(version)) throw new Error(`${source}: no version`);
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
  const header = `// Generated from crds/${source} by scripts/generate-api-types.ts: do not edit.\n`;
  const imports = `${json}import type { Schema } from '../../schema/index.ts';\nimport type { ObjectMeta } from '../object-meta.ts';\n`;
  const constant = kind.charAt(0).toLowerCase() + kind.slice(1);
  const shape = `/** What \`parse${kind}\` checks. */\nexport const ${constant}Shape: Schema = ${JSON.stringify(shapeOf(schema), null, 2)};\n`;
  const fileName = `${kind.replaceAll(/(?!^)([A-Z])/g, '-$1').toLowerCase()}.ts`;
  return { fileName, text: [header + imports, typed, shape].join('\n') };
}

await mkdir(outputDir, { recursive: true });
for (const source of (await readdir(path.join(root, 'crds'))).filter((name) => name.endsWith('.yaml')).toSorted()) {
  const crd = parseYaml(source, await readFile(path.join(root, 'crds', source), 'utf8'));
  if (!isJsonObject(crd)) throw new Error(`${source}: expected an object`);
  const { fileName, text } = generate(source, crd);
  await writeFile(path.join(outputDir, fileName), text);
}
