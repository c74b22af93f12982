const invalid = 'invalid reference format';
const hostPart = '(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])';
const host = new RegExp(`^(?:${hostPart}(?:\\.${hostPart})*|\\[[a-fA-F0-9:]+\\])(?::[0-9]+)?$`);
const pathPart = /^[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*$/;
const tagForm = /^\w[\w.-]{0,127}$/;
const digestForm = /^[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}$/;
const supportedDigest = /^[a-z0-9]+(?:[.+_-][a-z0-9]+)*:[a-zA-Z0-9=_-]+$/;
const digestLengths: ReadonlyMap<string, number> = new Map([
  ['sha256', 64],
  ['sha384', 96],
  ['sha512', 128],
]);
const maxReferenceCharacters = 4_096;
const maxNameCharacters = 255;

/** Host and path; what names no host is on Docker Hub. */
function splitHost(text: string): readonly [string, string] {
  const slash = text.indexOf('/');
  const first = text.slice(0, Math.max(slash, 0));
  const isHost = slash >= 0 && (/[.:]/.test(first) || first === 'localhost' || first !== first.toLowerCase());
  const [domain, rest] = isHost ? [first, text.slice(slash + 1)] : ['docker.io', text];
  const isHub = domain === 'docker.io' || domain === 'index.docker.io';
  return [isHub ? 'docker.io' : domain, isHub && !rest.includes('/') ? `library/${rest}` : rest];
}

function digestFault(digest: string): string | undefined {
  const [algorithm = '', encoded = ''] = digest.split(':');
  const length = digestLengths.get(algorithm);
  if (length === undefined)
    return supportedDigest.test(digest) ? 'unsupported digest algorithm' : 'invalid checksum digest format';
  if (encoded.length !== length) return 'invalid checksum digest length';
  return /^[a-f0-9]+$/.test(encoded) ? undefined : 'invalid checksum digest format';
}

interface Parts {
  readonly repository: string;
  readonly tag: string;
  readonly digest: string | undefined;
}

/** Undefined when there are too many. */
function partsOf(path: string): Parts | undefined {
  const [named = '', digest, ...more] = path.split('@');
  const colon = named.indexOf(':');
  if (more.length > 0) return undefined;
  if (colon < 0) return { repository: named, tag: 'latest', digest };
  return { repository: named.slice(0, colon), tag: named.slice(colon + 1), digest };
}

function isWellFormed({ repository, tag, digest }: Parts): boolean {
  const isNamed = repository.split('/').every((part) => pathPart.test(part));
  return isNamed && tagForm.test(tag) && (digest === undefined || digestForm.test(digest));
}

function partsFault(domain: string, path: string): string | undefined {
  const parts = partsOf(path);
  if (parts === undefined || !host.test(domain) || !isWellFormed(parts)) return invalid;
  if (domain.length + parts.repository.length + 1 > maxNameCharacters) {
    return `repository name must not be more than ${maxNameCharacters} characters`;
  }
  return parts.digest === undefined ? undefined : digestFault(parts.digest);
}

/** Why a text refers to no image, in the words of container tools.
 *  @see docs/spec/catalogs.md#s15 */
export function pullSpecFault(text: string): string | undefined {
  if (/^[a-f0-9]{64}$/.test(text)) {
    return `invalid repository name (${text}), cannot specify 64-byte hexadecimal strings`;
  }
  if (text.length > maxReferenceCharacters) return invalid;
  const [domain, path] = splitHost(text);
  const colon = path.indexOf(':');
  const remote = colon < 0 ? path : path.slice(0, colon);
  if (remote !== remote.toLowerCase()) return `${invalid}: repository name must be lowercase`;
  return partsFault(domain, path);
}
