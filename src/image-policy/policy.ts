import { createPublicKey, X509Certificate } from 'node:crypto';
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  parseYaml,
  splitCertificates,
  TerminalError,
} from '../base/index.ts';
import { plainRegistry } from './registry-name.ts';
import { trustedRootProblem } from './trusted-root.ts';

/** A trusted signer: a key, or an identity to which an authority issued a short-lived certificate (keyless). */
export type Signer =
  | {
      readonly kind: 'key';
      /** PEM: ECDSA, RSA or Ed25519. */
      readonly key: string;
      /** PEM; the signature must be in the transparency log of this key. */
      readonly rekorKey: string | undefined;
    }
  | {
      readonly kind: 'keyless';
      /** The OIDC issuer: `https://accounts.google.com`. */
      readonly issuer: string;
      /** The identity: a mail address or a URL; `*` matches any text. */
      readonly subject: string;
      /** PEM of the authorities, with their intermediates. */
      readonly roots: string;
      /** PEM; the log records when the certificate was used. */
      readonly rekorKey: string;
      /** PEM of the certificate transparency log; with it, certificates need a timestamp (SCT) of that log. */
      readonly ctlogKey?: string | undefined;
    }
  | {
      readonly kind: 'trustedRoot';
      readonly issuer: string;
      readonly subject: string;
      /** Authorities, logs and timestamp authorities, as in Sigstore's `trusted_root.json`. */
      readonly trustedRoot: JsonObject;
    };

/** What holds for images. */
export interface ImageRule {
  /** `registry/repository`; `*` matches anything between two slashes, `**` at the end anything below. */
  readonly images: readonly string[];
  readonly isDenied: boolean;
  readonly needsDigest: boolean;
  /** One of them must have signed; empty: no signature is required. */
  readonly signedBy: readonly Signer[];
}

/** Which images may be used. Plain data. */
export interface ImagePolicy {
  /** The first that fits an image holds. */
  readonly rules: readonly ImageRule[];
  /** Images that no rule fits. */
  readonly isOpen: boolean;
  /** Content that is not an image: git, http, configMaps, upload. */
  readonly allowsOtherSources: boolean;
}

const maxRules = 1000;
const maxPatternLength = 512;

/** What is in the place of a public key, without showing it; undefined for a key that can be used. */
function describeKey(text: string): string | undefined {
  if (text.includes('PRIVATE KEY')) return 'a private key, which must stay with its owner';
  try {
    const { asymmetricKeyType: type = '' } = createPublicKey(text);
    return ['ec', 'rsa', 'ed25519'].includes(type) ? undefined : `a key of the type "${type}"`;
  } catch {
    return 'something else';
  }
}

class Reader {
  readonly #file: string;

  constructor(file: string) {
    this.#file = file;
  }

  refuse(field: string, expected: string, found: JsonValue | undefined): never {
    const shown = found === undefined ? 'nothing' : JSON.stringify(found).slice(0, 100);
    throw new TerminalError('InvalidImagePolicy', `${this.#file}: ${field}: expected ${expected}, found ${shown}`);
  }

  object(field: string, value: JsonValue | undefined, members: readonly string[]): JsonObject {
    if (!isJsonObject(value)) return this.refuse(field, 'a mapping', value);
    const other = Object.keys(value).find((key) => !members.includes(key));
    if (other !== undefined) this.refuse(field, `members among ${members.join(', ')}`, other);
    return value;
  }

  list(field: string, value: JsonValue | undefined): readonly JsonValue[] {
    if (value === undefined || value === null) return [];
    if (Array.isArray(value) && value.length <= maxRules) return value;
    return this.refuse(field, `a list of at most ${maxRules} entries`, value);
  }

  text(field: string, value: JsonValue | undefined): string {
    return typeof value === 'string' && value !== '' ? value : this.refuse(field, 'a text', value);
  }

  flag(field: string, value: JsonValue | undefined): boolean {
    if (value === undefined) return false;
    return typeof value === 'boolean' ? value : this.refuse(field, 'true or false', value);
  }

  choice(field: string, value: JsonValue | undefined, whenAbsent: 'allow' | 'deny'): boolean {
    if (value === undefined) return whenAbsent === 'allow';
    return value === 'allow' || value === 'deny' ? value === 'allow' : this.refuse(field, 'allow or deny', value);
  }

  key(field: string, value: JsonValue | undefined): string {
    const text = this.text(field, value);
    const found = describeKey(text);
    if (found === undefined) return text;
    throw new TerminalError(
      'InvalidImagePolicy',
      `${this.#file}: ${field}: expected a public key in PEM (ECDSA, RSA or Ed25519), found ${found}`,
    );
  }

  certificates(field: string, value: JsonValue | undefined): string {
    const text = this.text(field, value);
    const all = splitCertificates(text);
    try {
      if (all.length > 0 && all.every((pem) => new X509Certificate(pem).ca)) return text;
    } catch {
      // Reported below.
    }
    return this.refuse(field, 'certificates of authorities in PEM', undefined);
  }
}

const patternProblems: readonly {
  readonly isWrong: (parts: readonly string[]) => boolean;
  readonly expected: string;
}[] = [
  {
    isWrong: (parts) => parts.length < 2 || parts.some((part) => !/^[^@\s]+$/.test(part)),
    expected: 'registry/repository without tag or digest, perhaps with * or, at the end, **',
  },
  {
    isWrong: (parts) => parts.slice(1).some((part) => part.includes(':')),
    expected: 'registry/repository without tag or digest: a rule applies to all of them',
  },
  {
    // As in references: what cannot be a host is a repository of Docker Hub.
    isWrong: ([registry = '']) => registry !== 'localhost' && !/[.:*]/.test(registry),
    expected: 'a registry first, such as docker.io/library/nginx for nginx',
  },
  {
    isWrong: ([registry, ...path]) =>
      registry === 'index.docker.io' || (registry === 'docker.io' && path.length < 2 && path[0] !== '**'),
    expected: 'the full name on Docker Hub, docker.io/library/nginx for nginx: rules match full names',
  },
  {
    isWrong: ([, ...path]) =>
      path.slice(0, -1).some((part) => part.includes('**')) || /.\*\*|\*\*./.test(path.at(-1) ?? ''),
    expected: '** only as the last part',
  },
  {
    isWrong: ([, ...path]) => path.some((part) => part !== part.toLowerCase()),
    expected: 'a repository in lower case',
  },
];

/** A pattern that could never fit is a mistake, and one that keeps a rule from holding. */
function readPattern(reader: Reader, field: string, value: JsonValue): string {
  const pattern = reader.text(field, value);
  if (pattern.length > maxPatternLength) reader.refuse(field, `at most ${maxPatternLength} characters`, pattern);
  const [registry = '', ...path] = pattern.split('/');
  const parts = [plainRegistry(registry), ...path];
  const problem = patternProblems.find(({ isWrong }) => isWrong(parts));
  return problem === undefined ? parts.join('/') : reader.refuse(field, problem.expected, pattern);
}

function readTrustedRoot(reader: Reader, field: string, value: JsonValue): JsonObject {
  const root = typeof value === 'string' ? parseYaml(field, value) : value;
  if (!isJsonObject(root)) return reader.refuse(field, 'the content of a trusted_root.json', value);
  const problem = trustedRootProblem(root);
  return problem === undefined ? root : reader.refuse(field, `a trusted root with ${problem}`, undefined);
}

function readKeyless(reader: Reader, field: string, { keyless, rekorKey }: JsonObject): Signer {
  const members = ['issuer', 'subject', 'roots', 'ctlogKey', 'trustedRoot'];
  const { roots, ctlogKey, trustedRoot, ...who } = reader.object(`${field}.keyless`, keyless, members);
  const issuer = reader.text(`${field}.keyless.issuer`, who['issuer']);
  const subject = reader.text(`${field}.keyless.subject`, who['subject']);
  if (trustedRoot !== undefined) {
    const others = Object.entries({ roots, ctlogKey, rekorKey }).filter(([, value]) => value !== undefined);
    if (others.length > 0) reader.refuse(field, 'trustedRoot alone, which contains the rest', others[0]?.[0]);
    const root = readTrustedRoot(reader, `${field}.keyless.trustedRoot`, trustedRoot);
    return { kind: 'trustedRoot', issuer, subject, trustedRoot: root };
  }
  return {
    kind: 'keyless',
    issuer,
    subject,
    roots: reader.certificates(`${field}.keyless.roots`, roots),
    rekorKey: reader.key(`${field}.rekorKey`, rekorKey),
    ctlogKey: ctlogKey === undefined ? undefined : reader.key(`${field}.keyless.ctlogKey`, ctlogKey),
  };
}

function readSigner(reader: Reader, field: string, value: JsonValue): Signer {
  const signer = reader.object(field, value, ['key', 'keyless', 'rekorKey']);
  const { key, keyless, rekorKey } = signer;
  if (key !== undefined && keyless === undefined) {
    const log = rekorKey === undefined ? undefined : reader.key(`${field}.rekorKey`, rekorKey);
    return { kind: 'key', key: reader.key(`${field}.key`, key), rekorKey: log };
  }
  if (keyless === undefined || key !== undefined)
    reader.refuse(field, 'key or keyless', Object.keys(signer).join(', '));
  return readKeyless(reader, field, signer);
}

/** Empty only when the field is absent: an empty list would allow everything. */
function readSigners(reader: Reader, field: string, value: JsonValue | undefined): readonly Signer[] {
  if (value === undefined) return [];
  const signers = reader.list(field, value);
  if (signers.length === 0) reader.refuse(field, 'at least one signer, or no list of signers', value);
  return signers.map((signer, index) => readSigner(reader, `${field}[${index}]`, signer));
}

function readRule(reader: Reader, field: string, value: JsonValue): ImageRule {
  const rule = reader.object(field, value, ['images', 'deny', 'requireDigest', 'signedBy']);
  const images = reader
    .list(`${field}.images`, rule['images'])
    .map((pattern, index) => readPattern(reader, `${field}.images[${index}]`, pattern));
  if (images.length === 0) reader.refuse(`${field}.images`, 'at least one image', rule['images']);
  return {
    images,
    isDenied: reader.flag(`${field}.deny`, rule['deny']),
    needsDigest: reader.flag(`${field}.requireDigest`, rule['requireDigest']),
    signedBy: readSigners(reader, `${field}.signedBy`, rule['signedBy']),
  };
}

/** Reads the text of a policy; `file` is for messages.
 *  @throws TerminalError InvalidYaml, InvalidImagePolicy, naming the field, what was expected and what was found */
export function parseImagePolicy(file: string, text: string): ImagePolicy {
  const reader = new Reader(file);
  const policy = reader.object('policy', parseYaml(file, text), ['default', 'otherSources', 'rules']);
  return {
    rules: reader.list('rules', policy['rules']).map((rule, index) => readRule(reader, `rules[${index}]`, rule)),
    isOpen: reader.choice('default', policy['default'], 'deny'),
    allowsOtherSources: reader.choice('otherSources', policy['otherSources'], 'allow'),
  };
}
