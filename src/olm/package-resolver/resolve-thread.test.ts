import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type JsonObject, textAt } from '../../base/index.ts';
import { buildCatalogIndex, type Meta } from '../../catalog/index.ts';
import type { CatalogPlace } from '../catalog-content/catalog-store.ts';
import type { NextQuestion } from '../platform-operator/resolve-answers.ts';
import { ResolverThread } from './resolve-thread.ts';

const pigeons = 14;
const holes = Array.from({ length: pigeons - 1 }, (_, hole) => hole);

function meta(value: JsonObject): Meta {
  const [schema, packageName, name] = [textAt(value, 'schema'), textAt(value, 'package'), textAt(value, 'name')];
  return { schema, package: packageName, name, value, place: { file: 'catalog.yaml', line: 1 } };
}

/** A package with one channel; each bundle replaces the one before. */
function packageOf(name: string, bundles: readonly JsonObject[][]): readonly Meta[] {
  const nameOf = (index: number): string => `${name}.v1.${index}.0`;
  const entries = bundles.map((_, index) => ({
    name: nameOf(index),
    ...(index > 0 && { replaces: nameOf(index - 1) }),
  }));
  return [
    meta({ schema: 'olm.package', name, defaultChannel: 'stable' }),
    meta({ schema: 'olm.channel', package: name, name: 'stable', entries }),
    ...bundles.map((properties, index) => {
      const identity = { type: 'olm.package', value: { packageName: name, version: `1.${index}.0` } };
      const image = `registry.example/${name}:v${index}`;
      return meta({
        schema: 'olm.bundle',
        package: name,
        name: nameOf(index),
        image,
        properties: [identity, ...properties],
      });
    }),
  ];
}

/** Each pigeon needs a hole of its own, and there is one too few: short to state, long to refute. */
const documents = [
  ...Array.from({ length: pigeons }, (_, pigeon) =>
    packageOf(
      `pigeon${pigeon}`,
      holes.map((hole) => [{ type: 'olm.gvk', value: { group: 'g.io', version: 'v1', kind: `Hole${hole}` } }]),
    ),
  ).flat(),
  ...packageOf('hard', [
    Array.from({ length: pigeons }, (_, pigeon) => {
      return { type: 'olm.package.required', value: { packageName: `pigeon${pigeon}`, versionRange: '>=1.0.0' } };
    }),
  ]),
  ...packageOf('easy', [[]]),
];

let folder: string;
let place: CatalogPlace;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'longshore-resolver-'));
  place = { file: join(folder, 'index'), name: 'shop', priority: 0, labels: {} };
  await buildCatalogIndex(documents, place.file);
});

afterAll(() => rm(folder, { recursive: true, force: true }));

function about(packageName: string): NextQuestion {
  return { name: 'x', packageName, main: undefined, isFreshStart: true, standing: [] };
}

function options(signal: AbortSignal = AbortSignal.timeout(60_000)) {
  return { held: { places: [place] }, signal };
}

const chosen = { plan: { outcome: 'change', main: { bundle: 'easy.v1.0.0', image: 'registry.example/easy:v0' } } };

test('resolving a hostile catalog does not block other work, and the next question is answered', async () => {
  using resolver = new ResolverThread();
  let turns = 0;
  let isOver = false;
  const turn = (): void => {
    turns += 1;
    if (!isOver) setImmediate(turn);
  };
  turn();
  const answer = resolver.next(about('hard'), options());
  const next = resolver.next(about('easy'), options());
  await expect(answer).rejects.toMatchObject({
    reason: 'ResolutionCancelled',
    message: expect.stringContaining('more than 5000000 steps') as string,
  });
  isOver = true;
  expect(turns).toBeGreaterThan(1_000);
  expect(await next).toMatchObject(chosen);
});

test('a question that takes too long or was aborted is cancelled, and others are answered', async () => {
  using hasty = new ResolverThread({ deadlineMs: 1 });
  await expect(hasty.next(about('easy'), options())).rejects.toMatchObject({
    reason: 'ResolutionCancelled',
    message: 'cancelled before a solution could be found: it took more than 1 ms',
  });
  using resolver = new ResolverThread();
  const stop = new AbortController();
  const given = resolver.next(about('hard'), options(stop.signal));
  const next = resolver.next(about('easy'), options());
  setTimeout(() => stop.abort(new Error('stopping')), 100);
  await expect(given).rejects.toThrow('stopping');
  expect(await next).toMatchObject(chosen);
});

test('a question about a catalog that was replaced meanwhile is retried', async () => {
  using resolver = new ResolverThread();
  const gone = { held: { places: [{ ...place, file: join(folder, 'other') }] }, signal: AbortSignal.timeout(60_000) };
  await expect(resolver.next(about('easy'), gone)).rejects.toMatchObject({ reason: 'CatalogReplaced' });
});
