import type { JsonObject } from '../../../src/base/index.ts';
import type { FieldError } from '../../http/status-error.ts';
import { invalidField, requiredField } from '../../schema/field-errors.ts';
import { goQuote } from '../../schema/go-syntax.ts';
import { dns1123SubdomainProblems } from '../names.ts';
import { numberAt, objectAt, textAt } from './reading.ts';

const urlForm = 'desired format: https://host[/path]';

interface UrlParts {
  readonly scheme: string;
  readonly user: string;
  readonly host: string;
  readonly query: string;
  readonly fragment: string;
}

function hostProblem(host: string): string | undefined {
  if (host.startsWith('[') && !host.includes(']')) return "missing ']' in host";
  const port = /:([^:\]]*)$/.exec(host)?.[1];
  return port === undefined || /^\d*$/.test(port) ? undefined : `invalid port ${goQuote(`:${port}`)} after host`;
}

/** What stands before the first separator, and after it. */
function cut(text: string, separator: string): readonly [string, string] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
}

/** The parts of a URL as Go splits it; a text is what Go says is wrong with it. */
function splitUrl(text: string): UrlParts | string {
  if (text.startsWith(':')) return 'missing protocol scheme';
  const scheme = /^([a-zA-Z][a-zA-Z0-9+.-]*):/.exec(text)?.[1];
  const [beforeFragment, fragment] = cut(scheme === undefined ? text : text.slice(scheme.length + 1), '#');
  const [beforeQuery, query] = cut(beforeFragment, '?');
  const authority = beforeQuery.startsWith('//') ? cut(beforeQuery.slice(2), '/')[0] : '';
  const at = authority.lastIndexOf('@');
  const host = authority.slice(at + 1);
  const user = authority.slice(0, Math.max(at, 0));
  return hostProblem(host) ?? { scheme: (scheme ?? '').toLowerCase(), user, host, query, fragment };
}

function urlErrors(url: string, field: string): FieldError[] {
  const parts = splitUrl(url);
  if (typeof parts === 'string') {
    return [requiredField(field, `url must be a valid URL: parse ${goQuote(url)}: ${parts}; ${urlForm}`)];
  }
  const rules: readonly [boolean, string, string][] = [
    [parts.scheme !== 'https', parts.scheme, `'https' is the only allowed URL scheme; ${urlForm}`],
    [parts.host === '', parts.host, `host must be specified; ${urlForm}`],
    [parts.user !== '', parts.user, 'user information is not permitted in the URL'],
    [parts.fragment !== '', parts.fragment, 'fragments are not permitted in the URL'],
    [parts.query !== '', parts.query, 'query parameters are not permitted in the URL'],
  ];
  return rules.filter(([isBroken]) => isBroken).map(([, value, why]) => invalidField(field, value, why));
}

function pathErrors(path: string, field: string): FieldError[] {
  if (path === '' || path === '/') return [];
  if (!path.startsWith('/')) return [invalidField(field, path, "must start with a '/'")];
  const steps = path.slice(1).replace(/\/$/, '').split('/');
  return steps.flatMap((step, index) => {
    if (step === '') return [invalidField(field, path, `segment[${index}] may not be empty`)];
    return dns1123SubdomainProblems(step).map((why) => invalidField(field, path, `segment[${index}]: ${why}`));
  });
}

/** The real server takes one for the other: a missing namespace is told of the name, and the other way round. */
function serviceNameErrors(service: JsonObject | undefined, path: string): FieldError[] {
  const told = { namespace: 'name', name: 'namespace' };
  return Object.entries(told)
    .filter(([missing]) => textAt(service, missing) === '')
    .map(([, key]) => requiredField(`${path}.${key}`, `service ${key} is required`));
}

/** Errors of where a webhook is: a URL or a service. */
export function clientConfigErrors(client: JsonObject | undefined, path: string): FieldError[] {
  const [url, service] = [textAt(client, 'url'), objectAt(client, 'service')];
  if ((url === '') === (service === undefined))
    return [requiredField(path, 'exactly one of url or service is required')];
  if (url !== '') return urlErrors(url, `${path}.url`);
  const port = numberAt(service, 'port') ?? 443;
  const portText = 'port is not valid: must be between 1 and 65535, inclusive';
  return [
    ...serviceNameErrors(service, `${path}.service`),
    ...pathErrors(textAt(service, 'path'), `${path}.service.path`),
    ...(port < 1 || port > 65_535 ? [invalidField(`${path}.service.port`, port, portText)] : []),
  ];
}
