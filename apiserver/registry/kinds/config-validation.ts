import { isJsonEqual, type JsonObject } from '../../../src/base/index.ts';
import type { FieldError } from '../../http/status-error.ts';
import { forbiddenField, immutableText, invalidField, requiredField, tooLongField } from '../../schema/field-errors.ts';
import type { KubeObject } from '../kube-object.ts';
import { configKeyProblems } from '../names.ts';
import { asJson, isTrueAt, objectAt, textAt, textsAt, valueAt } from './reading.ts';

const maxBytes = 1_048_576;
const frozenText = 'field is immutable when `immutable` is set';

function keyErrors(map: JsonObject | undefined, field: string): FieldError[] {
  return Object.keys(map ?? {}).flatMap((key) =>
    configKeyProblems(key).map((text) => invalidField(`${field}[${key}]`, key, text)),
  );
}

/** Decoded size of base64. */
function bytesOf(base64: string): number {
  return Buffer.byteLength(base64, 'base64');
}

function sum(map: Readonly<Record<string, string>>, size: (text: string) => number): number {
  return Object.values(map).reduce((total, text) => total + size(text), 0);
}

export function validateConfigMap(object: KubeObject): FieldError[] {
  const config = asJson(object);
  const [data, binary] = [objectAt(config, 'data'), objectAt(config, 'binaryData')];
  const doubled = Object.keys(data ?? {}).filter((key) => Object.hasOwn(binary ?? {}, key));
  const total =
    sum(textsAt(config, 'data'), (text) => Buffer.byteLength(text)) + sum(textsAt(config, 'binaryData'), bytesOf);
  return [
    ...keyErrors(data, 'data'),
    ...doubled.map((key) => invalidField(`data[${key}]`, key, 'duplicate of key present in binaryData')),
    ...keyErrors(binary, 'binaryData'),
    ...(total > maxBytes ? [tooLongField('', maxBytes)] : []),
  ];
}

/** What `immutable: true` forbids: to take it back, and to change the contents. */
function frozenErrors(object: KubeObject, old: KubeObject, keys: readonly string[]): FieldError[] {
  const [now, before] = [asJson(object), asJson(old)];
  if (!isTrueAt(before, 'immutable')) return [];
  const errors = isTrueAt(now, 'immutable') ? [] : [forbiddenField('immutable', frozenText)];
  const changed = keys.filter((key) => !isJsonEqual(valueAt(now, key) ?? {}, valueAt(before, key) ?? {}));
  return [...errors, ...changed.map((key) => forbiddenField(key, frozenText))];
}

export function validateConfigMapUpdate(object: KubeObject, old: KubeObject): FieldError[] {
  return frozenErrors(object, old, ['data', 'binaryData']);
}

const neededKeys: Readonly<Record<string, readonly string[]>> = {
  'kubernetes.io/tls': ['tls.crt', 'tls.key'],
  'kubernetes.io/dockerconfigjson': ['.dockerconfigjson'],
  'kubernetes.io/dockercfg': ['.dockercfg'],
  'kubernetes.io/ssh-auth': ['ssh-privatekey'],
};

function jsonErrors(data: Readonly<Record<string, string>>, key: string): FieldError[] {
  const text = Buffer.from(data[key] ?? '', 'base64').toString();
  try {
    JSON.parse(text);
    return [];
  } catch {
    return [
      invalidField(`data[${key}]`, '<secret contents redacted>', 'invalid character looking for beginning of value'),
    ];
  }
}

function typeErrors(object: KubeObject): FieldError[] {
  const type = textAt(asJson(object), 'type');
  const data = textsAt(asJson(object), 'data');
  const needed = Object.hasOwn(neededKeys, type) ? (neededKeys[type] ?? []) : [];
  const missing = needed.filter((key) => data[key] === undefined).map((key) => requiredField(`data[${key}]`));
  if (missing.length > 0) return missing;
  if (type.startsWith('kubernetes.io/dockerc')) return needed.flatMap((key) => jsonErrors(data, key));
  if (type === 'kubernetes.io/basic-auth' && data['username'] === undefined && data['password'] === undefined) {
    return [requiredField('data[username]'), requiredField('data[password]')];
  }
  const account = 'kubernetes.io/service-account.name';
  if (type === 'kubernetes.io/service-account-token' && textAt(object.metadata.annotations, account) === '') {
    return [requiredField(`metadata.annotations[${account}]`)];
  }
  return [];
}

export function validateSecret(object: KubeObject): FieldError[] {
  const total = sum(textsAt(asJson(object), 'data'), bytesOf);
  return [
    ...keyErrors(objectAt(asJson(object), 'data'), 'data'),
    ...(total > maxBytes ? [tooLongField('data', maxBytes)] : []),
    ...typeErrors(object),
  ];
}

export function validateSecretUpdate(object: KubeObject, old: KubeObject): FieldError[] {
  const [type, before] = [textAt(asJson(object), 'type'), textAt(asJson(old), 'type')];
  const errors = type === before ? [] : [invalidField('type', type, immutableText)];
  return [...errors, ...frozenErrors(object, old, ['data'])];
}
