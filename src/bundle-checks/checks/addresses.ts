const maxAddressCharacters = 1000;
const atom = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~\\-\\u0080-\\uffff]+";
const dotAtom = `${atom}(?:\\.${atom})*`;
const spec = new RegExp(`^(?:${dotAtom}|"(?:[^"\\\\]|\\\\.)*")@(?:${dotAtom}|\\[[^\\[\\]\\s]*\\])`, 'u');
const phrase = new RegExp(`^(?:(?:${atom}|"(?:[^"\\\\]|\\\\.)*"|\\.)\\s*)*`, 'u');

function afterAddress(rest: string): string | undefined {
  const bare = rest.replace(/^\s*\([^()]*\)/, '').trim();
  return bare === '' ? undefined : `expected single address, got ${JSON.stringify(bare)}`;
}

function angleProblem(text: string): string | undefined {
  const found = spec.exec(text)?.[0];
  if (found === undefined) return 'no angle-addr';
  const rest = text.slice(found.length);
  return rest.startsWith('>') ? afterAddress(rest.slice(1)) : 'unclosed angle-addr';
}

/** What is wrong with one address, `name@example.com` or `Name <name@example.com>`, as Go's net/mail words it; undefined for a good one.
 *  @see RFC 5322, section 3.4 */
export function mailAddressProblem(text: string): string | undefined {
  if (text.length > maxAddressCharacters) return `longer than ${maxAddressCharacters} characters`;
  const bare = text.trim();
  if (bare === '') return 'no address';
  const found = spec.exec(bare)?.[0];
  if (found !== undefined) return afterAddress(bare.slice(found.length));
  const name = phrase.exec(bare)?.[0] ?? '';
  const rest = bare.slice(name.length);
  if (rest.startsWith('<')) return angleProblem(rest.slice(1));
  return /\s/.test(name.trim()) ? 'no angle-addr' : "missing '@' or angle-addr";
}

function hostProblem(authority: string): string | undefined {
  const host = authority.slice(authority.lastIndexOf('@') + 1);
  const port = /^(?:\[[^\]]*\]|[^:]*)(:.*)?$/.exec(host)?.[1] ?? '';
  if (!/^(?::[0-9]*)?$/.test(port)) return `invalid port ${JSON.stringify(port)} after host`;
  const bad = /[ "<>\\^`{|}]/.exec(host)?.[0];
  return bad === undefined ? undefined : `invalid character ${JSON.stringify(bad)} in host name`;
}

/** What follows `scheme:`, or all of the text. */
function restProblem(rest: string, hasScheme: boolean): string | undefined {
  if (!rest.startsWith('/')) return hasScheme ? undefined : 'invalid URI for request';
  const [path = ''] = rest.split('?', 1);
  const escape = /%(?![0-9A-Fa-f]{2}).{0,2}/.exec(path)?.[0];
  if (escape !== undefined) return `invalid URL escape ${JSON.stringify(escape)}`;
  if (!hasScheme || !rest.startsWith('//')) return undefined;
  const [authority = ''] = rest.slice(2).split(/[/?#]/, 1);
  return hostProblem(authority);
}

/** What keeps a text from being an absolute address or a path from the root, as Go's net/url words it; undefined for a good one. */
export function requestUriProblem(text: string): string | undefined {
  if (/[^\P{Cc}\u0080-\u009f]/u.test(text)) return 'net/url: invalid control character in URL';
  if (text.startsWith(':')) return 'missing protocol scheme';
  const [scheme = ''] = /^[A-Za-z][A-Za-z0-9+.-]*:/.exec(text) ?? [];
  return restProblem(text.slice(scheme.length), scheme !== '');
}
