import { type JsonObject, objectAt, textAt } from '../../../src/base/index.ts';
import { type FieldError, requiredField } from '../../../src/schema/index.ts';
import { webhookServiceErrors, webhookUrlErrors } from '../../core/index.ts';

/** Errors of where a webhook is: a URL or a service. */
export function clientConfigErrors(client: JsonObject | undefined, path: string): FieldError[] {
  const [url, service] = [textAt(client, 'url'), objectAt(client, 'service')];
  if ((url === '') === (service === undefined))
    return [requiredField(path, 'exactly one of url or service is required')];
  if (service === undefined) return webhookUrlErrors(url, `${path}.url`);
  // The real server takes one for the other here: a missing namespace is reported for the name, and the other way round.
  const { name = '', namespace = '' } = service;
  return webhookServiceErrors({ port: 443, ...service, name: namespace, namespace: name }, `${path}.service`);
}
