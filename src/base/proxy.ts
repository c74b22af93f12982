import { BlockList, isIP } from 'node:net';
import { isLocalAddress } from './addresses.ts';
import { TerminalError } from './errors.ts';
import { redactUrl } from './redact.ts';

/** The proxies of a process, as `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY` name them. */
export interface ProxySettings {
  readonly http: string | undefined;
  readonly https: string | undefined;
  readonly exceptions: readonly string[];
}

export const noProxies: ProxySettings = { http: undefined, https: undefined, exceptions: [] };

/** Whether the name and the password in an address can be read: in them "%25" stands for a percent sign. */
export function hasReadableLogin({ username, password }: URL): boolean {
  try {
    decodeURIComponent(username + password);
    return true;
  } catch {
    return false;
  }
}

function proxyUrl(name: string, text: string | undefined): string | undefined {
  if (text === undefined || text.trim() === '') return undefined;
  const full = /^[a-z][a-z\d+.-]*:\/\//i.test(text.trim()) ? text.trim() : `http://${text.trim()}`;
  const url = URL.parse(full);
  if (url !== null && /^https?:$/.test(url.protocol) && hasReadableLogin(url)) return full;
  throw new TerminalError(
    'InvalidOption',
    `${name} ${redactUrl(full)}: expected http://HOST:PORT or https://HOST:PORT, with "%25" for a percent sign in a password`,
  );
}

/** Reads the variables in either case; lower case comes first, as with other programs.
 *  @throws TerminalError InvalidOption */
export function readProxySettings(environment: Readonly<Record<string, string | undefined>>): ProxySettings {
  const read = (name: string): string | undefined => environment[name.toLowerCase()] ?? environment[name];
  return {
    http: proxyUrl('HTTP_PROXY', read('HTTP_PROXY')),
    https: proxyUrl('HTTPS_PROXY', read('HTTPS_PROXY')),
    exceptions: (read('NO_PROXY') ?? '')
      .split(/[\s,]+/)
      .map((entry) => entry.trim().toLowerCase())
      .filter((entry) => entry !== ''),
  };
}

function isInNetwork(address: string, network: string): boolean {
  const [base = '', bits = ''] = network.split('/');
  const family = isIP(address);
  const prefix = Number(bits);
  if (isIP(base) !== family || !/^\d+$/.test(bits) || prefix > (family === 6 ? 128 : 32)) return false;
  const type = family === 6 ? 'ipv6' : 'ipv4';
  const list = new BlockList();
  list.addSubnet(base, prefix, type);
  return list.check(address, type);
}

function isBelow(host: string, domain: string): boolean {
  if (domain.startsWith('.')) return host.endsWith(domain);
  return host === domain || (isIP(host) === 0 && host.endsWith(`.${domain}`));
}

/** Whether an entry of `NO_PROXY` names a host: `*`, an address, a network `10.0.0.0/8`, `example.com` with all hosts below it, `.example.com` or
 *  `*.example.com` for those alone, each perhaps with a port. */
function names(entry: string, host: string, port: string): boolean {
  if (entry === '*' || entry === host) return true;
  if (isIP(host) !== 0 && entry.includes('/')) return isInNetwork(host, entry);
  const [, name = '', entryPort = port] = /^(.*?)(?::(\d+))?$/.exec(entry) ?? [];
  return entryPort === port && isBelow(host, name.replace(/^\*(?=\.)/, '').replace(/^\[|\]$/g, ''));
}

/** The proxy for an address; undefined for a direct connection. This machine is never reached through a proxy. */
export function proxyFor(url: URL, { http, https, exceptions }: ProxySettings): string | undefined {
  const proxy = url.protocol === 'https:' ? https : http;
  if (proxy === undefined) return undefined;
  const host = url.hostname.replace(/^\[|\]$/g, '').toLowerCase();
  if (host === 'localhost' || isLocalAddress(host)) return undefined;
  const port = url.port || (url.protocol === 'https:' ? '443' : '80');
  return exceptions.some((entry) => names(entry, host, port)) ? undefined : proxy;
}
