import {
  goQuote,
  isJsonEqual,
  isJsonObject,
  isTrueAt,
  type JsonObject,
  objectAt,
  objectsAt,
  textAt,
  valueAt,
} from '../../../src/base/index.ts';
import {
  dns1035LabelProblems,
  dns1123SubdomainProblems,
  type FieldError,
  invalidField,
  pathSegmentProblems,
  requiredField,
} from '../../../src/schema/index.ts';
import { asJson, countAt, goTime, type KindRules, type KubeObject, numberAt, specOf } from '../../core/index.ts';
import { choice, eachErrors, immutableErrors, invalids, negativeErrors } from './checks.ts';

/** Kinds by which the parts of a control plane coordinate: Leases, APIServices, ControllerRevisions. @see docs/spec/kube-api-types.md#validation-rules */

function leaseErrors(object: KubeObject): FieldError[] {
  const spec = specOf(object);
  const seconds = numberAt(spec, 'leaseDurationSeconds');
  const isLate = seconds !== undefined && seconds <= 0;
  return [
    ...(isLate ? [invalidField('spec.leaseDurationSeconds', seconds, 'must be greater than 0')] : []),
    ...negativeErrors('spec.leaseTransitions', valueAt(spec, 'leaseTransitions')),
  ];
}

/** Fields of a feature that is off: coordinated leader election. */
function dropCoordination(object: KubeObject): void {
  const spec = objectAt(asJson(object), 'spec');
  if (spec === undefined) return;
  delete spec['strategy'];
  delete spec['preferredHolder'];
}

/** Rules of Leases. */
export const leaseRules: KindRules = {
  prepareForCreate: dropCoordination,
  prepareForUpdate: dropCoordination,
  validate: leaseErrors,
};

function revisionErrors(object: KubeObject): FieldError[] {
  return negativeErrors('revision', valueAt(asJson(object), 'revision'));
}

function dataErrors(object: KubeObject): FieldError[] {
  const data = valueAt(asJson(object), 'data');
  if (data === undefined || data === null) return [requiredField('data', 'data is mandatory')];
  return isJsonObject(data) ? [] : [requiredField('data', 'data must be a valid JSON object')];
}

/** Rules of ControllerRevisions: what a revision holds stays. */
export const revisionRules: KindRules = {
  validate: (object) => [...revisionErrors(object), ...dataErrors(object)],
  validateChange: (object, old) => {
    const [now, before] = [valueAt(asJson(object), 'data'), valueAt(asJson(old), 'data')];
    const isSame = isJsonEqual(now, before);
    return [...revisionErrors(object), ...immutableErrors('data', now, isSame)];
  },
};

function localServiceErrors(spec: JsonObject): FieldError[] {
  const bundle = textAt(spec, 'caBundle');
  const bytes = `${Buffer.byteLength(bundle, 'base64')} bytes`;
  const errors =
    bundle === '' ? [] : [invalidField('spec.caBundle', bytes, 'local APIServices may not have a caBundle')];
  if (!isTrueAt(spec, 'insecureSkipTLSVerify')) return errors;
  const why = 'local APIServices may not have insecureSkipTLSVerify';
  return [...errors, invalidField('spec.insecureSkipTLSVerify', true, why)];
}

function backendErrors(spec: JsonObject, service: JsonObject): FieldError[] {
  const errors = ['namespace', 'name']
    .filter((key) => textAt(service, key) === '')
    .map((key) => requiredField(`spec.service.${key}`));
  const port = countAt(service, 'port');
  if (port < 1 || port > 65_535) {
    errors.push(invalidField('spec.service.port', port, 'port is not valid: must be between 1 and 65535, inclusive'));
  }
  const isBoth = isTrueAt(spec, 'insecureSkipTLSVerify') && textAt(spec, 'caBundle') !== '';
  if (!isBoth) return errors;
  return [...errors, invalidField('spec.insecureSkipTLSVerify', true, 'may not be true if caBundle is present')];
}

function apiServiceNameErrors(object: KubeObject): FieldError[] {
  const { name = '' } = object.metadata;
  const spec = specOf(object);
  const expected = `${textAt(spec, 'version')}.${textAt(spec, 'group')}`;
  if (name === expected || pathSegmentProblems(name).length > 0) return [];
  return [invalidField('metadata.name', name, `must be \`spec.version+"."+spec.group\`: ${goQuote(expected)}`)];
}

function apiServiceErrors(object: KubeObject): FieldError[] {
  const spec = specOf(object);
  const [group, version, service] = [textAt(spec, 'group'), textAt(spec, 'version'), objectAt(spec, 'service')];
  const [minimum, priority] = [countAt(spec, 'groupPriorityMinimum'), countAt(spec, 'versionPriority')];
  const errors = apiServiceNameErrors(object);
  if (group === '' && version !== 'v1') {
    errors.push(requiredField('spec.group', 'only v1 may have an empty group and it better be legacy kube'));
  }
  if (group !== '') errors.push(...invalids('spec.group', group, dns1123SubdomainProblems(group)));
  errors.push(...invalids('spec.version', version, dns1035LabelProblems(version)));
  if (minimum <= 0 || minimum > 20_000) {
    errors.push(invalidField('spec.groupPriorityMinimum', minimum, 'must be positive and less than 20000'));
  }
  if (priority <= 0 || priority > 1000) {
    errors.push(invalidField('spec.versionPriority', priority, 'must be positive and less than 1000'));
  }
  return [...errors, ...(service === undefined ? localServiceErrors(spec) : backendErrors(spec, service))];
}

const availabilityText = 'Local APIServices are always available';

/** Rules of APIServices. Those that the server answers itself are available from the start. */
export const apiServiceRules: KindRules = {
  nameProblems: pathSegmentProblems,
  applyDefaults: (object) => {
    const service = objectAt(asJson(object), 'spec', 'service');
    if (service !== undefined && valueAt(service, 'port') === undefined) service['port'] = 443;
  },
  prepareForCreate: (object, view) => {
    const isLocal = objectAt(specOf(object), 'service') === undefined;
    const lastTransitionTime = goTime(view.nowMs());
    const available = {
      type: 'Available',
      status: 'True',
      lastTransitionTime,
      reason: 'Local',
      message: availabilityText,
    };
    asJson(object)['status'] = isLocal ? { conditions: [available] } : {};
  },
  validate: apiServiceErrors,
  validateStatus: (object) =>
    eachErrors(objectsAt(objectAt(asJson(object), 'status'), 'conditions'), 'status.conditions', (condition, path) =>
      choice(`${path}.status`, textAt(condition, 'status'), ['True', 'False', 'Unknown']),
    ),
};
