/** Reads catalogs, and prints what became of each, and the most memory and disk that this process had. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { readCatalogService } from '../../cli/catalog/service.ts';
import { parseOptions, registryOptions } from '../../cli/command/index.ts';
import { defaultContentLimits, errorMessage, mapLimit } from '../../src/base/index.ts';
import { defaultRegistryLimits } from '../../src/catalog/grpc/registry-client.ts';
import { type Meta, readRegistry } from '../../src/catalog/index.ts';
import { CatalogThreads } from '../../src/olm/catalog-content/unpack-thread.ts';
import type { ChildReport } from './memory-child.ts';
import { measurePeaks } from './peak-usage.ts';

interface Task {
  readonly images: readonly string[];
  readonly urls: readonly string[];
  readonly registries: Readonly<Record<string, string>>;
  readonly atATime: number;
  readonly deadlineMs: number;
}

const mebibyte = 1024 * 1024;
const { images, urls, registries, atATime, deadlineMs } = JSON.parse(process.argv[2] ?? '') as Task;
const folder = await mkdtemp(`${tmpdir()}/catalog-child-`);
const { signal } = new AbortController();

const stop = measurePeaks(folder);

async function outcome(name: string, work: () => Promise<unknown>): Promise<string> {
  return `${name}: ${await work().then(() => 'read', errorMessage)}`;
}

async function drain(metas: AsyncIterable<Meta>): Promise<void> {
  for await (const _ of metas);
}

async function unpack(ref: string): Promise<void> {
  const name = ref.replace(/\W/g, '-');
  const limits = { ...defaultContentLimits, compressedLayerBytes: 24 * mebibyte, unpackedBytes: 256 * mebibyte };
  const settings = {
    limits,
    insecureRegistries: [],
    registryCaPem: [],
    answerDeadlineMs: 20_000,
    platform: 'linux/amd64',
    deadlineMs,
  };
  const terms = { pullSecrets: undefined, mirrors: undefined, policy: undefined };
  const job = {
    ...terms,
    settings,
    ref,
    askedRef: ref,
    isKnown: false,
    group: name,
    workDir: `${folder}/${name}`,
    file: `${folder}/${name}.index`,
  };
  using threads = new CatalogThreads();
  await threads.unpack(job, signal);
}

const progress = { show: () => undefined, finish: () => undefined, clear: () => undefined } as never;
const { values } = parseOptions(registryOptions, [], {});
const service = { values, work: { path: folder } as never, progress, maxBytes: 96 * mebibyte };
const outcomes = [
  ...(await mapLimit(images, atATime, (ref) => outcome(`image ${ref}`, () => unpack(ref)))),
  ...(await mapLimit(urls, atATime, (url) =>
    outcome(url, () => drain(readCatalogService(url, { ...service, signal: AbortSignal.timeout(deadlineMs) }))),
  )),
  ...(await mapLimit(Object.entries(registries), 1, ([name, address]) =>
    outcome(`registry ${name}`, () =>
      drain(readRegistry(address, { signal, limits: { ...defaultRegistryLimits, deadlineMs } })),
    ),
  )),
];
const peaks = stop();
await rm(folder, { recursive: true, force: true });
process.stdout.write(JSON.stringify({ outcomes, ...peaks } satisfies ChildReport));
