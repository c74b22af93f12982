import { goQuote, type JsonObject, textAt, valueAt } from '../../src/base/index.ts';
import { dns1123SubdomainProblems, type FieldError, invalidField, requiredField } from '../../src/schema/index.ts';
import { numberAt } from './reading.ts';

const form = '; desired format: https://host[/path]';

interface UrlParts {
  readonly scheme: string;
  readonly user: string | undefined;
  readonly host: string;
  readonly query: string;
  readonly fragment: string;
}

function hostProblem(host: string): string | undefined {
  if (host.startsWith('[') && !host.includes(']')) return "missing ']' in host";
  const odd = /[\s"<>\\^`{|}]/.exec(host)?.[0];
  if (odd !== undefined) return `invalid character ${goQuote(odd)} in host name`;
  const [, port = ''] = /^(?:\[[^\]]*\]|[^:]*)(.*)$/.exec(host) ?? [];
  return port === '' || /^:\d*$/.test(port) ? undefined : `invalid port ${goQuote(port)} after host`;
}

/** Cuts a text at the first separator: what is before and after it. */
function cut(text: string, separator: string): readonly [before: string, after: string] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + separator.length)];
}

/** A URL taken apart the way Go does it, or why it is none. */
function parseUrl(text: string): UrlParts | string {
  if (/\p{Cc}/u.test(text)) return 'net/url: invalid control character in URL';
  const [url, fragment] = cut(text, '#');
  if (url.startsWith(':')) return 'missing protocol scheme';
  const scheme = /^[a-zA-Z][a-zA-Z0-9+.-]*(?=:)/.exec(url)?.[0] ?? '';
  const [path, query] = cut(scheme === '' ? url : url.slice(scheme.length + 1), '?');
  if (scheme === '' && cut(path, '/')[0].includes(':')) return 'first path segment in URL cannot contain colon';
  const { user, host } = authorityOf(path);
  return hostProblem(host) ?? { scheme: scheme.toLowerCase(), user, host, query, fragment };
}

function authorityOf(path: string): { readonly user: string | undefined; readonly host: string } {
  const authority = path.startsWith('//') ? cut(path.slice(2), '/')[0] : '';
  const at = authority.lastIndexOf('@');
  return { user: at < 0 ? undefined : authority.slice(0, at), host: authority.slice(at + 1) };
}

/** Errors of a webhook's `url`. */
export function webhookUrlErrors(url: string, field: string): FieldError[] {
  const parts = parseUrl(url);
  if (typeof parts === 'string') {
    return [requiredField(field, `url must be a valid URL: parse ${goQuote(url)}: ${parts}${form}`)];
  }
  const errors: FieldError[] = [];
  if (parts.scheme !== 'https') {
    errors.push(invalidField(field, parts.scheme, `'https' is the only allowed URL scheme${form}`));
  }
  if (parts.host === '') errors.push(invalidField(field, '', `host must be specified${form}`));
  if (parts.user !== undefined) {
    errors.push(invalidField(field, parts.user, 'user information is not permitted in the URL'));
  }
  if (parts.fragment !== '') errors.push(invalidField(field, parts.fragment, 'fragments are not permitted in the URL'));
  if (parts.query !== '') {
    errors.push(invalidField(field, parts.query, 'query parameters are not permitted in the URL'));
  }
  return errors;
}

function pathErrors(path: string, field: string): FieldError[] {
  if (path === '' || path === '/') return [];
  if (path === '//') return [invalidField(field, path, 'segment[0] may not be empty')];
  const errors = path.startsWith('/') ? [] : [invalidField(field, path, "must start with a '/'")];
  const segments = path.slice(1).replace(/\/$/, '').split('/');
  const problems = segments.flatMap((segment, index) => {
    if (segment === '') return [`segment[${index}] may not be empty`];
    return dns1123SubdomainProblems(segment).map((problem) => `segment[${index}]: ${problem}`);
  });
  return [...errors, ...problems.map((problem) => invalidField(field, path, problem))];
}

/** Errors of a webhook's `service`, whose port is already defaulted. */
export function webhookServiceErrors(service: JsonObject, path: string): FieldError[] {
  const errors = ['name', 'namespace']
    .filter((key) => textAt(service, key) === '')
    .map((key) => requiredField(`${path}.${key}`, `service ${key} is required`));
  const port = numberAt(service, 'port') ?? 0;
  if (port < 1 || port > 65_535) {
    errors.push(invalidField(`${path}.port`, port, 'port is not valid: must be between 1 and 65535, inclusive'));
  }
  const servicePath = valueAt(service, 'path');
  return typeof servicePath === 'string' ? [...errors, ...pathErrors(servicePath, `${path}.path`)] : errors;
}
