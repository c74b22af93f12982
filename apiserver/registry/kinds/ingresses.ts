import { type JsonObject, listOfTexts, objectAt, objectsAt, textAt, valueAt } from '../../../src/base/index.ts';
import {
  dns1035LabelProblems,
  dns1123LabelProblems,
  dns1123SubdomainProblems,
  type FieldError,
  forbiddenField,
  invalidField,
  pathSegmentProblems,
  requiredField,
  tooLongField,
  wildcardSubdomainProblems,
} from '../../../src/schema/index.ts';
import { asJson, countAt, type KindRules, type KubeObject, setDefaults, specOf } from '../../core/index.ts';
import { invalidPrinted } from '../../schema/index.ts';
import { addressErrors, addressWarnings, parseAddress, portErrors, portNumberErrors } from './addresses.ts';
import { choice, eachErrors, immutableErrors, invalids } from './checks.ts';

/** Ingresses and their classes. @see docs/spec/kube-api-types.md#validation-rules */

const classAnnotation = 'kubernetes.io/ingress.class';
const pathTypes = ['Exact', 'ImplementationSpecific', 'Prefix'];
const forbiddenParts = ['//', '/./', '/../', '%2f', '%2F'];
const forbiddenEnds = ['/..', '/.'];

/** Errors of a reference to an object of any kind. */
function referenceErrors(reference: JsonObject, field: string): FieldError[] {
  const group = valueAt(reference, 'apiGroup');
  const errors = typeof group === 'string' ? invalids(`${field}.apiGroup`, group, dns1123SubdomainProblems(group)) : [];
  for (const key of ['kind', 'name']) {
    const text = textAt(reference, key);
    if (text === '') errors.push(requiredField(`${field}.${key}`, `${key} is required`));
    else errors.push(...invalids(`${field}.${key}`, text, pathSegmentProblems(text)));
  }
  return errors;
}

function servicePortErrors(port: JsonObject | undefined, field: string): FieldError[] {
  const [name, number] = [textAt(port, 'name'), countAt(port, 'number')];
  if (name !== '' && number !== 0) return [invalidField(field, '', 'cannot set both port name & port number')];
  if (name !== '') return portErrors(name, `${field}.service.port.name`);
  if (number !== 0) return portNumberErrors(number, `${field}.service.port.number`);
  return [requiredField(field, 'port name or number is required')];
}

function backendErrors(backend: JsonObject | undefined, field: string): FieldError[] {
  const [resource, service] = [objectAt(backend, 'resource'), objectAt(backend, 'service')];
  if (resource !== undefined) {
    const both = [invalidField(field, '', 'cannot set both resource and service backends')];
    return service === undefined ? referenceErrors(resource, `${field}.resource`) : both;
  }
  if (service === undefined) return [invalidField(field, '', 'resource or service backend is required')];
  const [name, path] = [textAt(service, 'name'), `${field}.service.name`];
  const named = name === '' ? [requiredField(path)] : invalids(path, name, dns1035LabelProblems(name));
  return [...named, ...servicePortErrors(objectAt(service, 'port'), field)];
}

function plainPathErrors(path: string, field: string): FieldError[] {
  const problems = path.startsWith('/') ? [] : ['must be an absolute path'];
  problems.push(...forbiddenParts.filter((part) => path.includes(part)).map((part) => `must not contain '${part}'`));
  problems.push(...forbiddenEnds.filter((end) => path.endsWith(end)).map((end) => `cannot end with '${end}'`));
  return invalids(field, path, problems);
}

function pathErrors(item: JsonObject, field: string): FieldError[] {
  const [type, path] = [textAt(item, 'pathType'), textAt(item, 'path')];
  if (typeof valueAt(item, 'pathType') !== 'string')
    return [requiredField(`${field}.pathType`, 'pathType must be specified')];
  const errors = choice(`${field}.pathType`, type, pathTypes);
  if (type === 'Exact' || type === 'Prefix') errors.push(...plainPathErrors(path, `${field}.path`));
  else if (type === 'ImplementationSpecific' && path !== '' && !path.startsWith('/')) {
    errors.push(invalidField(`${field}.path`, path, 'must be an absolute path'));
  }
  return [...errors, ...backendErrors(objectAt(item, 'backend'), `${field}.backend`)];
}

function hostProblems(host: string): string[] {
  return host.includes('*') ? wildcardSubdomainProblems(host) : dns1123SubdomainProblems(host);
}

function ruleErrors(rule: JsonObject, field: string): FieldError[] {
  const [host, http] = [textAt(rule, 'host'), objectAt(rule, 'http')];
  const errors: FieldError[] = [];
  if (host !== '') {
    if (parseAddress(host) !== undefined) {
      errors.push(invalidField(`${field}.host`, host, 'must be a DNS name, not an IP address'));
    }
    errors.push(...invalids(`${field}.host`, host, hostProblems(host)));
  }
  if (http === undefined) return errors;
  const paths = objectsAt(http, 'paths');
  if (paths.length === 0) errors.push(requiredField(`${field}.http.paths`));
  return [...errors, ...eachErrors(paths, `${field}.http.paths`, pathErrors)];
}

function tlsErrors(tls: JsonObject, field: string): FieldError[] {
  const errors = listOfTexts(tls, 'hosts').flatMap((host, index) =>
    invalids(`${field}.hosts[${index}]`, host, hostProblems(host)),
  );
  const secret = textAt(tls, 'secretName');
  if (secret === '') return errors;
  return [...errors, ...invalids(`${field}.secretName`, secret, dns1123SubdomainProblems(secret))];
}

function specErrors(spec: JsonObject): FieldError[] {
  const [rules, backend] = [objectsAt(spec, 'rules'), objectAt(spec, 'defaultBackend')];
  const errors: FieldError[] = [];
  if (rules.length === 0 && backend === undefined) {
    const why = 'either `defaultBackend` or `rules` must be specified';
    errors.push(invalidPrinted('spec', '[]networking.IngressRule(nil)', why));
  }
  if (backend !== undefined) errors.push(...backendErrors(backend, 'spec.defaultBackend'));
  errors.push(...eachErrors(rules, 'spec.rules', ruleErrors));
  errors.push(...eachErrors(objectsAt(spec, 'tls'), 'spec.tls', tlsErrors));
  const name = valueAt(spec, 'ingressClassName');
  if (typeof name !== 'string') return errors;
  return [...errors, ...invalids('spec.ingressClassName', name, dns1123SubdomainProblems(name))];
}

function classErrors(object: KubeObject): FieldError[] {
  const [annotated, named] = [
    valueAt(object.metadata.annotations, classAnnotation),
    valueAt(specOf(object), 'ingressClassName'),
  ];
  if (annotated === undefined || named === undefined || annotated === named) return [];
  const why = 'must match `ingressClassName` when both are specified';
  return [invalidField(`annotations.${classAnnotation}`, annotated, why)];
}

function pointsOf(object: KubeObject): JsonObject[] {
  return objectsAt(objectAt(asJson(object), 'status', 'loadBalancer'), 'ingress');
}

function pointErrors(point: JsonObject, field: string): FieldError[] {
  const [address, host] = [textAt(point, 'ip'), textAt(point, 'hostname')];
  const errors = address === '' ? [] : addressErrors(address, `${field}.ip`);
  if (host === '') return errors;
  errors.push(...invalids(`${field}.hostname`, host, dns1123SubdomainProblems(host)));
  if (parseAddress(host) === undefined) return errors;
  return [...errors, invalidField(`${field}.hostname`, host, 'must be a DNS name, not an IP address')];
}

/** Rules of Ingresses. */
export const ingressRules: KindRules = {
  generationOf: ['spec'],
  prepareForCreate: (object) => {
    asJson(object)['status'] = { loadBalancer: {} };
  },
  validate: (object) => [...specErrors(specOf(object)), ...classErrors(object)],
  validateChange: (object) => specErrors(specOf(object)),
  validateStatus: (object) => eachErrors(pointsOf(object), 'status.loadBalancer.ingress', pointErrors),
  statusWarnings: (object) =>
    pointsOf(object).flatMap((point, index) =>
      addressWarnings(textAt(point, 'ip'), `status.loadBalancer.ingress[${index}]`),
    ),
  warnings: (object, old) => {
    const isOld = valueAt(object.metadata.annotations, classAnnotation) !== undefined;
    if (old !== undefined || !isOld || valueAt(specOf(object), 'ingressClassName') !== undefined) return [];
    return [`annotation "${classAnnotation}" is deprecated, please use 'spec.ingressClassName' instead`];
  },
};

function controllerErrors(text: string): FieldError[] {
  const field = 'spec.controller';
  const errors = text.length > 250 ? [tooLongField(field, 250)] : [];
  if (text === '') return [requiredField(field)];
  const slash = text.indexOf('/');
  if (slash <= 0 || slash === text.length - 1) {
    return [...errors, invalidField(field, text, 'must be a domain-prefixed path (such as "acme.io/foo")')];
  }
  const [host, path] = [text.slice(0, slash), text.slice(slash + 1)];
  errors.push(...invalids(field, host, dns1123SubdomainProblems(host)));
  if (/^[A-Za-z0-9/\-._~%!$&'()*+,;=:]+$/.test(path)) return errors;
  const why = "Invalid path (regex used for validation is '[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+')";
  return [...errors, invalidField(field, path, why)];
}

function parametersErrors(parameters: JsonObject | undefined): FieldError[] {
  if (parameters === undefined) return [];
  const field = 'spec.parameters';
  const errors = referenceErrors(parameters, field);
  const [scope, namespace] = [textAt(parameters, 'scope'), valueAt(parameters, 'namespace')];
  errors.push(...choice(`${field}.scope`, scope, ['Cluster', 'Namespace']));
  if (scope === 'Cluster' && namespace !== undefined) {
    errors.push(forbiddenField(`${field}.namespace`, "`parameters.scope` is set to 'Cluster'"));
  }
  if (scope !== 'Namespace') return errors;
  if (namespace === undefined) {
    return [...errors, requiredField(`${field}.namespace`, "`parameters.scope` is set to 'Namespace'")];
  }
  const text = textAt(parameters, 'namespace');
  return [...errors, ...invalids(`${field}.namespace`, text, dns1123LabelProblems(text))];
}

function classSpecErrors(spec: JsonObject): FieldError[] {
  return [...controllerErrors(textAt(spec, 'controller')), ...parametersErrors(objectAt(spec, 'parameters'))];
}

/** Rules of IngressClasses. */
export const ingressClassRules: KindRules = {
  generationOf: ['spec'],
  applyDefaults: (object) => {
    const parameters = objectAt(specOf(object), 'parameters');
    if (parameters !== undefined) setDefaults(parameters, { scope: 'Cluster' });
  },
  validate: (object) => classSpecErrors(specOf(object)),
  validateChange: (object, old) => {
    const [spec, before] = [specOf(object), specOf(old)];
    const isSame = textAt(spec, 'controller') === textAt(before, 'controller');
    return [...immutableErrors('spec.controller', textAt(spec, 'controller'), isSame), ...classSpecErrors(spec)];
  },
};
