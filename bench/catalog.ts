import { mkdir, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, credentials, Metadata } from '@grpc/grpc-js';
import { type CatalogIndex, openCatalogIndex } from '../src/catalog/index.ts';
import { parseVersion } from '../src/constraints/index.ts';
import { type CatalogBundle, type CatalogPackage, offerOf, pathBetween, sortChannel } from '../src/resolver/index.ts';
import { corpusCatalogDir } from '../test/support/corpus.ts';
import { peerMeasurements } from './catalog-peer.ts';
import {
  type CatalogPlace,
  measureCommand,
  measureProgram,
  type ServingProcess,
  startServing,
} from './catalog-programs.ts';
import { compileFiles } from './compiled.ts';
import { writeGrownCatalog } from './grown-catalog.ts';
import { resolutionMeasurements } from './resolution.ts';
import { type Measurement, median, percentile } from './table.ts';

const rounds = 5;
const queries = 500;
const chainLength = 1000;
/** As many as opm uses on two cores. */
const peerThreads = 2;

const seconds = (value: number): string => `${value.toFixed(2)} s`;
const milliseconds = (value: number): string => `${value < 10 ? value.toFixed(2) : Math.round(value)} ms`;
const megabytes = (bytes: number): string => `${Math.round(bytes / 1e6)} MB`;

async function timed(work: () => unknown): Promise<number> {
  const startedMs = performance.now();
  await work();
  return performance.now() - startedMs;
}

async function timesOf(count: number, work: (round: number) => unknown): Promise<readonly number[]> {
  const times: number[] = [];
  for (let round = 0; round < count; round += 1) times.push(await timed(() => work(round)));
  return times;
}

async function commandMeasurements(
  program: string,
  name: string,
  { dir, cacheDir }: CatalogPlace,
): Promise<Measurement[]> {
  const isGrown = name === 'grown catalog';
  const validated = await measureCommand(program, 'validate', dir);
  const indexed = await measureCommand(program, 'serve', dir, '--cache-dir', cacheDir, '--cache-only');
  const { size } = await stat(join(cacheDir, 'catalog.index'));
  const goal = (text: string): { readonly goal?: string } => (isGrown ? { goal: text } : {});
  return [
    { what: `${name}: validate`, value: seconds(validated.seconds), ...goal('under 4 s') },
    { what: `${name}: validate, peak`, value: megabytes(validated.peakBytes), ...goal('under 300 MB') },
    { what: `${name}: cold index`, value: seconds(indexed.seconds), ...goal('under 10 s') },
    { what: `${name}: cold index, peak`, value: megabytes(indexed.peakBytes) },
    { what: `${name}: index on disk`, value: megabytes(size) },
  ];
}

/** Calls a method with an encoded request, and counts the messages; nothing is decoded. */
async function callRegistry(client: Client, method: string, request: Buffer): Promise<number> {
  const bytes = (message: Buffer): Buffer => message;
  const path = `/api.Registry/${method}`;
  const call = client.makeServerStreamRequest(path, bytes, bytes, request, new Metadata());
  let count = 0;
  for await (const message of call) count += (message as Buffer).length;
  return count;
}

/** A message of texts, by their field numbers. */
function textFields(...texts: readonly string[]): Buffer {
  const fields = texts.map((text, index) =>
    Buffer.concat([Buffer.of((index + 1) * 8 + 2, text.length), Buffer.from(text)]),
  );
  return Buffer.concat(fields);
}

async function servingMeasurements(serving: ServingProcess, index: CatalogIndex): Promise<Measurement[]> {
  const startBytes = serving.residentBytes();
  const client = new Client(`127.0.0.1:${serving.grpcPort}`, credentials.createInsecure());
  const lists = await timesOf(rounds, () => callRegistry(client, 'ListBundles', Buffer.alloc(0)));
  const names = index.packageNames();
  const nameAt = (round: number): string => names[(round * 7) % names.length] ?? '';
  const packages = await timesOf(queries, (round) => callRegistry(client, 'GetPackage', textFields(nameAt(round))));
  const heads = await timesOf(queries, (round) =>
    callRegistry(client, 'GetBundleForChannel', textFields(nameAt(round), 'stable')),
  );
  client.close();
  const address = `http://127.0.0.1:${serving.httpPort}/catalogs/catalog/api/v1`;
  const download = async (path: string, encoding: string): Promise<void> => {
    const { body } = await fetch(`${address}${path}`, { headers: { 'accept-encoding': encoding } });
    for await (const _ of body ?? []);
  };
  const plain = await timesOf(rounds, () => download('/all', 'identity'));
  const ofPackage = await timesOf(queries, (round) =>
    download(`/metas?schema=olm.channel&package=${nameAt(round)}`, 'gzip'),
  );
  return [
    { what: 'grown catalog: start of `serve` with a warm index', value: milliseconds(serving.startedInMs) },
    { what: 'grown catalog: resident memory after the start', value: megabytes(startBytes) },
    { what: 'grown catalog: ListBundles of all, median', value: seconds(median(lists) / 1000), goal: 'under 0.5 s' },
    { what: 'grown catalog: GetPackage, p50 and p99', value: spreadOf(packages) },
    { what: 'grown catalog: head of a channel with manifests, p50 and p99', value: spreadOf(heads) },
    { what: 'grown catalog: /all over HTTP, 131 MB, median', value: seconds(median(plain) / 1000) },
    { what: 'grown catalog: channels of a package over HTTP, p50 and p99', value: spreadOf(ofPackage) },
    {
      what: 'grown catalog: resident memory after all requests',
      value: megabytes(serving.residentBytes()),
      goal: 'under 150 MB',
    },
  ];
}

function spreadOf(times: readonly number[]): string {
  return `${milliseconds(percentile(times, 50))}, ${milliseconds(percentile(times, 99))}`;
}

async function indexMeasurements(file: string): Promise<Measurement[]> {
  const opened = await timesOf(rounds, () => {
    using index = openCatalogIndex(file);
    index.packageNames();
  });
  using index = openCatalogIndex(file, { name: 'grown' });
  const read = await timed(() => index.packageNames().map((name) => index.package(name)));
  return [
    { what: 'grown catalog: warm open, median', value: milliseconds(median(opened)), goal: 'under 200 ms' },
    { what: 'grown catalog: all packages read from the index', value: milliseconds(read) },
    ...resolutionMeasurements(index),
  ];
}

/** A package whose only channel is a chain; every tenth entry has a range, too. */
function chain(): CatalogPackage {
  const version = (index: number): string => `1.${index}.0`;
  const name = (index: number): string => `long.v${version(index)}`;
  const entries = Array.from({ length: chainLength }, (_, index) => ({
    name: name(index),
    skips: [],
    ...(index === 0 ? {} : { replaces: name(index - 1) }),
    ...(index % 10 === 9 ? { skipRange: `>=1.0.0 <${version(index)}` } : {}),
  }));
  const bundles = entries.map(({ name: bundleName }, index): [string, CatalogBundle] => {
    const properties = [{ type: 'olm.package', value: { packageName: 'long', version: version(index) } }];
    return [bundleName, { name: bundleName, packageName: 'long', version: parseVersion(version(index)), properties }];
  });
  return { name: 'long', defaultChannel: 'stable', channels: [{ name: 'stable', entries }], bundles: new Map(bundles) };
}

async function graphMeasurements(): Promise<Measurement[]> {
  const long = chain();
  const [channel] = long.channels;
  const start = { name: 'long.v1.0.0', version: parseVersion('1.0.0') };
  const sorted = await timesOf(rounds, () => (channel === undefined ? [] : sortChannel(channel, long.name)));
  const paths = {
    v0: await timesOf(rounds, () => pathBetween(offerOf('v0', long), start)),
    v1: await timesOf(rounds, () => pathBetween(offerOf('v1', long), start)),
  };
  return [
    { what: `channel of ${chainLength} entries: order`, value: milliseconds(median(sorted)) },
    { what: `channel of ${chainLength} entries: path from the first, v0`, value: milliseconds(median(paths.v0)) },
    { what: `channel of ${chainLength} entries: path from the first, v1`, value: milliseconds(median(paths.v1)) },
  ];
}

/** A catalog so small that the program itself dominates time and memory, beside opm. */
function smallMeasurements(program: string): Measurement[] {
  const render = ['render', 'examples/catalog/configs'];
  const costs = Array.from({ length: rounds }, () => ({
    ours: measureProgram(process.execPath, program, 'catalog', ...render),
    opm: measureProgram('opm', ...render),
  }));
  const ours = median(costs.map((cost) => cost.ours?.peakBytes ?? Number.NaN));
  const opm = median(costs.map((cost) => cost.opm?.peakBytes ?? Number.NaN));
  const what = 'catalog of the examples: render, peak beside opm';
  if (Number.isNaN(opm)) return [{ what, value: 'skipped: the program opm is not installed' }];
  const ratio = ours / opm;
  const value = `${megabytes(ours)}, ${ratio.toFixed(2)} of ${megabytes(opm)}`;
  return [{ what, value, goal: 'at most 1', ratio: 1 / ratio }];
}

/** Catalogs: validated, indexed, opened, served and asked; a real one of 13 MB, and a generated one of the size of all community releases. */
export async function measureCatalog(): Promise<Measurement[]> {
  const folder = await mkdtemp(join(tmpdir(), 'longshore-bench-'));
  await using compiled = await compileFiles(['cli/main.ts']);
  const program = compiled.pathOf('cli/main.ts');
  try {
    const corpus =
      corpusCatalogDir === undefined
        ? [{ what: 'corpus catalog', value: 'skipped: it is not there (LONGSHORE_CORPUS)' }]
        : await commandMeasurements(program, 'corpus catalog', {
            dir: corpusCatalogDir,
            cacheDir: join(folder, 'corpus-cache'),
          });
    const [grown, cache] = [join(folder, 'grown'), join(folder, 'cache')];
    const place: CatalogPlace = { dir: grown, cacheDir: cache };
    await mkdir(grown);
    await writeGrownCatalog(join(grown, 'catalog.json'));
    const commands = await commandMeasurements(program, 'grown catalog', place);
    const indexed = await indexMeasurements(join(cache, 'catalog.index'));
    await using serving = await startServing(program, place, 1);
    using index = openCatalogIndex(join(cache, 'catalog.index'));
    const served = await servingMeasurements(serving, index);
    return [...corpus, ...commands, ...indexed, ...served, ...(await graphMeasurements())];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Catalogs beside opm: the one of the corpus served, a small one rendered. */
export async function measureBesideOpm(): Promise<Measurement[]> {
  if (corpusCatalogDir === undefined) return [{ what: 'skipped', value: 'the corpus is not there (LONGSHORE_CORPUS)' }];
  const cacheDir = await mkdtemp(join(tmpdir(), 'longshore-bench-'));
  await using compiled = await compileFiles(['cli/main.ts']);
  const program = compiled.pathOf('cli/main.ts');
  try {
    const place: CatalogPlace = { dir: corpusCatalogDir, cacheDir };
    await measureCommand(program, 'serve', place.dir, '--cache-dir', cacheDir, '--cache-only');
    await using serving = await startServing(program, place, 1);
    await using threads = await startServing(program, place, peerThreads);
    using index = openCatalogIndex(join(cacheDir, 'catalog.index'));
    const servers = [
      { name: 'longshore', pid: serving.pid, port: serving.grpcPort },
      { name: `longshore, --threads ${peerThreads}`, pid: threads.pid, port: threads.grpcPort },
    ];
    return [...smallMeasurements(program), ...(await peerMeasurements(place.dir, servers, index.packageNames()))];
  } finally {
    await rm(cacheDir, { recursive: true, force: true });
  }
}
