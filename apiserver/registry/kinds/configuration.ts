import { createPrivateKey, X509Certificate } from 'node:crypto';
import {
  isJsonEqual,
  isTrueAt,
  type JsonObject,
  objectAt,
  objectsAt,
  textAt,
  valueAt,
} from '../../../src/base/index.ts';
import {
  configKeyProblems,
  type FieldError,
  forbiddenField,
  immutableText,
  invalidField,
  requiredField,
  tooLongField,
} from '../../../src/schema/index.ts';
import { asJson, ensureObject, type KindRules, type KubeObject, setDefaults, textsAt } from '../../core/index.ts';
import { jsonObjectProblem } from './json-problem.ts';

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

function sum(map: JsonObject | undefined, size: (text: string) => number): number {
  let total = 0;
  for (const text of Object.values(map ?? {})) total += typeof text === 'string' ? size(text) : 0;
  return total;
}

function configMapErrors(object: KubeObject): FieldError[] {
  const config = asJson(object);
  const [data, binary] = [objectAt(config, 'data'), objectAt(config, 'binaryData')];
  const doubled = Object.keys(binary ?? {}).filter((key) => Object.hasOwn(data ?? {}, key));
  const total = sum(data, (text) => Buffer.byteLength(text)) + sum(binary, bytesOf);
  return [
    ...keyErrors(data, 'data'),
    ...doubled.map((key) => invalidField(`data[${key}]`, key, 'duplicate of key present in binaryData')),
    ...keyErrors(binary, 'binaryData'),
    ...(total > maxBytes ? [tooLongField('[]', maxBytes)] : []),
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

/** Rules of ConfigMaps. */
export const configMapRules: KindRules = {
  validate: configMapErrors,
  validateChange: (object, old) => [...frozenErrors(object, old, ['data', 'binaryData']), ...configMapErrors(object)],
};

const sshType = 'kubernetes.io/ssh-auth';
const neededKeys: Readonly<Record<string, readonly string[]>> = {
  'kubernetes.io/tls': ['tls.crt', 'tls.key'],
  'kubernetes.io/dockerconfigjson': ['.dockerconfigjson'],
  'kubernetes.io/dockercfg': ['.dockercfg'],
  [sshType]: ['ssh-privatekey'],
};

function jsonErrors(data: Readonly<Record<string, string>>, key: string): FieldError[] {
  const problem = jsonObjectProblem(Buffer.from(data[key] ?? '', 'base64').toString());
  return problem === undefined ? [] : [invalidField(`data[${key}]`, '<secret contents redacted>', problem)];
}

function typeErrors(object: KubeObject): FieldError[] {
  const type = textAt(asJson(object), 'type');
  const data = textsAt(asJson(object), 'data');
  const needed = Object.hasOwn(neededKeys, type) ? (neededKeys[type] ?? []) : [];
  const isMissing = (key: string): boolean => data[key] === undefined || (data[key] === '' && type === sshType);
  const missing = needed.filter(isMissing).map((key) => requiredField(`data[${key}]`));
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

function secretErrors(object: KubeObject): FieldError[] {
  const data = objectAt(asJson(object), 'data');
  const total = sum(data, bytesOf);
  return [
    ...keyErrors(data, 'data'),
    ...(total > maxBytes ? [tooLongField('data', maxBytes)] : []),
    ...typeErrors(object),
  ];
}

function secretChangeErrors(object: KubeObject, old: KubeObject): FieldError[] {
  const [type, before] = [textAt(asJson(object), 'type'), textAt(asJson(old), 'type')];
  const errors = type === before ? [] : [invalidField('type', type, immutableText)];
  return [...errors, ...frozenErrors(object, old, ['data'])];
}

/** Reports whether certificate and key of a TLS secret belong together, as far as they can be read. */
function pairProblem(data: Readonly<Record<string, string>>): string | undefined {
  const pem = (key: string): string => Buffer.from(data[key] ?? '', 'base64').toString();
  const [certificate, key] = [pem('tls.crt'), pem('tls.key')];
  if (!certificate.includes('-----BEGIN CERTIFICATE-----')) return withoutPem(certificate, 'certificate');
  if (!/-----BEGIN ([A-Z]+ )?PRIVATE KEY-----/.test(key)) return withoutPem(key, 'key');
  try {
    const isPair = new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key));
    return isPair ? undefined : 'tls: private key does not match public key';
  } catch {
    return 'tls: failed to parse certificate or key';
  }
}

function withoutPem(text: string, what: 'certificate' | 'key'): string {
  const types = [...text.matchAll(/-----BEGIN ([A-Z0-9 ]+)-----/g)].map(([, type]) => type ?? '');
  if (types.length === 0) return `tls: failed to find any PEM data in ${what} input`;
  const [first = ''] = types;
  if (what === 'certificate' && first.endsWith('PRIVATE KEY')) {
    return 'tls: failed to find certificate PEM data in certificate input, but did find a private key; PEM inputs may have been switched';
  }
  if (what === 'key' && first === 'CERTIFICATE') {
    return 'tls: found a certificate rather than a key in the PEM for the private key';
  }
  const block = what === 'certificate' ? '"CERTIFICATE"' : 'PEM block with type ending in "PRIVATE KEY"';
  return `tls: failed to find ${block} PEM block in ${what} input after skipping PEM blocks of the following types: [${types.join(' ')}]`;
}

/** The type, and `stringData` folded into `data`: it is written, never read. */
function defaultSecret(object: KubeObject): void {
  const secret = asJson(object);
  setDefaults(secret, { type: 'Opaque' });
  const texts = textsAt(secret, 'stringData');
  delete secret['stringData'];
  if (Object.keys(texts).length === 0) return;
  const data = ensureObject(secret, 'data');
  for (const [key, text] of Object.entries(texts)) data[key] = Buffer.from(text).toString('base64');
}

/** Rules of Secrets. */
export const secretRules: KindRules = {
  applyDefaults: defaultSecret,
  validate: secretErrors,
  validateChange: (object, old) => [...secretChangeErrors(object, old), ...secretErrors(object)],
  warnings: (object) => {
    if (textAt(asJson(object), 'type') !== 'kubernetes.io/tls') return [];
    const problem = pairProblem(textsAt(asJson(object), 'data'));
    return problem === undefined ? [] : [problem];
  },
  selectableFields: { type: (object) => textAt(asJson(object), 'type') },
};

const mountableAnnotation = 'kubernetes.io/enforce-mountable-secrets';

/** Of the secrets of a ServiceAccount only the names count. */
function keepSecretNames(object: KubeObject): void {
  const account = asJson(object);
  const secrets = objectsAt(account, 'secrets');
  if (secrets.length > 0) account['secrets'] = secrets.map((secret) => named(textAt(secret, 'name')));
}

function named(name: string): JsonObject {
  return name === '' ? {} : { name };
}

/** Rules of ServiceAccounts. */
export const serviceAccountRules: KindRules = {
  prepareForCreate: keepSecretNames,
  prepareForUpdate: keepSecretNames,
  warnings: (object, old) => {
    const isNew = valueAt(old?.metadata.annotations, mountableAnnotation) === undefined;
    if (!isNew || valueAt(object.metadata.annotations, mountableAnnotation) === undefined) return [];
    const why = 'deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets';
    return [`metadata.annotations[${mountableAnnotation}]: ${why}`];
  },
};
