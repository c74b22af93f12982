import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { startWebServer } from '../../../test/support/index.ts';
import { createOpenpgpSigner, type OpenpgpSigner } from '../../../test/support/openpgp-signer.ts';
import { type JsonObject, systemClock } from '../../base/index.ts';
import { type Keyring, readKeyring } from '../../openpgp/index.ts';
import { createHttpClient, type HttpClient } from '../../sources/index.ts';
import { configMapStore, type SignatureStore, serialStore, signaturesConfigMap, storesAt } from './stores.ts';
import { forcedText, UnverifiedReleaseError, type VerifiedRelease, verifyRelease } from './verify-release.ts';

const hash = 'c'.repeat(64);
const digest = `sha256:${hash}`;
const reference = `registry.example.com/release@${digest}`;
const statement = (changes: object = {}): string =>
  JSON.stringify({
    critical: {
      type: 'atomic container signature',
      image: { 'docker-manifest-digest': digest },
      identity: { 'docker-reference': 'registry.example.com/release:1.0.0' },
      ...changes,
    },
    optional: { creator: 'release process', timestamp: 1717200000 },
  });

let release: OpenpgpSigner;
let second: OpenpgpSigner;
let keyrings: { readonly release: Keyring; readonly second: Keyring };
beforeAll(async () => {
  [release, second] = await Promise.all([createOpenpgpSigner(), createOpenpgpSigner()]);
  keyrings = {
    release: await readKeyring('verifier-public-key-release', Buffer.from(release.publicKey)),
    second: await readKeyring('verifier-public-key-second', Buffer.from(second.publicKey)),
  };
});

let cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const clean of cleanups) await clean();
  cleanups = [];
});

const client = (): HttpClient => {
  const http = createHttpClient({ answerDeadlineMs: 30_000 });
  cleanups.push(() => http[Symbol.dispose]());
  return http;
};

interface WebStore {
  readonly url: string;
  readonly asked: string[];
}

/** A store on the web: `answer` responds to each path. */
async function webStore(answer: RequestListener): Promise<WebStore> {
  const asked: string[] = [];
  const server = await startWebServer((request, response) => {
    asked.push(request.url ?? '');
    answer(request, response);
  });
  cleanups.push(() => server[Symbol.asyncDispose]());
  return { url: `${server.url}/signatures/`, asked };
}

/** A store that has these signatures, in their order. */
const storeOf = (...signatures: readonly Buffer[]): Promise<WebStore> =>
  webStore((request, response) => {
    const [, number = '0'] = new RegExp(`^/signatures/sha256=${hash}/signature-(\\d+)$`).exec(request.url ?? '') ?? [];
    const found = signatures[Number(number) - 1];
    response.writeHead(found === undefined ? 404 : 200).end(found);
  });

const verify = (
  store: SignatureStore,
  options: { readonly keyrings?: readonly Keyring[]; readonly deadlineMs?: number } = {},
): Promise<VerifiedRelease> =>
  verifyRelease(reference, {
    verifier: { keyrings: [keyrings.release], ...options },
    store,
    clock: systemClock,
    signal: AbortSignal.timeout(60_000),
    ...options,
  });

const web = (...stores: readonly WebStore[]): SignatureStore =>
  storesAt(stores.map(({ url }) => ({ url, http: client() })));

const problem = async (verified: Promise<unknown>): Promise<UnverifiedReleaseError> => {
  const thrown: unknown = await verified.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (thrown instanceof UnverifiedReleaseError) return thrown;
  throw new Error('expected that the release is not verified', { cause: thrown });
};

describe('verifying a release', () => {
  test('CV-21: a valid signature in any one store is enough', async () => {
    const signature = await release.sign(statement());
    const [empty, full] = [await storeOf(), await storeOf(signature)];
    const found = await verify(web(empty, full));
    expect(found.signers).toEqual([{ keyring: 'verifier-public-key-release', fingerprint: release.fingerprint }]);
    expect(found.signatures).toEqual([signature]);
  });

  test('CV-20: without a signature nothing is verified, and every place that was searched is named', async () => {
    const store = await storeOf();
    const error = await problem(verify(web(store)));
    expect(error.message).toBe(`unable to verify ${digest} against keyrings: verifier-public-key-release`);
    const time = String.raw`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ`;
    const url = `${store.url}sha256=${hash}/signature-1`;
    expect(error.details).toEqual([
      expect.stringMatching(
        new RegExp(`^${time}: unable to retrieve signature from ${url}: no more signatures to check$`),
      ),
      expect.stringMatching(new RegExp(`^${time}: parallel signature store wrapping containers/image signature store`)),
    ]);
    expect(error.explained).toBe(`${error.message} // [${error.details.join(', ')}]`);
  });

  test('CV-20: a signature of another key does not count', async () => {
    const error = await problem(verify(web(await storeOf(await second.sign(statement())))));
    expect(error.details[0]).toMatch(/Z: invalid signature$/);
  });

  test.each([
    [
      'expired',
      () => release.sign(statement(), { lifetimeSeconds: 1 }),
      'signature expired on 2024-06-01 00:00:01 +0000',
    ],
    [
      'about another release',
      () => release.sign(statement({ image: { 'docker-manifest-digest': `sha256:${'d'.repeat(64)}` } })),
      'signature digest does not match',
    ],
    [
      'with an unknown field',
      () => release.sign(statement({ extra: 1 })),
      'the signature is not valid JSON: unknown field "extra"',
    ],
    [
      'without a reference',
      () => release.sign(statement({ identity: { 'docker-reference': '' } })),
      'signature must have an identity',
    ],
    ['of another type', () => release.sign(statement({ type: 'other' })), 'signature is not the correct type'],
    ['about nothing', () => release.sign('{}'), 'signature is not the correct type'],
    ['of a text', () => release.sign('hello'), 'the signature is not valid JSON'],
    ['of nested objects', () => release.sign('{"critical":'.repeat(3000)), 'the signature is not valid JSON'],
  ])('CV-102: a signature %s is refused', async (_, sign, text) => {
    const error = await problem(verify(web(await storeOf(await sign()))));
    expect(error.details[0]).toContain(text);
  });

  test('CV-103: each key must have signed; the missing one is named', async () => {
    const both = [keyrings.release, keyrings.second];
    const store = web(await storeOf(await release.sign(statement())));
    const error = await problem(verify(store, { keyrings: both }));
    expect(error.message).toMatch(/against keyrings: verifier-public-key-second$/);
    const signed = web(await storeOf(await release.sign(statement()), await second.sign(statement())));
    expect((await verify(signed, { keyrings: both })).signatures).toHaveLength(2);
  });

  test('CV-104: a signature in a ConfigMap counts when no store can be reached', async () => {
    const signature = await release.sign(statement());
    const metadata = { namespace: 'openshift-config-managed', name: 'signatures-managed' };
    const configMaps: JsonObject[] = [signaturesConfigMap(metadata, new Map([[digest, [signature]]]))];
    const read = (): Promise<JsonObject[]> => Promise.resolve(configMaps);
    const offline = storesAt([{ url: 'http://127.0.0.1:9/', http: client() }]);
    const store = serialStore([configMapStore('openshift-config-managed', read), offline]);
    expect((await verify(store)).signatures).toEqual([signature]);
    configMaps[0] = signaturesConfigMap(metadata, new Map());
    const error = await problem(verify(store));
    expect(error.details[0]).toContain(`prefix sha256-${hash} in config map signatures-managed: no more signatures`);
    expect(error.details[1]).toContain('unable to retrieve signature from http://127.0.0.1:9/');
  });

  test('CV-105: stores that are set replace those of the payload', async () => {
    const [payload, own] = [await storeOf(await release.sign(statement())), await storeOf()];
    const configMaps = configMapStore('openshift-config-managed', () => Promise.resolve([]));
    await problem(verify(serialStore([configMaps, web(own)])));
    expect(own.asked).toHaveLength(1);
    expect(payload.asked).toEqual([]);
  });

  test('CV-106: the second signature of a store counts when the first is bad', async () => {
    const store = await storeOf(await release.sign(statement({ extra: 1 })), await release.sign(statement()));
    expect((await verify(web(store))).signers).toHaveLength(1);
    // The next one may be asked for while the second is verified.
    expect(store.asked.slice(0, 2)).toEqual([1, 2].map((number) => `/signatures/sha256=${hash}/signature-${number}`));
  });

  test('CV-61: a release that is named by a tag cannot be verified', async () => {
    const store = web(await storeOf(await release.sign(statement())));
    const options = {
      verifier: { keyrings: [keyrings.release] },
      store,
      clock: systemClock,
      signal: AbortSignal.any([]),
    };
    const named = (name: string): Promise<UnverifiedReleaseError> => problem(verifyRelease(name, options));
    expect((await named('example.com/release:1.0.0')).message).toBe(
      'release images that are not accessed via digest cannot be verified',
    );
    expect((await named('example.com/release@sha256:../../etc')).message).toContain(
      'the provided release image digest has an invalid format: "sha256:../../etc"',
    );
    const without = await problem(verifyRelease(reference, { ...options, verifier: undefined }));
    expect(without.message).toBe('verification is not possible');
    expect(forcedText({ version: '1.0.0', image: reference }, without)).toBe(
      `Target release version="1.0.0" image="${reference}" cannot be verified, but continuing anyway because the update was forced: verification is not possible`,
    );
  });

  test('a file is a store, too; what is no file is reported', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'longshore-signatures-'));
    cleanups.push(() => rm(folder, { recursive: true, force: true }));
    await mkdir(join(folder, `sha256=${hash}`, 'signature-1'), { recursive: true });
    await writeFile(join(folder, `sha256=${hash}`, 'signature-2'), await release.sign(statement()));
    const store = storesAt([{ url: `file://${folder}`, http: client() }]);
    expect((await verify(store)).signers).toHaveLength(1);
  });
});

describe('a hostile store', () => {
  test('that has signatures without end is asked nine times', async () => {
    const signature = await second.sign(statement());
    const store = await webStore((_, response) => void response.end(signature));
    await problem(verify(web(store)));
    expect(store.asked).toHaveLength(9);
  });

  test('that sends without end is cut off', async () => {
    const store = await webStore((_, response) => {
      const send = (): void => {
        while (!response.destroyed && response.write(Buffer.alloc(16_384)));
        response.once('drain', send);
      };
      send();
    });
    const error = await problem(verify(web(store)));
    expect(error.details[0]).toContain('51200');
    expect(store.asked).toHaveLength(9);
  });

  test('that never answers holds nothing up beyond the deadline, and not the other stores', async () => {
    const silent = await webStore(() => undefined);
    const error = await problem(verify(web(silent), { deadlineMs: 50 }));
    expect(error.details.at(-1)).toContain('verification: no answer within 0.05 s');
    const full = await storeOf(await release.sign(statement()));
    expect((await verify(web(silent, full))).signers).toHaveLength(1);
  });

  test('that answers with errors is reported', async () => {
    const store = await webStore((_, response) => void response.writeHead(503).end());
    expect((await problem(verify(web(store)))).details[0]).toContain('signature-1: response status 503');
  });

  test('ConfigMaps with more signatures than are read are reported', async () => {
    const signature = await second.sign(statement());
    const many = signaturesConfigMap(
      { namespace: 'a', name: 'many' },
      new Map([[digest, Array.from({ length: 200 }, () => signature)]]),
    );
    const error = await problem(verify(configMapStore('a', () => Promise.resolve([many]))));
    expect(error.details).toContainEqual(expect.stringContaining(`config map many: more than 100 signatures`));
  });
});
