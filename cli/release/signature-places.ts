import { readFile, stat } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import {
  isJsonObject,
  type JsonObject,
  parseYamlDocuments,
  readProxySettings,
  TerminalError,
} from '../../src/base/index.ts';
import { type Keyring, readKeyring } from '../../src/openpgp/index.ts';
import {
  configMapStore,
  type ReleaseVerifier,
  readVerifier,
  type SignatureStore,
  serialStore,
  storesAt,
} from '../../src/release/signatures/index.ts';
import { createHttpClient, type HttpClient } from '../../src/sources/index.ts';
import type { OptionValues, registryOptions } from '../command/index.ts';
import { openWorkFolder, readAuthorities } from '../input/index.ts';
import type { Progress } from '../output/index.ts';
import { openRelease } from '../release-files/index.ts';
import type { verifyOptions } from './verify-options.ts';

type Values = OptionValues<typeof verifyOptions & typeof registryOptions>;

interface Request {
  readonly values: Values;
  readonly progress: Progress;
  readonly signal: AbortSignal;
}

/** Which keys must have signed, and where signatures are searched. */
export interface SignaturePlaces extends Disposable {
  readonly keyrings: readonly Keyring[];
  readonly store: SignatureStore;
}

const maxFileBytes = 16 * 1024 * 1024;
const answerDeadlineMs = 30_000;

async function readBounded(path: string): Promise<Buffer> {
  const { size } = await stat(path);
  if (size <= maxFileBytes) return await readFile(path);
  throw new TerminalError('FileTooLarge', `${path}: ${size} bytes, more than the limit of ${maxFileBytes} bytes`);
}

async function payloadVerifier(request: Request): Promise<ReleaseVerifier> {
  const { 'from-payload': name } = request.values;
  if (name === undefined) return { keyrings: [], storeUrls: [] };
  await using work = await openWorkFolder();
  await using release = await openRelease({ ...request, name, work, profile: '' });
  const verifier = await readVerifier(release.payload.manifests);
  if (verifier !== undefined) return verifier;
  const text = `${name}: no ConfigMap with the annotation release.openshift.io/verification-config-map: name the keys with --key and the stores with --store`;
  throw new TerminalError('NoVerifier', text);
}

/** The address of a store in a folder. */
export function fileStoreUrl(folder: string): string {
  return `file://${encodeURI(resolve(folder))}`;
}

/** The address of a store: of a folder with the scheme `file`.
 *  @throws TerminalError InvalidOption */
export async function storeUrlOf(text: string): Promise<string> {
  if (/^(?:https?|file):\/\//.test(text) && URL.canParse(text)) return text;
  const facts = await stat(text).catch(() => undefined);
  if (facts?.isDirectory() === true) return fileStoreUrl(text);
  throw new TerminalError('InvalidOption', `--store ${text}: expected an address (https, http, file) or a folder`);
}

async function configMapsIn(path: string): Promise<JsonObject[]> {
  const found: JsonObject[] = [];
  for (const document of parseYamlDocuments(path, (await readBounded(path)).toString('utf8'))) {
    if (isJsonObject(document) && document['kind'] === 'ConfigMap') found.push(document);
    else if (document !== null) throw new TerminalError('InvalidSignatures', `${path}: expected ConfigMaps`);
  }
  return found;
}

function clientOf(caPem: readonly string[]): HttpClient {
  const proxies = readProxySettings(process.env);
  return createHttpClient({ caPem, proxies, answerDeadlineMs });
}

/** What `longshore release verify` was given: keys and stores by name, or those of a payload. ConfigMaps are searched first.
 *  @throws TerminalError InvalidKeyring, InvalidVerifier, InvalidOption, NoVerifier */
export async function openSignaturePlaces(request: Request): Promise<SignaturePlaces> {
  const { values } = request;
  const payload = await payloadVerifier(request);
  const keyrings = [...payload.keyrings];
  for (const path of values.key) keyrings.push(await readKeyring(basename(path), await readBounded(path)));
  const storeUrls = [...payload.storeUrls, ...(await Promise.all(values.store.map(storeUrlOf)))];
  const files = values['signature-config-map'];
  const configMaps = (await Promise.all(files.map(configMapsIn))).flat();
  const http = clientOf(await readAuthorities(values['registry-ca']));
  const stores = [
    ...(files.length === 0 ? [] : [configMapStore(files.join(', '), () => Promise.resolve(configMaps))]),
    storesAt(storeUrls.map((url) => ({ url, http }))),
  ];
  return { keyrings, store: serialStore(stores), [Symbol.dispose]: () => http[Symbol.dispose]() };
}
