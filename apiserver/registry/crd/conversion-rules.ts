import { X509Certificate } from 'node:crypto';
import {
  errorMessage,
  firstIndexes,
  isRepeated,
  type JsonObject,
  listOfTexts,
  objectAt,
  textAt,
  valueAt,
} from '../../../src/base/index.ts';
import {
  dns1035LabelProblems,
  type FieldError,
  forbiddenField,
  invalidField,
  requiredField,
  unsupportedField,
} from '../../../src/schema/index.ts';
import { webhookServiceErrors, webhookUrlErrors } from '../../core/index.ts';

const at = 'spec.conversion';
const clientAt = `${at}.webhookClientConfig`;
const versionsAt = `${at}.conversionReviewVersions`;
const known = ['v1', 'v1beta1'];

/** Why the certificates of a webhook (base64 of PEM) cannot be read; undefined when they can. */
export function caBundleProblem(bundle: string): string | undefined {
  const pem = Buffer.from(bundle, 'base64').toString('utf8');
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[^-]*(?:-(?!----)[^-]*)*-----END CERTIFICATE-----/g) ?? [];
  if (blocks.length === 0) return 'unable to parse bytes as PEM block';
  try {
    for (const block of blocks) new X509Certificate(block);
    return undefined;
  } catch (thrown) {
    return errorMessage(thrown);
  }
}

function clientErrors(client: JsonObject | undefined, checksBundle: boolean): FieldError[] {
  if (client === undefined) return [requiredField(clientAt, 'required when strategy is set to Webhook')];
  const errors: FieldError[] = [];
  const [url, service] = [valueAt(client, 'url'), objectAt(client, 'service')];
  if ((url === undefined) === (service === undefined)) {
    errors.push(requiredField(clientAt, 'exactly one of url or service is required'));
  } else if (typeof url === 'string') errors.push(...webhookUrlErrors(url, `${clientAt}.url`));
  else if (service !== undefined) errors.push(...serviceErrors(service));
  const bundle = textAt(client, 'caBundle');
  const problem = checksBundle && bundle !== '' ? caBundleProblem(bundle) : undefined;
  if (problem === undefined) return errors;
  return [...errors, invalidField(`${clientAt}.caBundle`, bundle, `unable to load root certificates: ${problem}`)];
}

/** kube-apiserver takes name and namespace for each other here. */
function serviceErrors(service: JsonObject): FieldError[] {
  const { name, namespace, ...rest } = service;
  const turned = {
    ...rest,
    ...(namespace === undefined ? {} : { name: namespace }),
    ...(name === undefined ? {} : { namespace: name }),
  };
  return webhookServiceErrors(turned, `${clientAt}.service`);
}

function reviewVersionErrors(versions: readonly string[]): FieldError[] {
  if (versions.length === 0) return [requiredField(versionsAt)];
  const first = firstIndexes(versions);
  const errors = versions.flatMap((version, index) => {
    const field = `${versionsAt}[${index}]`;
    if (isRepeated(first, version, index)) return [invalidField(field, version, 'duplicate version')];
    return dns1035LabelProblems(version).map((problem) => invalidField(field, version, problem));
  });
  if (versions.some((version) => known.includes(version))) return errors;
  return [...errors, invalidField(versionsAt, [...versions], `must include at least one of ${known.join(', ')}`)];
}

/** Errors of `spec.conversion`. `checksBundle`: the certificates must be readable, since they were before. */
export function conversionErrors(spec: JsonObject, checksBundle: boolean): FieldError[] {
  const conversion = objectAt(spec, 'conversion');
  if (conversion === undefined) return [];
  const strategy = textAt(conversion, 'strategy');
  const client = objectAt(conversion, 'webhook', 'clientConfig');
  const versions = listOfTexts(objectAt(conversion, 'webhook'), 'conversionReviewVersions');
  if (strategy === 'Webhook') return [...clientErrors(client, checksBundle), ...reviewVersionErrors(versions)];
  const errors: FieldError[] = [];
  const field = `${at}.strategy`;
  if (strategy === '') errors.push(requiredField(field));
  else if (strategy !== 'None') errors.push(unsupportedField(field, strategy, ['None', 'Webhook']));
  const rule = 'should not be set when strategy is not set to Webhook';
  if (client !== undefined) errors.push(forbiddenField(clientAt, rule));
  if (versions.length > 0) errors.push(forbiddenField(versionsAt, rule));
  return errors;
}
