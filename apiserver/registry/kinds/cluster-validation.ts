import { isIP } from 'node:net';
import { isJsonEqual, type JsonObject } from '../../../src/base/index.ts';
import type { FieldError } from '../../http/status-error.ts';
import {
  forbiddenField,
  immutableText,
  invalidField,
  requiredField,
  unsupportedField,
} from '../../schema/field-errors.ts';
import { hasFormat } from '../../schema/formats.ts';
import type { KubeObject } from '../kube-object.ts';
import { dns1123SubdomainProblems } from '../names.ts';
import { asJson, isTrueAt, listAt, listOfTexts, numberAt, objectAt, objectsAt, textAt, valueAt } from './reading.ts';
import { percentErrors, selectorErrors } from './workload-validation.ts';

function specOf(object: KubeObject): JsonObject | undefined {
  return objectAt(asJson(object), 'spec');
}

/** Top-level fields that keep what they had. */
export function immutableFields(
  keys: readonly string[],
  text: string = immutableText,
): (object: KubeObject, old: KubeObject) => FieldError[] {
  return (object, old) =>
    keys.flatMap((key) => {
      const [now, before] = [valueAt(asJson(object), key), valueAt(asJson(old), key)];
      return isJsonEqual(now, before) ? [] : [invalidField(key, now, text)];
    });
}

export function validateBudget(object: KubeObject): FieldError[] {
  const spec = specOf(object) ?? {};
  const errors: FieldError[] = [];
  if (valueAt(spec, 'minAvailable') !== undefined && valueAt(spec, 'maxUnavailable') !== undefined) {
    errors.push(invalidField('spec', spec, 'minAvailable and maxUnavailable cannot be both set'));
  }
  for (const key of ['minAvailable', 'maxUnavailable'])
    errors.push(...percentErrors(valueAt(spec, key), `spec.${key}`));
  return [...errors, ...selectorErrors(objectAt(spec, 'selector'), 'spec.selector')];
}

export function validateAutoscaler(object: KubeObject): FieldError[] {
  const spec = specOf(object);
  const [min, max] = [numberAt(spec, 'minReplicas') ?? 1, numberAt(spec, 'maxReplicas') ?? 0];
  const errors: FieldError[] = [];
  if (min < 1) errors.push(invalidField('spec.minReplicas', min, 'must be greater than or equal to 1'));
  if (max < 1) errors.push(invalidField('spec.maxReplicas', max, 'must be greater than 0'));
  if (max < min) errors.push(invalidField('spec.maxReplicas', max, 'must be greater than or equal to `minReplicas`'));
  for (const key of ['kind', 'name']) {
    if (textAt(objectAt(spec, 'scaleTargetRef'), key) === '') errors.push(requiredField(`spec.scaleTargetRef.${key}`));
  }
  return errors;
}

function peerErrors(peer: JsonObject, path: string): FieldError[] {
  const block = objectAt(peer, 'ipBlock');
  const hasSelector = objectAt(peer, 'podSelector') !== undefined || objectAt(peer, 'namespaceSelector') !== undefined;
  if (block === undefined && !hasSelector) return [requiredField(path, 'must specify a peer')];
  if (block === undefined) return [];
  if (hasSelector) return [forbiddenField(path, 'may not specify both ipBlock and another peer')];
  const cidr = textAt(block, 'cidr');
  if (cidr === '') return [requiredField(`${path}.ipBlock.cidr`)];
  const rule = 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)';
  return hasFormat(cidr, 'cidr') ? [] : [invalidField(`${path}.ipBlock.cidr`, cidr, rule)];
}

export function validateNetworkPolicy(object: KubeObject): FieldError[] {
  const spec = specOf(object);
  const rules = (key: string, peers: string): FieldError[] =>
    objectsAt(spec, key).flatMap((rule, index) =>
      objectsAt(rule, peers).flatMap((peer, at) => peerErrors(peer, `spec.${key}[${index}].${peers}[${at}]`)),
    );
  return [
    ...selectorErrors(objectAt(spec, 'podSelector'), 'spec.podSelector'),
    ...rules('ingress', 'from'),
    ...rules('egress', 'to'),
  ];
}

const pathTypes = ['Exact', 'ImplementationSpecific', 'Prefix'];

function backendErrors(backend: JsonObject | undefined, path: string): FieldError[] {
  const service = objectAt(backend, 'service');
  if (objectAt(backend, 'resource') !== undefined) return [];
  if (service === undefined) return [requiredField(path, 'resource or service backend is required')];
  const port = objectAt(service, 'port');
  const errors = textAt(service, 'name') === '' ? [requiredField(`${path}.service.name`)] : [];
  if (textAt(port, 'name') === '' && (numberAt(port, 'number') ?? 0) === 0) {
    errors.push(requiredField(path, 'port name or number is required'));
  }
  return errors;
}

function ingressPathErrors(item: JsonObject, path: string): FieldError[] {
  const type = textAt(item, 'pathType');
  const errors: FieldError[] = [];
  if (type === '') errors.push(requiredField(`${path}.pathType`, 'pathType must be specified'));
  else if (!pathTypes.includes(type)) errors.push(unsupportedField(`${path}.pathType`, type, pathTypes));
  else if (type !== 'ImplementationSpecific' && !textAt(item, 'path').startsWith('/')) {
    errors.push(invalidField(`${path}.path`, textAt(item, 'path'), 'must be an absolute path'));
  }
  return type === '' ? errors : [...errors, ...backendErrors(objectAt(item, 'backend'), `${path}.backend`)];
}

function hostErrors(host: string, field: string): FieldError[] {
  if (host === '') return [];
  if (isIP(host) !== 0) return [invalidField(field, host, 'must be a DNS name, not an IP address')];
  return dns1123SubdomainProblems(host.replace(/^\*\./, '')).map((problem) => invalidField(field, host, problem));
}

export function validateIngress(object: KubeObject): FieldError[] {
  const spec = specOf(object) ?? {};
  const rules = objectsAt(spec, 'rules');
  const backend = objectAt(spec, 'defaultBackend');
  const errors: FieldError[] = [];
  if (rules.length === 0 && backend === undefined) {
    errors.push(invalidField('spec', [], 'either `defaultBackend` or `rules` must be specified'));
  }
  if (backend !== undefined) errors.push(...backendErrors(backend, 'spec.defaultBackend'));
  return rules.reduce((all, rule, index) => {
    const path = `spec.rules[${index}]`;
    const paths = objectsAt(objectAt(rule, 'http'), 'paths');
    all.push(...hostErrors(textAt(rule, 'host'), `${path}.host`));
    if (objectAt(rule, 'http') !== undefined && paths.length === 0) all.push(requiredField(`${path}.http.paths`));
    all.push(...paths.flatMap((item, at) => ingressPathErrors(item, `${path}.http.paths[${at}]`)));
    return all;
  }, errors);
}

export function validateClaim(object: KubeObject): FieldError[] {
  const spec = specOf(object);
  const errors: FieldError[] = [];
  if (listAt(spec, 'accessModes').length === 0) {
    errors.push(requiredField('spec.accessModes', 'at least 1 access mode is required'));
  }
  const modes = listOfTexts(spec, 'accessModes');
  if (modes.includes('ReadWriteOncePod') && modes.length > 1) {
    errors.push(forbiddenField('spec.accessModes', 'may not use ReadWriteOncePod with other access modes'));
  }
  if (valueAt(objectAt(spec, 'resources', 'requests'), 'storage') === undefined)
    errors.push(requiredField('spec.resources[storage]'));
  return errors;
}

const claimText =
  'spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims';

export function validateClaimUpdate(object: KubeObject, old: KubeObject): FieldError[] {
  const fixed = (claim: KubeObject): JsonObject => {
    const {
      resources: _resources,
      volumeAttributesClassName: _class,
      volumeName: _name,
      ...spec
    } = specOf(claim) ?? {};
    return spec;
  };
  const before = textAt(specOf(old), 'volumeName');
  const isMoved = before !== '' && before !== textAt(specOf(object), 'volumeName');
  return isMoved || !isJsonEqual(fixed(object), fixed(old)) ? [forbiddenField('spec', claimText)] : [];
}

const volumeFields = new Set([
  'capacity',
  'accessModes',
  'claimRef',
  'persistentVolumeReclaimPolicy',
  'storageClassName',
  'mountOptions',
  'volumeMode',
  'nodeAffinity',
  'volumeAttributesClassName',
]);

export function validateVolume(object: KubeObject): FieldError[] {
  const spec = specOf(object) ?? {};
  const errors = listAt(spec, 'accessModes').length === 0 ? [requiredField('spec.accessModes')] : [];
  if (Object.keys(objectAt(spec, 'capacity') ?? {}).length === 0) errors.push(requiredField('spec.capacity'));
  if (Object.keys(spec).every((key) => volumeFields.has(key)))
    errors.push(requiredField('spec', 'must specify a volume type'));
  return errors;
}

export function validateStorageClass(object: KubeObject): FieldError[] {
  const [provisioner, mode] = [textAt(asJson(object), 'provisioner'), textAt(asJson(object), 'volumeBindingMode')];
  const modes = ['Immediate', 'WaitForFirstConsumer'];
  const errors = provisioner === '' ? [requiredField('provisioner')] : [];
  return modes.includes(mode) ? errors : [...errors, unsupportedField('volumeBindingMode', mode, modes)];
}

export function validateStorageClassUpdate(object: KubeObject, old: KubeObject): FieldError[] {
  const errors = ['parameters', 'provisioner', 'reclaimPolicy'].flatMap((key) => {
    const isSame = isJsonEqual(valueAt(asJson(object), key), valueAt(asJson(old), key));
    return isSame ? [] : [forbiddenField(key, `updates to ${key} are forbidden.`)];
  });
  return [...errors, ...immutableFields(['volumeBindingMode'])(object, old)];
}

export function validatePriorityClass(object: KubeObject): FieldError[] {
  const { name = '' } = object.metadata;
  if (name === 'system-cluster-critical' || name === 'system-node-critical') return [];
  const errors: FieldError[] = [];
  if (name.startsWith('system-')) {
    errors.push(
      forbiddenField(
        'metadata.name',
        `priority class names with 'system-' prefix are reserved for system use only. error: ${name} is not a known system priority class`,
      ),
    );
  }
  const rule = 'maximum allowed value of a user defined priority is 1000000000';
  return (numberAt(asJson(object), 'value') ?? 0) > 1_000_000_000 ? [...errors, forbiddenField('value', rule)] : errors;
}

export function validateApiService(object: KubeObject): FieldError[] {
  const spec = specOf(object);
  const expected = `${textAt(spec, 'version')}.${textAt(spec, 'group')}`;
  const { name = '' } = object.metadata;
  const errors: FieldError[] = [];
  if (name !== expected)
    errors.push(invalidField('metadata.name', name, `must be \`spec.version+"."+spec.group\`: "${expected}"`));
  const [group, version] = [numberAt(spec, 'groupPriorityMinimum') ?? 0, numberAt(spec, 'versionPriority') ?? 0];
  if (group <= 0 || group > 20_000)
    errors.push(invalidField('spec.groupPriorityMinimum', group, 'must be positive and less than 20000'));
  if (version <= 0 || version > 1000)
    errors.push(invalidField('spec.versionPriority', version, 'must be positive and less than 1000'));
  return [...errors, ...apiServiceBackendErrors(spec)];
}

function apiServiceBackendErrors(spec: JsonObject | undefined): FieldError[] {
  const service = objectAt(spec, 'service');
  const needed = service === undefined ? [] : ['namespace', 'name'];
  const errors = needed.filter((key) => textAt(service, key) === '').map((key) => requiredField(`spec.service.${key}`));
  if (isTrueAt(spec, 'insecureSkipTLSVerify') && textAt(spec, 'caBundle') !== '') {
    errors.push(invalidField('spec.insecureSkipTLSVerify', true, 'may not be true if caBundle is present'));
  }
  return errors;
}

export function validateLease(object: KubeObject): FieldError[] {
  const [duration, transitions] = [
    numberAt(specOf(object), 'leaseDurationSeconds'),
    numberAt(specOf(object), 'leaseTransitions'),
  ];
  const errors: FieldError[] = [];
  if (duration !== undefined && duration <= 0)
    errors.push(invalidField('spec.leaseDurationSeconds', duration, 'must be greater than 0'));
  if (transitions !== undefined && transitions < 0) {
    errors.push(invalidField('spec.leaseTransitions', transitions, 'must be greater than or equal to 0'));
  }
  return errors;
}

function ruleErrors(rule: JsonObject, path: string, isNamespaced: boolean): FieldError[] {
  const hasVerbs = listAt(rule, 'verbs').length > 0;
  const errors = hasVerbs ? [] : [requiredField(`${path}.verbs`, 'verbs must contain at least one value')];
  if (listAt(rule, 'nonResourceURLs').length > 0) {
    const why = 'namespaced rules cannot apply to non-resource URLs';
    return isNamespaced
      ? [...errors, invalidField(`${path}.nonResourceURLs`, listAt(rule, 'nonResourceURLs'), why)]
      : errors;
  }
  if (listAt(rule, 'apiGroups').length === 0) {
    errors.push(requiredField(`${path}.apiGroups`, 'resource rules must supply at least one api group'));
  }
  if (listAt(rule, 'resources').length === 0) {
    errors.push(requiredField(`${path}.resources`, 'resource rules must supply at least one resource'));
  }
  return errors;
}

/** Errors of a Role, or of a ClusterRole, whose rules may name paths. */
export function validateRole(object: KubeObject): FieldError[] {
  const isNamespaced = object.kind === 'Role';
  return objectsAt(asJson(object), 'rules').flatMap((rule, index) => ruleErrors(rule, `rules[${index}]`, isNamespaced));
}

export function validateRoleBinding(object: KubeObject): FieldError[] {
  const role = objectAt(asJson(object), 'roleRef');
  const kinds = object.kind === 'RoleBinding' ? ['Role', 'ClusterRole'] : ['ClusterRole'];
  const needsNamespace = object.kind === 'ClusterRoleBinding';
  const errors: FieldError[] = [];
  if (!kinds.includes(textAt(role, 'kind'))) errors.push(unsupportedField('roleRef.kind', textAt(role, 'kind'), kinds));
  if (textAt(role, 'name') === '') errors.push(requiredField('roleRef.name'));
  objectsAt(asJson(object), 'subjects').forEach((subject, index) => {
    const [path, kind] = [`subjects[${index}]`, textAt(subject, 'kind')];
    if (textAt(subject, 'name') === '') errors.push(requiredField(`${path}.name`));
    if (!['ServiceAccount', 'User', 'Group'].includes(kind)) {
      errors.push(unsupportedField(`${path}.kind`, kind, ['ServiceAccount', 'User', 'Group']));
    } else if (needsNamespace && kind === 'ServiceAccount' && textAt(subject, 'namespace') === '')
      errors.push(requiredField(`${path}.namespace`));
  });
  return errors;
}
