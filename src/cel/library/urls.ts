import { ArrayList, EntryMap, Failure, keyOf, noSuchOverload, Opaque, type Value } from '../values/value.ts';
import type { Implementations } from './declare.ts';

/** A URL, taken apart as Go does it. */
class Url extends Opaque {
  readonly typeName = 'kubernetes.URL';
  readonly text: string;
  readonly scheme: string;
  readonly host: string;
  readonly path: string;
  readonly query: string;

  constructor(text: string, parts: { scheme: string; host: string; path: string; query: string }) {
    super();
    this.text = text;
    this.scheme = parts.scheme;
    this.host = parts.host;
    this.path = parts.path;
    this.query = parts.query;
  }

  override get workSize(): number {
    return this.text.length;
  }

  get hostname(): string {
    return this.host.replace(/:\d*$/, '').replace(/^\[(.*)\]$/, '$1');
  }

  get port(): string {
    return /:(\d*)$/.exec(this.host)?.[1] ?? '';
  }

  equals(other: Opaque): boolean {
    return other instanceof Url && other.text === this.text;
  }
}

function hostProblem(host: string): string | undefined {
  if (host.startsWith('[')) {
    const end = host.lastIndexOf(']');
    if (end < 0) return "missing ']' in host";
    const port = host.slice(end + 1);
    return /^(?::\d*)?$/.test(port) ? undefined : `invalid port ${JSON.stringify(port)} after host`;
  }
  const colon = host.indexOf(':');
  const port = colon < 0 ? '' : host.slice(host.lastIndexOf(':'));
  if (colon >= 0 && (!/^:\d*$/.test(port) || colon !== host.lastIndexOf(':'))) {
    return `invalid port ${JSON.stringify(host.slice(host.lastIndexOf(':')))} after host`;
  }
  const bad = /[\s"<>\\^`{|}]/.exec(host)?.[0];
  return bad === undefined ? undefined : `invalid character ${JSON.stringify(bad)} in host name`;
}

function escapeProblem(text: string): string | undefined {
  const bad = /%(?![0-9a-fA-F]{2}).{0,2}/.exec(text)?.[0];
  return bad === undefined ? undefined : `invalid URL escape ${JSON.stringify(bad)}`;
}

// oxlint-disable-next-line no-control-regex -- URLs with control characters are refused
const control = /[\x00-\x1F\x7F]/;

function takeApart(text: string): Url | string {
  if (text === '') return 'empty url';
  if (control.test(text)) return 'net/url: invalid control character in URL';
  if (text.startsWith(':')) return 'missing protocol scheme';
  const scheme = /^([A-Za-z][A-Za-z0-9+.-]*):/.exec(text)?.[1] ?? '';
  const rest = scheme === '' ? text : text.slice(scheme.length + 1);
  const [before, query] = splitOnce(rest, '?');
  const parts = { scheme: scheme.toLowerCase(), host: '', path: '', query };
  if (before.startsWith('/')) return withHost(text, before, parts);
  return scheme === '' ? 'invalid URI for request' : new Url(text, parts);
}

type Parts = ConstructorParameters<typeof Url>[1];

function withHost(text: string, before: string, parts: Parts): Url | string {
  const hasHost = before.startsWith('//') && parts.scheme !== '';
  const [authority, path] = hasHost ? splitBefore(before.slice(2), '/') : ['', before];
  const host = authority.slice(authority.lastIndexOf('@') + 1);
  return hostProblem(host) ?? escapeProblem(host) ?? escapeProblem(path) ?? new Url(text, { ...parts, host, path });
}

function splitOnce(text: string, separator: string): readonly [string, string] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
}

function splitBefore(text: string, separator: string): readonly [string, string] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at)];
}

/** The problem of a URL, in the words of Go; undefined for a valid one. */
export function urlProblem(text: string): string | undefined {
  const url = takeApart(text);
  return typeof url === 'string' ? `parse ${JSON.stringify(text)}: ${url}` : undefined;
}

function parseUrl(text: string): Url | Failure {
  const url = takeApart(text);
  if (url instanceof Url) return url;
  return new Failure(`URL parse error during conversion from string: parse ${JSON.stringify(text)}: ${url}`);
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}

function queryOf(url: Url): Value {
  const values = new Map<string, Value[]>();
  for (const part of url.query.split('&').filter((text) => text !== '' && !text.includes(';'))) {
    const [name, value] = splitOnce(part, '=');
    const key = decode(name);
    const known = values.get(key);
    if (known === undefined) values.set(key, [decode(value)]);
    else known.push(decode(value));
  }
  return new EntryMap(new Map([...values].map(([key, list]) => [keyOf(key) ?? '', [key, new ArrayList(list)]])));
}

/** The path as it stands in the URL, with what needs it escaped. */
function escapedPath(path: string): string {
  return path.replaceAll(/[^A-Za-z0-9\-_.~$&+,/:;=@!'()*%[\]]/gu, (character) => encodeURIComponent(character));
}

function onUrl(compute: (url: Url) => Value) {
  return ([url = null]: readonly Value[]): Value => (url instanceof Url ? compute(url) : noSuchOverload(url));
}

/** Functions on URLs. */
export const urlFunctions: Implementations = {
  string_to_url: ([text = null]) => (typeof text === 'string' ? parseUrl(text) : noSuchOverload(text)),
  isURL: ([text = null]) => (typeof text === 'string' ? urlProblem(text) === undefined : noSuchOverload(text)),
  getScheme: onUrl((url) => url.scheme),
  getHost: onUrl((url) => url.host),
  getHostname: onUrl((url) => url.hostname),
  getPort: onUrl((url) => url.port),
  getEscapedPath: onUrl((url) => escapedPath(url.path)),
  getQuery: onUrl(queryOf),
};
