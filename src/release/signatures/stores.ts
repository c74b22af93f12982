import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { errorMessage, type JsonObject, objectAt, redactUrl, textAt } from '../../base/index.ts';
import { maxSignatureBytes } from '../../openpgp/index.ts';
import { type HttpClient, type HttpRequest, readBody } from '../../sources/index.ts';

/** A signature that was found, or why one could not be read. */
export type SignatureCandidate = { readonly bytes: Buffer } | { readonly problem: string };

/** Where signatures are found. */
export interface SignatureStore {
  /** As messages name it. */
  readonly name: string;
  /** Signatures that may be about the image of that digest, which has the form `algorithm:hash`. */
  readonly search: (digest: string, signal: AbortSignal) => AsyncIterable<SignatureCandidate>;
}

/** A ConfigMap of a cluster. */
export type SignatureConfigMap = JsonObject;

/** Of one store that counts its signatures. */
const maxNumber = 9;
/** Of all ConfigMaps together. */
const maxInConfigMaps = 100;
const exhausted = 'no more signatures to check';
/** Of ConfigMaps with signatures. */
export const signaturesLabel = 'release.openshift.io/verification-signatures';

const prefixOf = (digest: string, separator: '=' | '-'): string => digest.replace(':', separator);

type Reading = (number: number, signal: AbortSignal) => Promise<Buffer | undefined>;

/** Signatures with numbers, until one does not exist. */
async function* numbered(
  read: Reading,
  nameOf: (number: number) => string,
  signal: AbortSignal,
): AsyncGenerator<SignatureCandidate> {
  for (let number = 1; number <= maxNumber; number += 1) {
    signal.throwIfAborted();
    const lead = `unable to retrieve signature from ${nameOf(number)}`;
    let bytes: Buffer | undefined;
    try {
      bytes = await read(number, signal);
    } catch (thrown) {
      signal.throwIfAborted();
      yield { problem: `${lead}: ${errorMessage(thrown)}` };
      continue;
    }
    if (bytes === undefined) {
      yield { problem: `${lead}: ${exhausted}` };
      return;
    }
    if (bytes.length > 0) yield { bytes };
  }
}

async function readFileAt(path: string): Promise<Buffer | undefined> {
  try {
    // Opening a pipe would wait for its writer.
    await using file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    if (!(await file.stat()).isFile()) throw new Error('expected a file');
    const { bytesRead, buffer } = await file.read(Buffer.alloc(maxSignatureBytes + 1), 0, maxSignatureBytes + 1, 0);
    if (bytesRead > maxSignatureBytes) throw new Error(`more than the limit of ${maxSignatureBytes} bytes`);
    return buffer.subarray(0, bytesRead);
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw thrown;
  }
}

/** Files `ALGORITHM=HASH/signature-1`, `-2`, … in a folder. */
function fileStore(folder: string): SignatureStore {
  return {
    name: `file://${folder}`,
    search: (digest, signal) => {
      const pathOf = (number: number): string => join(folder, prefixOf(digest, '='), `signature-${number}`);
      return numbered((number) => readFileAt(pathOf(number)), pathOf, signal);
    },
  };
}

/** `BASE/ALGORITHM=HASH/signature-1`, `-2`, … of a web server. */
function httpStore(base: string, http: HttpClient): SignatureStore {
  const root = new URL(base);
  const urlOf = (digest: string, number: number): string => {
    const url = new URL(root);
    url.pathname = `${url.pathname.replace(/\/+$/, '')}/${prefixOf(digest, '=')}/signature-${number}`;
    return url.href;
  };
  const read = async (url: string, signal: AbortSignal): Promise<Buffer | undefined> => {
    const request: HttpRequest = { method: 'GET', url, signal };
    const response = await http.send(request);
    const isThere = response.status >= 200 && response.status < 300;
    if (isThere) return await readBody(request, response, maxSignatureBytes);
    response.body.destroy();
    if (response.status === 404) return undefined;
    throw new Error(`response status ${response.status}`);
  };
  return {
    name: `containers/image signature store under ${redactUrl(root.href)}`,
    search: (digest, signal) =>
      numbered(
        (number) => read(urlOf(digest, number), signal),
        (number) => redactUrl(urlOf(digest, number)),
        signal,
      ),
  };
}

async function* inConfigMaps(
  read: (signal: AbortSignal) => Promise<readonly SignatureConfigMap[]>,
  digest: string,
  signal: AbortSignal,
): AsyncGenerator<SignatureCandidate> {
  const prefix = prefixOf(digest, '-');
  let count = 0;
  for (const configMap of await read(signal)) {
    const name = textAt(objectAt(configMap, 'metadata'), 'name');
    const data = Object.entries(objectAt(configMap, 'binaryData') ?? {});
    for (const [key, value] of data
      .filter(([found]) => found.startsWith(prefix))
      .toSorted(([a], [b]) => (a < b ? -1 : 1))) {
      count += 1;
      if (count > maxInConfigMaps) {
        yield { problem: `config map ${name}: more than ${maxInConfigMaps} signatures of ${digest}` };
        return;
      }
      if (typeof value === 'string' && value.length <= 2 * maxSignatureBytes)
        yield { bytes: Buffer.from(value, 'base64') };
      else yield { problem: `key ${key} in config map ${name}: more than the limit of ${maxSignatureBytes} bytes` };
    }
    yield { problem: `prefix ${prefix} in config map ${name}: ${exhausted}` };
  }
}

/** Signatures in `binaryData` of ConfigMaps, under keys that begin with `ALGORITHM-HASH`. `read` lists those with the label
 *  `release.openshift.io/verification-signatures`; `place` is where, for messages. */
export function configMapStore(
  place: string,
  read: (signal: AbortSignal) => Promise<readonly SignatureConfigMap[]>,
): SignatureStore {
  return {
    name: `config maps in ${place} with label "${signaturesLabel}"`,
    search: (digest, signal) => inConfigMaps(read, digest, signal),
  };
}

const namesOf = (stores: readonly SignatureStore[]): string =>
  stores.length === 0 ? 'no stores' : stores.map(({ name }) => name).join(', ');

async function* oneAfterAnother(
  stores: readonly SignatureStore[],
  digest: string,
  signal: AbortSignal,
): AsyncGenerator<SignatureCandidate> {
  for (const store of stores) {
    try {
      yield* store.search(digest, signal);
    } catch (thrown) {
      signal.throwIfAborted();
      yield { problem: `${store.name}: ${errorMessage(thrown)}` };
    }
  }
}

/** Each store when those before it have nothing more. */
export function serialStore(stores: readonly SignatureStore[]): SignatureStore {
  const name = `serial signature store wrapping ${namesOf(stores)}`;
  return { name, search: (digest, signal) => oneAfterAnother(stores, digest, signal) };
}

async function* atOnce(
  stores: readonly SignatureStore[],
  name: string,
  search: { readonly digest: string; readonly signal: AbortSignal },
): AsyncGenerator<SignatureCandidate> {
  const stop = new AbortController();
  const signal = AbortSignal.any([search.signal, stop.signal]);
  const advance = async (from: AsyncGenerator<SignatureCandidate>): Promise<Step> => ({
    from,
    result: await from.next(),
  });
  const steps = new Map(
    stores.map((store) => {
      const from = oneAfterAnother([store], search.digest, signal);
      return [from, advance(from)] as const;
    }),
  );
  try {
    while (steps.size > 0) {
      const { from, result } = await Promise.race(steps.values());
      if (result.done === true) {
        steps.delete(from);
        continue;
      }
      steps.set(from, advance(from));
      yield result.value;
    }
  } finally {
    stop.abort(new Error('the search has ended'));
    await Promise.allSettled(steps.values());
  }
  yield { problem: `${name}: ${exhausted}` };
}

interface Step {
  readonly from: AsyncGenerator<SignatureCandidate>;
  readonly result: IteratorResult<SignatureCandidate>;
}

/** All stores at once; the others are abandoned when the search ends. */
function parallelStore(stores: readonly SignatureStore[]): SignatureStore {
  const name = `parallel signature store wrapping ${namesOf(stores)}`;
  return { name, search: (digest, signal) => atOnce(stores, name, { digest, signal }) };
}

/** The address of a store, and what speaks to it. One without the scheme `https`, `http` or `file` is reported as a problem of the search. */
export interface StoreAddress {
  readonly url: string;
  readonly http: HttpClient;
}

/** A store that has nothing but the reason why it cannot be searched. */
export function unusableStore(url: string, problem: string): SignatureStore {
  return {
    name: redactUrl(url),
    search: async function* () {
      yield await Promise.resolve({ problem });
    },
  };
}

function storeAt({ url, http }: StoreAddress): SignatureStore {
  const { protocol, pathname } = URL.canParse(url) ? new URL(url) : { protocol: '', pathname: '' };
  if (!['file:', 'http:', 'https:'].includes(protocol)) {
    return unusableStore(url, `the store ${redactUrl(url)} scheme is unrecognized`);
  }
  return protocol === 'file:' ? fileStore(decodeURIComponent(pathname)) : httpStore(url, http);
}

/** The stores at these addresses, all at once: those that a payload names, or that are set in their place. */
export function storesAt(addresses: readonly StoreAddress[]): SignatureStore {
  return parallelStore(addresses.map(storeAt));
}

/** Signatures that a store has, and what could not be read. */
export interface FoundSignatures {
  readonly signatures: readonly Buffer[];
  readonly problems: readonly string[];
}

/** All signatures that may be about the image of that digest, each once. Nothing is verified. */
export async function findInStore(
  store: SignatureStore,
  digest: string,
  signal: AbortSignal,
): Promise<FoundSignatures> {
  const signatures = new Map<string, Buffer>();
  const problems: string[] = [];
  for await (const candidate of store.search(digest, signal)) {
    if ('bytes' in candidate) signatures.set(candidate.bytes.toString('base64'), candidate.bytes);
    else if (!candidate.problem.endsWith(exhausted)) problems.push(candidate.problem);
  }
  return { signatures: [...signatures.values()], problems };
}

/** The object that keeps signatures for `configMapStore`, by digest. */
export function signaturesConfigMap(
  metadata: { readonly namespace: string; readonly name: string },
  signatures: ReadonlyMap<string, readonly Buffer[]>,
): JsonObject {
  const entries = [...signatures].flatMap(([digest, found]) =>
    found.map((bytes, index) => [`${prefixOf(digest, '-')}-${index}`, bytes.toString('base64')] as const),
  );
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { ...metadata, labels: { [signaturesLabel]: '' } },
    binaryData: Object.fromEntries(entries),
  };
}
