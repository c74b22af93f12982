import type { JsonObject } from '../../../src/base/index.ts';
import type { FieldError } from '../../http/status-error.ts';
import { duplicateField, invalidField, requiredField, unsupportedField } from '../../schema/field-errors.ts';
import type { KubeObject } from '../kube-object.ts';
import { dns1123SubdomainProblems } from '../names.ts';
import { asJson, listAt, listOfTexts, numberAt, objectAt, objectsAt, textAt } from './reading.ts';

function nameErrors(name: string, field: string): FieldError[] {
  if (name === '') return [requiredField(field)];
  const errors = dns1123SubdomainProblems(name).map((problem) => invalidField(field, name, problem));
  const rule = 'should be a domain with at least three segments separated by dots';
  return name.split('.').length < 3 ? [...errors, invalidField(field, name, rule)] : errors;
}

function urlErrors(url: string, field: string): FieldError[] {
  const form = 'desired format: https://host[/path]';
  if (!URL.canParse(url)) return [requiredField(field, `url must be a valid URL: ${form}`)];
  const { protocol, username, hash, search } = new URL(url);
  const errors: FieldError[] = [];
  if (protocol !== 'https:')
    errors.push(invalidField(field, protocol.slice(0, -1), `'https' is the only allowed URL scheme; ${form}`));
  if (username !== '') errors.push(invalidField(field, username, 'user information is not permitted in the URL'));
  if (hash !== '') errors.push(invalidField(field, hash.slice(1), 'fragments are not permitted in the URL'));
  if (search !== '') errors.push(invalidField(field, search.slice(1), 'query parameters are not permitted in the URL'));
  return errors;
}

function clientErrors(client: JsonObject | undefined, path: string): FieldError[] {
  const [url, service] = [textAt(client, 'url'), objectAt(client, 'service')];
  if ((url === '') === (service === undefined)) {
    return [requiredField(path, 'exactly one of url or service is required')];
  }
  if (url !== '') return urlErrors(url, `${path}.url`);
  const errors = ['name', 'namespace']
    .filter((key) => textAt(service, key) === '')
    .map((key) => requiredField(`${path}.service.${key}`, `service ${key} is required`));
  const port = numberAt(service, 'port') ?? 443;
  if (port < 1 || port > 65_535)
    errors.push(
      invalidField(`${path}.service.port`, port, 'port is not valid: must be between 1 and 65535, inclusive'),
    );
  const servicePath = textAt(service, 'path');
  if (servicePath !== '' && !servicePath.startsWith('/')) {
    errors.push(invalidField(`${path}.service.path`, servicePath, "must start with a '/'"));
  }
  return errors;
}

const operations = ['*', 'CONNECT', 'CREATE', 'DELETE', 'UPDATE'];
const scopes = ['*', 'Cluster', 'Namespaced'];

function ruleErrors(rule: JsonObject, path: string): FieldError[] {
  const errors: FieldError[] = [];
  for (const key of ['operations', 'apiGroups', 'apiVersions', 'resources']) {
    if (listAt(rule, key).length === 0) errors.push(requiredField(`${path}.${key}`));
  }
  listOfTexts(rule, 'operations').forEach((operation, index) => {
    if (!operations.includes(operation))
      errors.push(unsupportedField(`${path}.operations[${index}]`, operation, operations));
  });
  const scope = textAt(rule, 'scope');
  if (!scopes.includes(scope)) errors.push(unsupportedField(`${path}.scope`, scope, scopes));
  const groups = listOfTexts(rule, 'apiGroups');
  if (groups.length > 1 && groups.includes('*')) {
    errors.push(invalidField(`${path}.apiGroups`, groups, "if '*' is present, must not specify other API groups"));
  }
  return errors;
}

const reviewVersions = ['v1', 'v1beta1'];

function webhookErrors(webhook: JsonObject, path: string): FieldError[] {
  const versions = listOfTexts(webhook, 'admissionReviewVersions');
  const sideEffects = textAt(webhook, 'sideEffects');
  const timeout = numberAt(webhook, 'timeoutSeconds') ?? 10;
  const errors = nameErrors(textAt(webhook, 'name'), `${path}.name`);
  objectsAt(webhook, 'rules').forEach((rule, index) => errors.push(...ruleErrors(rule, `${path}.rules[${index}]`)));
  if (sideEffects === '') errors.push(requiredField(`${path}.sideEffects`, 'must specify one of None, NoneOnDryRun'));
  else if (!['None', 'NoneOnDryRun'].includes(sideEffects)) {
    errors.push(unsupportedField(`${path}.sideEffects`, sideEffects, ['None', 'NoneOnDryRun']));
  }
  if (timeout < 1 || timeout > 30)
    errors.push(invalidField(`${path}.timeoutSeconds`, timeout, 'the timeout value must be between 1 and 30 seconds'));
  errors.push(...clientErrors(objectAt(webhook, 'clientConfig'), `${path}.clientConfig`));
  if (versions.length === 0) {
    errors.push(requiredField(`${path}.admissionReviewVersions`, `must specify one of ${reviewVersions.join(', ')}`));
  } else if (!versions.some((version) => reviewVersions.includes(version))) {
    const rule = `must include at least one of ${reviewVersions.join(', ')}`;
    errors.push(invalidField(`${path}.admissionReviewVersions`, versions, rule));
  }
  return errors;
}

/** Errors of a validating or mutating webhook configuration.
 *  @see reference "types" 2.2 */
export function validateWebhooks(object: KubeObject): FieldError[] {
  const seen = new Set<string>();
  return objectsAt(asJson(object), 'webhooks').flatMap((webhook, index) => {
    const name = textAt(webhook, 'name');
    const errors = webhookErrors(webhook, `webhooks[${index}]`);
    if (seen.has(name)) errors.push(duplicateField(`webhooks[${index}].name`, name));
    seen.add(name);
    return errors;
  });
}
