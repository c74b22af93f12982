import {
  firstIndexes,
  goQuote,
  isRepeated,
  type JsonObject,
  listOfTexts,
  objectAt,
  objectsAt,
  textAt,
  valueAt,
} from '../../../src/base/index.ts';
import {
  dns1123LabelProblems,
  dns1123SubdomainProblems,
  duplicateField,
  type FieldError,
  forbiddenField,
  invalidField,
  requiredField,
} from '../../../src/schema/index.ts';
import {
  asJson,
  goTime,
  type KindRules,
  type KubeObject,
  numberAt,
  type SubresourceRules,
  setDefaults,
  specOf,
} from '../../core/index.ts';
import { invalidPrinted } from '../../schema/index.ts';
import { choice, eachErrors, forbiddenWhen, invalids, requiredChoice } from './checks.ts';

/** CertificateSigningRequests: nothing about a request changes but who approved it and what was issued. */

const usages = [
  'any',
  'cert sign',
  'client auth',
  'code signing',
  'content commitment',
  'crl sign',
  'data encipherment',
  'decipher only',
  'digital signature',
  'email protection',
  'encipher only',
  'ipsec end system',
  'ipsec tunnel',
  'ipsec user',
  'key agreement',
  'key encipherment',
  'microsoft sgc',
  'netscape sgc',
  'ocsp signing',
  's/mime',
  'server auth',
  'signing',
  'timestamping',
];
const decisions = ['Approved', 'Denied', 'Failed'];

function requestErrors(spec: JsonObject): FieldError[] {
  const pem = Buffer.from(textAt(spec, 'request'), 'base64');
  if (/-----BEGIN CERTIFICATE REQUEST-----/.test(pem.toString('latin1'))) return [];
  const shown =
    pem.length === 0 ? '[]byte(nil)' : `[]byte{${[...pem].map((byte) => `0x${byte.toString(16)}`).join(', ')}}`;
  return [invalidPrinted('spec.request', shown, 'PEM block type must be CERTIFICATE REQUEST')];
}

function usageErrors(spec: JsonObject): FieldError[] {
  const list = listOfTexts(spec, 'usages');
  if (list.length === 0) return [requiredField('spec.usages')];
  const seen = new Set<string>();
  const duplicates = list.flatMap((usage, index) => {
    const isFirst = !seen.has(usage);
    seen.add(usage);
    return isFirst ? [] : [duplicateField(`spec.usages[${index}]`, usage)];
  });
  return [...list.flatMap((usage, index) => choice(`spec.usages[${index}]`, usage, usages)), ...duplicates];
}

function firstProblem(labels: readonly string[], problemsOf: (label: string) => string[]): string[] {
  const bad = labels.find((label) => problemsOf(label).length > 0);
  return bad === undefined ? [] : problemsOf(bad).map((problem) => `validating label ${goQuote(bad)}: ${problem}`);
}

function signerErrors(signer: string): FieldError[] {
  const field = 'spec.signerName';
  if (signer === '') return [requiredField(field)];
  if (signer === 'kubernetes.io/legacy-unknown') {
    return [invalidField(field, signer, 'the legacy signerName is not allowed via this API version')];
  }
  const [domain = '', path = '', ...rest] = signer.split('/');
  if (rest.length > 0 || !signer.includes('/')) {
    const why = "must be a fully qualified domain and path of the form 'example.com/signer-name'";
    return [invalidField(field, signer, why)];
  }
  const labels = domain.split('.');
  const errors = invalids(field, domain, firstProblem(labels, dns1123LabelProblems));
  if (labels.length < 2) {
    errors.push(invalidField(field, domain, 'should be a domain with at least two segments separated by dots'));
  }
  return [...errors, ...invalids(field, path, firstProblem(path.split('.'), dns1123SubdomainProblems))];
}

function conditionsOf(object: KubeObject): JsonObject[] {
  return objectsAt(objectAt(asJson(object), 'status'), 'conditions');
}

function conditionErrors(object: KubeObject): FieldError[] {
  const conditions = conditionsOf(object);
  const types = conditions.map((condition) => textAt(condition, 'type'));
  const first = firstIndexes(types);
  return eachErrors(conditions, 'status.conditions', (condition, path, index) => {
    const [type, field] = [types[index] ?? '', `${path}.type`];
    const states = decisions.includes(type) ? ['True'] : ['False', 'True', 'Unknown'];
    const other = type === 'Approved' ? 'Denied' : 'Approved';
    const isOpposed = decisions.slice(0, 2).includes(type) && isRepeated(first, other, index);
    const why = 'Approved and Denied conditions are mutually exclusive';
    return [
      ...(type === '' ? [requiredField(field)] : []),
      ...requiredChoice(`${path}.status`, textAt(condition, 'status'), states),
      ...(isOpposed ? [invalidField(field, type, why)] : []),
      ...(isRepeated(first, type, index) ? [duplicateField(field, type)] : []),
    ];
  });
}

function certificateErrors(object: KubeObject, old: KubeObject | undefined): FieldError[] {
  const text = textAt(objectAt(asJson(object), 'status'), 'certificate');
  const before = textAt(objectAt(asJson(old ?? object), 'status'), 'certificate');
  if (text === '' || (old !== undefined && text === before)) return [];
  const pem = Buffer.from(text, 'base64').toString('latin1');
  const types = [...pem.matchAll(/-----BEGIN ([A-Z0-9 ]+)-----/g)].map(([, type]) => type ?? '');
  const wrong = types.find((type) => type !== 'CERTIFICATE');
  const refuse = (why: string): FieldError[] => [invalidField('status.certificate', '<certificate data>', why)];
  if (wrong !== undefined) return refuse(`only CERTIFICATE PEM blocks are allowed, found ${goQuote(wrong)}`);
  return types.length === 0 ? refuse('must contain at least one CERTIFICATE PEM block') : [];
}

function requestObjectErrors(object: KubeObject, old: KubeObject | undefined): FieldError[] {
  const spec = specOf(object);
  const seconds = numberAt(spec, 'expirationSeconds');
  const isShort = seconds !== undefined && seconds < 600;
  const why = 'may not specify a duration less than 600 seconds (10 minutes)';
  return [
    ...requestErrors(spec),
    ...usageErrors(spec),
    ...signerErrors(textAt(spec, 'signerName')),
    ...(isShort ? [invalidField('spec.expirationSeconds', seconds, why)] : []),
    ...conditionErrors(object),
    ...certificateErrors(object, old),
  ];
}

/** What a write through one of the endpoints may do. */
interface Permissions {
  readonly approves: boolean;
  readonly issues: boolean;
}

function decisionErrors(object: KubeObject, old: KubeObject, { approves }: Permissions): FieldError[] {
  const count = (request: KubeObject, type: string): number =>
    conditionsOf(request).filter((condition) => textAt(condition, 'type') === type).length;
  const field = 'status.conditions';
  const removed = decisions
    .filter((type) => count(object, type) < count(old, type))
    .map((type) => forbiddenField(field, `updates may not remove a condition of type ${goQuote(type)}`));
  const added = approves ? [] : decisions.slice(0, 2).filter((type) => count(object, type) > count(old, type));
  return [
    ...removed,
    ...added.map((type) => forbiddenField(field, `updates may not add a condition of type ${goQuote(type)}`)),
  ];
}

function changeErrors(object: KubeObject, old: KubeObject, permissions: Permissions): FieldError[] {
  const certificate = (request: KubeObject): string => textAt(objectAt(asJson(request), 'status'), 'certificate');
  const [now, before] = [certificate(object), certificate(old)];
  const errors = [...requestObjectErrors(object, old), ...decisionErrors(object, old, permissions)];
  if (now === before) return errors;
  const why = permissions.issues
    ? 'updates may not modify existing certificate content'
    : 'updates may not set certificate content';
  return [...errors, ...forbiddenWhen(!permissions.issues || before !== '', 'status.certificate', why)];
}

/** Times of conditions that were given without; those that only repeat the state before keep its time. */
function timeConditions(object: KubeObject, old: KubeObject, nowMs: number): void {
  const now = goTime(nowMs);
  const before = conditionsOf(old);
  for (const condition of conditionsOf(object)) {
    const same = before.find((other) =>
      ['type', 'status'].every((key) => textAt(other, key) === textAt(condition, key)),
    );
    setDefaults(condition, {
      lastUpdateTime: now,
      lastTransitionTime: textAt(same, 'lastTransitionTime') || now,
    });
  }
}

/** Keeps the decisions of before, where there are as many. */
function keepDecisions(object: KubeObject, old: KubeObject): void {
  const conditions = conditionsOf(object);
  for (const type of ['Approved', 'Denied']) {
    const [now, before] = [conditions, conditionsOf(old)].map((list) =>
      list.filter((condition) => textAt(condition, 'type') === type),
    ) as [JsonObject[], JsonObject[]];
    if (now.length === before.length) now.forEach((condition, index) => Object.assign(condition, before[index]));
  }
}

function restore(object: KubeObject, old: KubeObject, key: string): void {
  const value = valueAt(asJson(old), key);
  if (value === undefined) delete asJson(object)[key];
  else asJson(object)[key] = structuredClone(value);
}

const approvalRules: SubresourceRules = {
  prepare: (object, old, view) => {
    timeConditions(object, old, view.nowMs());
    const conditions = conditionsOf(object);
    restore(object, old, 'spec');
    restore(object, old, 'status');
    const { conditions: _before, ...status } = objectAt(asJson(object), 'status') ?? {};
    asJson(object)['status'] = { ...status, ...(conditions.length === 0 ? {} : { conditions }) };
  },
  validate: (object, old) => changeErrors(object, old, { approves: true, issues: false }),
};

/** Rules of CertificateSigningRequests. */
export const certificateRequestRules: KindRules = {
  nameProblems: () => [],
  prepareForCreate: (object) => {
    asJson(object)['status'] = {};
  },
  prepareForUpdate: (object, old) => restore(object, old, 'spec'),
  prepareForStatusUpdate: (object, old, view) => {
    keepDecisions(object, old);
    timeConditions(object, old, view.nowMs());
  },
  validate: (object) => requestObjectErrors(object, undefined),
  validateChange: (object, old) => changeErrors(object, old, { approves: false, issues: false }),
  validateStatus: (object, old) => changeErrors(object, old, { approves: false, issues: true }),
  subresources: new Map([['approval', approvalRules]]),
  selectableFields: { 'spec.signerName': (object) => textAt(specOf(object), 'signerName') },
};
