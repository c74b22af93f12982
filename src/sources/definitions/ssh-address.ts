import { isIPv6 } from 'node:net';
import { redactUrl, TerminalError } from '../../base/index.ts';

/** A repository that is reached over SSH. */
export interface SshRemote {
  /** For messages; holds no password. */
  readonly address: string;
  readonly user: string;
  /** Never begins with a dash, as the user does not. */
  readonly host: string;
  readonly port: number | undefined;
  readonly path: string;
}

const userPattern = /^[A-Za-z0-9_][A-Za-z0-9._-]*$/;
const hostPattern = /^[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?$/;
const defaultUser = 'git';

function refuse(address: string, problem: string): never {
  throw new TerminalError('InvalidSource', `bundle unpack git clone error: repository "${address}" ${problem}`);
}

function assertPath(address: string, path: string): void {
  // oxlint-disable-next-line no-control-regex -- control characters are what it looks for
  if (path === '' || path === '/' || /^[-:]/.test(path) || /[\0-\x1f\x7f]/.test(path)) {
    refuse(address, 'has no usable path: expected the path of a repository after the host');
  }
}

/** Without `%XX`; nothing where that makes no text. */
function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
}

function parseUrl(address: string): SshRemote {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  const shown = redactUrl(address);
  if (url === undefined) return refuse(shown, 'is not an address');
  if (url.password !== '') refuse(shown, 'holds a password: git over SSH proves itself by a key');
  const user = url.username === '' ? defaultUser : unescaped(url.username);
  const bare = url.hostname.replace(/^\[|\]$/g, '');
  if (!userPattern.test(user)) refuse(shown, 'has a user that SSH does not accept');
  if (!hostPattern.test(bare) && !isIPv6(bare)) refuse(shown, 'has no usable host');
  const path = unescaped(url.pathname);
  assertPath(shown, path);
  const port = url.port === '' ? undefined : Number(url.port);
  return {
    address: `ssh://${user}@${url.host}${url.pathname}`,
    user,
    host: bare,
    port,
    // As git has it: /~user/ is a folder of that user.
    path: path.replace(/^\/~/, '~'),
  };
}

/** Reads `ssh://[user@]host[:port]/path` and `[user@]host:path`; the user is `git` where none is named. Undefined for other addresses.
 *  @throws TerminalError InvalidSource for an SSH address that cannot be used */
export function parseSshRemote(address: string): SshRemote | undefined {
  if (/^(git\+)?ssh:\/\//i.test(address)) return parseUrl(address.replace(/^git\+/i, ''));
  if (address.includes('://')) return undefined;
  const match = /^(?:([^@:/]*)@)?([^@:/]+):(.*)$/s.exec(address);
  if (match === null) return undefined;
  const [, user = defaultUser, host = '', path = ''] = match;
  if (!userPattern.test(user)) refuse(address, 'has a user that SSH does not accept');
  if (!hostPattern.test(host)) refuse(address, 'has no usable host');
  assertPath(address, path);
  return { address: `${user}@${host}:${path}`, user, host, port: undefined, path };
}
