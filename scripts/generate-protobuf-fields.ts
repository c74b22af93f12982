/** Writes `apiserver/protobuf/generated/message-fields.json`: number, type and JSON name of every field of the built-in kinds' protobuf
 *  messages, without any prose. Numbers and types come from the `generated.proto` files of the Kubernetes Go modules; JSON names, and
 *  which zero values Go prints, from the tags of the structs beside them.
 *
 *  usage: node scripts/generate-protobuf-fields.ts <folder of Go modules that holds api@VERSION, apimachinery@VERSION, …> <VERSION>
 *
 *  A field reads `<number><marks> <type>`. Marks: `[]` repeated, `{}` a map from string, `?` a pointer (zero is a value), `!` always printed
 *  (no omitempty), `+` its fields are those of the object around it. A message whose only field has no name is that field's value in JSON. */
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject } from '../src/base/index.ts';

const apiGroups = [
  'admissionregistration/v1',
  'admissionregistration/v1alpha1',
  'admissionregistration/v1beta1',
  'apidiscovery/v2',
  'apidiscovery/v2beta1',
  'apps/v1',
  'authentication/v1',
  'authorization/v1',
  'autoscaling/v1',
  'autoscaling/v2',
  'batch/v1',
  'certificates/v1',
  'coordination/v1',
  'core/v1',
  'discovery/v1',
  'events/v1',
  'flowcontrol/v1',
  'networking/v1',
  'node/v1',
  'policy/v1',
  'rbac/v1',
  'scheduling/v1',
  'storage/v1',
  'storage/v1beta1',
];

/** Folder in the modules → name in the output. */
function packagesOf(version: string): Map<string, string> {
  const machinery = `apimachinery@${version}/pkg`;
  return new Map([
    ...apiGroups.map((group): [string, string] => [`api@${version}/${group}`, group]),
    [`apiextensions-apiserver@${version}/pkg/apis/apiextensions/v1`, 'apiextensions/v1'],
    [`kube-aggregator@${version}/pkg/apis/apiregistration/v1`, 'apiregistration/v1'],
    [`${machinery}/apis/meta/v1`, 'meta/v1'],
    [`${machinery}/apis/meta/v1beta1`, 'meta/v1beta1'],
    [`${machinery}/api/resource`, 'resource'],
    [`${machinery}/runtime`, 'runtime'],
    [`${machinery}/util/intstr`, 'intstr'],
  ]);
}

interface GoField {
  /** Undefined where the tags do not have it: such messages have a JSON of their own. */
  readonly json: string | undefined;
  readonly marks: string;
}

/** The tags of one Go struct field, by field number: `Replicas *int32 json:"replicas,omitempty" protobuf:"varint,1,opt,name=replicas"`. */
function readTag(line: string): [number, GoField] | undefined {
  const match = /^\s*(?:\w+\s+)?(\*?)[\w.[\]*]+\s+`(?=.*protobuf:"\w+,(\d+),)/.exec(line);
  if (match === null) return undefined;
  const [, pointer, number] = match;
  const isPointer = pointer === '*' ? '?' : '';
  const tag = /json:"([^"]*)"/.exec(line)?.[1];
  if (tag === undefined) return [Number(number), { json: undefined, marks: isPointer }];
  const [json = '', ...options] = tag.split(',');
  const isInline = options.includes('inline');
  const isShown = !options.includes('omitempty') && !isInline;
  return [Number(number), { json, marks: `${isPointer}${isShown ? '!' : ''}${isInline ? '+' : ''}` }];
}

function goSource(folder: string): string {
  const files = globSync(join(folder, '*.go')).filter((file) => !/_test\.go$|generated.*\.go$/.test(file));
  return files.map((file) => readFileSync(file, 'utf8')).join('\n');
}

/** Struct name → field number → tags. */
function readStructs(source: string): Map<string, Map<number, GoField>> {
  const structs = new Map<string, Map<number, GoField>>();
  for (const [, name = '', body = ''] of source.matchAll(/^type (\w+) struct \{\n([\s\S]*?)^\}/gm)) {
    const fields = body.split('\n').map(readTag);
    structs.set(name, new Map(fields.filter((field) => field !== undefined)));
  }
  for (const [, name = ''] of source.matchAll(/^type (\w+) \[\]string$/gm)) {
    structs.set(name, new Map([[1, { json: '', marks: '' }]]));
  }
  return structs;
}

const declaration = /^\s*(optional|required|repeated|map<string,) ?([\w.]+)>? (\w+) = (\d+);/;

interface Sources {
  readonly folder: string;
  readonly name: string;
  /** `k8s.io.api.core.v1` → `core/v1` */
  readonly names: ReadonlyMap<string, string>;
}

/** `.k8s.io.api.core.v1.Pod` → `core/v1.Pod`; names of the package at hand and scalars stay as they are. */
function typeName(text: string, names: ReadonlyMap<string, string>): string {
  const at = text.lastIndexOf('.');
  if (at < 0) return text;
  const prefix = text.slice(0, at).replace(/^\./, '');
  const known = names.get(prefix);
  if (known === undefined) throw new Error(`${text}: the package is not among those that are read`);
  return `${known}.${text.slice(at + 1)}`;
}

function jsonName({ json, marks }: GoField, protoName: string): string {
  return json === undefined || (json === '' && marks !== '') ? protoName : json;
}

const shapes: Readonly<Record<string, string>> = { repeated: '[]', 'map<string,': '{}' };

function messageFields(
  body: string,
  structure: ReadonlyMap<number, GoField> | undefined,
  names: Sources['names'],
): JsonObject {
  const matches = body.split('\n').map((line) => declaration.exec(line));
  const entries = matches
    .filter((match) => match !== null)
    .map((match): [string, string] => {
      const [, label = '', type = '', name = '', number = ''] = match;
      const { json, marks } = structure?.get(Number(number)) ?? { json: name, marks: '' };
      const text = `${number}${shapes[label] ?? ''}${marks} ${typeName(type, names)}`;
      return [jsonName({ json, marks }, name), text];
    });
  return Object.fromEntries(entries);
}

function readPackage(sources: Sources): JsonObject {
  const structs = readStructs(goSource(sources.folder));
  const source = readFileSync(join(sources.folder, 'generated.proto'), 'utf8');
  const messages: JsonObject = {};
  for (const [, name = '', body = ''] of source.matchAll(/^message (\w+) \{\n([\s\S]*?)^\}/gm)) {
    messages[`${sources.name}.${name}`] = messageFields(body, structs.get(name), sources.names);
  }
  return messages;
}

/** The API group that a package is of; undefined for those of no group. */
function groupNameOf(folder: string): string | undefined {
  return /^const GroupName = "([^"]*)"$/m.exec(goSource(folder))?.[1];
}

function main(modules: string, version: string): void {
  const packages = packagesOf(version);
  const protoName = (folder: string): string => `k8s.io.${folder.replace(/@[^/]+/, '').replaceAll('/', '.')}`;
  const escaped = (name: string): string => name.replaceAll('-', '_');
  const names = new Map([...packages].map(([folder, name]) => [escaped(protoName(folder)), name]));
  const messages: JsonObject = {};
  const groups: JsonObject = {};
  for (const [folder, name] of packages) {
    const group = groupNameOf(join(modules, folder));
    if (group !== undefined) groups[group] = name.slice(0, name.indexOf('/'));
    Object.assign(messages, readPackage({ folder: join(modules, folder), name, names }));
  }
  const output = {
    $generated: `by scripts/generate-protobuf-fields.ts from the generated.proto files of the Kubernetes Go modules ${version}`,
    groups,
    messages,
  };
  const target = new URL('../apiserver/protobuf/generated/message-fields.json', import.meta.url);
  writeFileSync(target, `${JSON.stringify(output).replaceAll(/("[\w/]+\.[A-Z]\w+":\{)/g, '\n$1')}\n`);
}

const [modules, version] = process.argv.slice(2);
if (modules === undefined || version === undefined) {
  throw new Error('usage: generate-protobuf-fields.ts <folder of Go modules> <version>');
}
main(modules, version);
