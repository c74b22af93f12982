import { isJsonObject, type JsonObject, type JsonValue, parseYaml } from '../base/index.ts';
import { type AddressRule, readAddressRule } from './address-rule.ts';
import { PolicyReader } from './policy-reader.ts';
import { plainRegistry } from './registry-name.ts';
import type { Signer, SigstoreSigner } from './signer.ts';
import { trustedRootProblem } from './trusted-root.ts';

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
  /** The first that fits the address of a source of type http holds. */
  readonly addressRules: readonly AddressRule[];
  /** Content that is not an image, and that no rule fits: git, http, configMaps, upload. */
  readonly allowsOtherSources: boolean;
}

const maxPatternLength = 512;

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
function readPattern(reader: PolicyReader, field: string, value: JsonValue): string {
  const pattern = reader.text(field, value);
  if (pattern.length > maxPatternLength) reader.refuse(field, `at most ${maxPatternLength} characters`, pattern);
  const [registry = '', ...path] = pattern.split('/');
  const parts = [plainRegistry(registry), ...path];
  const problem = patternProblems.find(({ isWrong }) => isWrong(parts));
  return problem === undefined ? parts.join('/') : reader.refuse(field, problem.expected, pattern);
}

function readTrustedRoot(reader: PolicyReader, field: string, value: JsonValue): JsonObject {
  const root = typeof value === 'string' ? parseYaml(field, value) : value;
  if (!isJsonObject(root)) return reader.refuse(field, 'the content of a trusted_root.json', value);
  const problem = trustedRootProblem(root);
  return problem === undefined ? root : reader.refuse(field, `a trusted root with ${problem}`, undefined);
}

function readKeyless(reader: PolicyReader, field: string, { keyless, rekorKey }: JsonObject): SigstoreSigner {
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

const signerReaders: Readonly<Record<string, (reader: PolicyReader, field: string, signer: JsonObject) => Signer>> = {
  key: (reader, field, { key, rekorKey }) => ({
    kind: 'key',
    key: reader.key(`${field}.key`, key),
    rekorKey: rekorKey === undefined ? undefined : reader.key(`${field}.rekorKey`, rekorKey),
  }),
  keyless: readKeyless,
  openpgp: (reader, field, { openpgp, rekorKey }) => {
    if (rekorKey !== undefined) reader.refuse(field, 'no rekorKey beside openpgp', 'rekorKey');
    return { kind: 'openpgp', keys: reader.armoredKeys(`${field}.openpgp`, openpgp) };
  },
};
const signerKinds = Object.keys(signerReaders);

function readSigner(reader: PolicyReader, field: string, value: JsonValue): Signer {
  const signer = reader.object(field, value, [...signerKinds, 'rekorKey']);
  const [kind = '', ...others] = signerKinds.filter((name) => signer[name] !== undefined);
  const read = others.length === 0 ? signerReaders[kind] : undefined;
  return read === undefined
    ? reader.refuse(field, 'key, keyless or openpgp', Object.keys(signer).join(', '))
    : read(reader, field, signer);
}

/** Empty only when the field is absent: an empty list would allow everything. */
function readSigners(reader: PolicyReader, field: string, value: JsonValue | undefined): readonly Signer[] {
  if (value === undefined) return [];
  const signers = reader.list(field, value);
  if (signers.length === 0) reader.refuse(field, 'at least one signer, or no list of signers', value);
  return signers.map((signer, index) => readSigner(reader, `${field}[${index}]`, signer));
}

function readImageRule(reader: PolicyReader, field: string, value: JsonValue): ImageRule {
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

/** Content of web servers is signed by the provenance of a chart only. */
function readAddresses(reader: PolicyReader, field: string, value: JsonValue): AddressRule {
  const rule = reader.object(field, value, ['addresses', 'deny', 'signedBy']);
  const signedBy = readSigners(reader, `${field}.signedBy`, rule['signedBy']).map((signer, index) =>
    signer.kind === 'openpgp' ? signer : reader.refuse(`${field}.signedBy[${index}]`, 'openpgp', signer.kind),
  );
  return readAddressRule(reader, field, { rule, signedBy });
}

function hasAddresses(rule: JsonValue): boolean {
  return isJsonObject(rule) && Object.hasOwn(rule, 'addresses');
}

/** Reads the text of a policy; `file` is for messages.
 *  @throws TerminalError InvalidYaml, InvalidImagePolicy, naming the field, what was expected and what was found */
export function parseImagePolicy(file: string, text: string): ImagePolicy {
  const reader = new PolicyReader(file);
  const policy = reader.object('policy', parseYaml(file, text), ['default', 'otherSources', 'rules']);
  const all = reader.list('rules', policy['rules']).map((rule, index) => ({ rule, field: `rules[${index}]` }));
  return {
    rules: all.flatMap(({ rule, field }) => (hasAddresses(rule) ? [] : [readImageRule(reader, field, rule)])),
    addressRules: all.flatMap(({ rule, field }) => (hasAddresses(rule) ? [readAddresses(reader, field, rule)] : [])),
    isOpen: reader.choice('default', policy['default'], 'deny'),
    allowsOtherSources: reader.choice('otherSources', policy['otherSources'], 'allow'),
  };
}
