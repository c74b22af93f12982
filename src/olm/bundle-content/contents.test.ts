import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  acmeCsv,
  eventually,
  fileEntries,
  type Registry,
  SteppedClock,
  startRegistry,
  tarFile,
} from '../../../test/support/index.ts';
import { defaultContentLimits, type JsonObject, silentLogger, TerminalError, WaitingError } from '../../base/index.ts';
import type { Manager } from '../../controller/index.ts';
import type { BundleContent, BundleContents, BundleReference } from '../../operators/index.ts';
import type { RegistryTerms } from '../images/image-job.ts';
import { BundleThreads } from './bundle-thread.ts';
import { type BundleContentsOptions, openBundleContents } from './contents.ts';
import { unpackBundle } from './unpack-bundle.ts';

const configMap: JsonObject = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'chart' } };
const csv = acmeCsv({}, { name: 'boat.v1' });
const noTerms: RegistryTerms = { pullSecrets: undefined, mirrors: undefined, policy: undefined };
const shop = { namespace: 'a', name: 'shop' };

/** Those of all tests: to start a thread takes longer than a test. */
const threads = new BundleThreads();

let registry: Registry;
let storeDir: string;
let stop: AbortController;
let clock: SteppedClock;
let manifests: readonly JsonObject[] | undefined;
let terms: RegistryTerms;
let asked: string[];
let namespaceUid: string;
let contents: BundleContents;

async function open(options: Partial<BundleContentsOptions> = {}): Promise<void> {
  stop = new AbortController();
  clock = new SteppedClock(Date.now());
  const manager = { clock, log: silentLogger(), signal: stop.signal } as unknown as Manager;
  contents = await openBundleContents(manager, {
    storeDir,
    storeBytes: 2 ** 20,
    namespaceUid: () => namespaceUid,
    readTerms: ({ namespace }) => {
      asked.push(namespace);
      return Promise.resolve(terms);
    },
    views: {
      hold: () => ({
        catalogs: [],
        unavailable: [],
        manifestsOf: () => Promise.resolve(manifests),
        [Symbol.dispose]: () => undefined,
      }),
      subscribe: () => ({ [Symbol.dispose]: () => undefined }),
    },
    settings: {
      limits: defaultContentLimits,
      insecureRegistries: [registry.host],
      registryCaPem: [],
      answerDeadlineMs: 10_000,
      platform: 'linux/amd64',
      deadlineMs: 30_000,
    },
    unpack: (job, signal) => threads.unpack(job, signal),
    ...options,
  });
}

afterAll(() => threads[Symbol.dispose]());

beforeEach(async () => {
  registry = await startRegistry();
  storeDir = await mkdtemp(join(tmpdir(), 'longshore-bundles-'));
  manifests = undefined;
  terms = noTerms;
  asked = [];
  namespaceUid = 'first';
  await open();
});

afterEach(async () => {
  stop.abort();
  await registry[Symbol.asyncDispose]();
  await rm(storeDir, { recursive: true, force: true });
});

function putBundle(tag: string, objects: readonly JsonObject[]): string {
  const files = Object.fromEntries(objects.map((object, index) => [`manifests/${index}.json`, JSON.stringify(object)]));
  const annotations = 'annotations:\n  operators.operatorframework.io.bundle.package.v1: boat\n';
  return registry.putImage(tag, [{ files: { ...files, 'metadata/annotations.yaml': annotations } }]);
}

const read = (bundle: Partial<BundleReference>): Promise<BundleContent> =>
  contents.read({ catalog: shop, name: 'boat.v1', ...bundle }, stop.signal);

const fetched = (bundle: Partial<BundleReference>): Promise<BundleContent> => eventually(() => read(bundle));

/** The bundle's failure, when there is one. */
async function failed(bundle: Partial<BundleReference>): Promise<Error> {
  return await eventually(async () => {
    const thrown: unknown = await read(bundle).catch((caught: unknown) => caught);
    if (!(thrown instanceof TerminalError)) throw new Error('not failed yet', { cause: thrown });
    return thrown;
  });
}

describe('manifests of a catalog', () => {
  test('they are the content, identified by their digest', async () => {
    manifests = [configMap, csv];
    const content = await read({});
    expect(content).toMatchObject({ name: 'boat.v1', csv: { metadata: { name: 'boat.v1' } }, objects: [configMap] });
    expect(content.digest).toMatch(/^sha256:/);
    await expect(read({ digest: content.digest ?? '' })).resolves.toEqual(content);
  });

  test('other manifests than those that were resolved are refused', async () => {
    manifests = [csv];
    const { digest = '' } = await read({});
    manifests = [configMap, csv];
    await expect(read({ digest })).rejects.toThrow('the manifests in catalog a/shop have changed');
  });

  test('large ones stay readable when the catalog has changed', async () => {
    const large = { ...configMap, data: { text: 'x'.repeat(100_000) } };
    manifests = [large, csv];
    const { digest = '' } = await read({});
    manifests = undefined;
    await expect(read({ digest })).resolves.toMatchObject({ objects: [large] });
  });

  test.each<[string, readonly JsonObject[] | undefined, string]>([
    ['none', undefined, 'has neither an image nor manifests of it'],
    ['no ClusterServiceVersion', [configMap], 'no ClusterServiceVersion found'],
    ['another name', [acmeCsv({}, { name: 'ship.v1' })], 'its ClusterServiceVersion is named "ship.v1"'],
    ['no version', [{ ...csv, apiVersion: '' }], 'bundle CSV boat.v1 missing APIVersion'],
    ['no kind', [csv, { apiVersion: 'v1' }], "Object 'Kind' is missing"],
  ])('%s: refused', async (_name, given, text) => {
    manifests = given;
    await expect(read({})).rejects.toThrow(text);
  });
});

describe('images', () => {
  test('a bundle is waited for while it is fetched, pinned by its digest, and then read from the disk', async () => {
    const digest = putBundle('boat:v1', [csv, configMap]);
    const image = `${registry.host}/boat:v1`;
    await expect(read({ image })).rejects.toBeInstanceOf(WaitingError);
    const content = await fetched({ image });
    expect(content).toMatchObject({ name: 'boat.v1', objects: [configMap], digest });
    expect(content.image).toBe(`${registry.host}/boat@${digest}`);
    await registry[Symbol.asyncDispose]();
    await expect(read({ image: content.image ?? '', digest })).resolves.toMatchObject({ objects: [configMap] });
    registry = await startRegistry();
  });

  test('what the credentials of one namespace have fetched is fetched again for another one', async () => {
    const digest = putBundle('boat:v1', [csv]);
    const image = `${registry.host}/boat@${digest}`;
    await fetched({ image });
    await expect(read({ image, catalog: { namespace: 'b', name: 'shop' } })).rejects.toBeInstanceOf(WaitingError);
    await fetched({ image, catalog: { namespace: 'b', name: 'shop' } });
    expect(asked).toEqual(['a', 'b']);
  });

  test.each(['boat:v1', 'digest'])(
    'what was fetched for a namespace is fetched again for a later one of its name: %s',
    async (form) => {
      const digest = putBundle('boat:v1', [csv]);
      const image = form === 'digest' ? `${registry.host}/boat@${digest}` : `${registry.host}/boat:v1`;
      await fetched({ image });
      namespaceUid = 'second';
      await expect(read({ image })).rejects.toBeInstanceOf(WaitingError);
      await fetched({ image });
      expect(asked).toEqual(['a', 'a']);
    },
  );

  test('a bundle in an image of another name is refused', async () => {
    putBundle('boat:v1', [acmeCsv({}, { name: 'ship.v1' })]);
    const { message } = await failed({ image: `${registry.host}/boat:v1` });
    expect(message).toContain('its ClusterServiceVersion is named "ship.v1"');
    expect(await readdir(storeDir)).not.toContain('ship.v1');
  });

  test('an image that does not exist is waited for until the timeout, and reported as OLM does', async () => {
    const image = `${registry.host}/ghost:v1`;
    const waiting = await eventually(async () => {
      const thrown = (await read({ image }).catch((caught: unknown) => caught)) as Error;
      expect(thrown.message).toMatch(/^Bundle image pull failed\. /);
      return thrown;
    });
    expect(waiting).toBeInstanceOf(WaitingError);
    clock.jump(11 * 60_000);
    await expect(read({ image })).rejects.toMatchObject({ reason: 'DeadlineExceeded' });
    await expect(read({ image, timeoutMs: 0 })).rejects.toBeInstanceOf(WaitingError);
  });

  test('E-049 an image that failed is not tried again before the interval of the OperatorGroup; one that was unpacked never', async () => {
    const image = `${registry.host}/boat:v1`;
    const patient = { image, minRetryMs: 60 * 60_000 };
    await eventually(async () => {
      const thrown = (await read(patient).catch((caught: unknown) => caught)) as Error;
      expect(thrown.message).toMatch(/^Bundle image pull failed\. /);
    });
    putBundle('boat:v1', [csv]);
    clock.jump(59 * 60_000);
    await expect(read({ ...patient, timeoutMs: 0 })).rejects.toThrow('Bundle image pull failed');
    expect(asked).toHaveLength(1);
    clock.jump(60_000);
    expect((await fetched(patient)).name).toBe('boat.v1');
    clock.jump(24 * 60 * 60_000);
    await read(patient);
    expect(asked).toHaveLength(2);
  });

  test('an image that failed is tried again when the clock was set back', async () => {
    const patient = { image: `${registry.host}/boat:v1`, minRetryMs: 60 * 60_000 };
    await eventually(async () => {
      const thrown = (await read(patient).catch((caught: unknown) => caught)) as Error;
      expect(thrown.message).toMatch(/^Bundle image pull failed\. /);
    });
    putBundle('boat:v1', [csv]);
    clock.jump(-24 * 60 * 60_000);
    expect((await fetched(patient)).name).toBe('boat.v1');
  });

  test('a file that was damaged is fetched again', async () => {
    const digest = putBundle('boat:v1', [csv]);
    const image = `${registry.host}/boat@${digest}`;
    await fetched({ image });
    const [file = ''] = (await readdir(storeDir)).filter((name) => name.endsWith('.json'));
    await writeFile(join(storeDir, file), `sha256:${'0'.repeat(64)}\n{"name":"boat.v1","csv":{},"objects":[]}`);
    await expect(read({ image })).rejects.toBeInstanceOf(WaitingError);
    await expect(fetched({ image })).resolves.toMatchObject({ name: 'boat.v1' });
  });

  test('images of a catalog whose registry is slow, however many, do not hold up those of another namespace', async () => {
    stop.abort();
    const slow = new Set<string>();
    await open({
      storeDir: join(storeDir, 'other'),
      unpack: async ({ ref, ...job }, signal) => {
        if (!ref.startsWith('slow.example')) return await unpackBundle({ ...job, ref }, signal);
        slow.add(ref);
        await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
        throw new Error('not reached');
      },
    });
    for (let index = 0; index < 10; index++) {
      const bundle = { catalog: { namespace: 'b', name: 'slow' }, name: `boat.v${index}` };
      const waiting = read({ ...bundle, image: `slow.example/boat:v${index}` });
      await expect(waiting).rejects.toBeInstanceOf(WaitingError);
    }
    for (const count of [2, 4]) {
      await eventually(() => expect(slow.size).toBe(count));
      await clock.pass(10_000);
    }
    putBundle('boat:v1', [csv]);
    await expect(fetched({ image: `${registry.host}/boat:v1` })).resolves.toMatchObject({ name: 'boat.v1' });
    expect(slow.size).toBeLessThan(10);
  });

  test('of images that cannot be unpacked, however many plans ask for, the last are known', async () => {
    stop.abort();
    await open({
      storeDir: join(storeDir, 'other'),
      maxRemembered: 3,
      unpack: () => Promise.reject(new Error('no such image')),
    });
    const images = Array.from({ length: 5 }, (_, index) => `none.example/boat:v${index}`);
    for (const image of images) await eventually(() => expect(read({ image })).rejects.toThrow('no such image'));
    await expect(read({ image: images[4] ?? '' })).rejects.toThrow('no such image');
    await expect(read({ image: images[0] ?? '' })).rejects.toThrow('unpack job not completed');
  });

  test('what was not used for longest leaves the disk when the budget is exhausted', async () => {
    const noise = (seed: string): JsonObject => ({ ...configMap, data: { text: seed.repeat(700_000) } });
    const images = ['a', 'b'].map((seed) => `${registry.host}/boat@${putBundle(`boat:${seed}`, [csv, noise(seed)])}`);
    for (const image of images) await fetched({ image });
    // A file is removed after the one that takes its place can be read.
    await eventually(async () =>
      expect((await readdir(storeDir)).filter((name) => name.endsWith('.json'))).toHaveLength(1),
    );
    await expect(read({ image: images[1] ?? '' })).resolves.toMatchObject({ name: 'boat.v1' });
    await expect(read({ image: images[0] ?? '' })).rejects.toBeInstanceOf(WaitingError);
  });
});

test('what images leave that cannot be fetched to their end is limited for all of them together', async () => {
  const mediaType = 'application/vnd.oci.image.layer.v1.tar';
  const images = Array.from({ length: 6 }, (_, index) => {
    const whole = tarFile(fileEntries({ 'manifests/noise': randomBytes(200_000).toString('hex') }));
    const digest = registry.putBlob(whole);
    const first = { mediaType, digest, size: whole.length };
    // The registry has it in another size, which may be corrected.
    const second = { mediaType, digest: registry.putBlob(Buffer.from(`second ${index}`)), size: 1000 };
    registry.putManifest(`left${index}:v1`, {
      schemaVersion: 2,
      mediaType: 'application/vnd.oci.image.manifest.v1+json',
      layers: [first, second],
    });
    return `${registry.host}/left${index}:v1`;
  });
  for (const image of images) {
    await eventually(() => expect(read({ image })).rejects.toThrow('Bundle image pull failed'));
  }
  const work = join(storeDir, 'work');
  const names = await readdir(work, { recursive: true });
  const facts = await Promise.all(names.map((name) => stat(join(work, name))));
  const leftBytes = facts.reduce((sum, found) => sum + (found.isFile() ? found.size : 0), 0);
  expect(leftBytes).toBeGreaterThan(400_000);
  expect(leftBytes).toBeLessThanOrEqual(2 ** 20);
});
