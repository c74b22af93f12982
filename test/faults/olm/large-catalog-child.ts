/** Unpacks the image of a catalog as the controllers do, resolves a namespace that subscribes to its last packages, and prints what became of it, with the most
 *  memory and disk that this process had. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { defaultContentLimits } from '../../../src/base/index.ts';
import { CatalogThreads } from '../../../src/olm/catalog-content/unpack-thread.ts';
import { createResolver } from '../../../src/olm/subscription/resolver.ts';
import type { ChildReport } from '../memory-child.ts';
import { measurePeaks } from '../peak-usage.ts';

interface Task {
  readonly ref: string;
  readonly packageNames: readonly string[];
}

const { ref, packageNames } = JSON.parse(process.argv[2] ?? '') as Task;
const folder = await mkdtemp(`${tmpdir()}/large-catalog-`);
const { signal } = new AbortController();
const stop = measurePeaks(folder);
const file = `${folder}/catalog.index`;
const catalog = { name: 'large', namespace: 'olm' };

const settings = {
  limits: defaultContentLimits,
  insecureRegistries: [],
  registryCaPem: [],
  answerDeadlineMs: 20_000,
  platform: 'linux/amd64',
  deadlineMs: 10 * 60_000,
};
const terms = { pullSecrets: undefined, mirrors: undefined, policy: undefined };
using threads = new CatalogThreads();
await threads.unpack(
  { ...terms, settings, ref, askedRef: ref, isKnown: false, group: '', workDir: `${folder}/work`, file },
  signal,
);

using resolver = createResolver();
const held = {
  catalogs: [],
  places: [{ ...catalog, file, priority: 0, labels: {} }],
  unavailable: [],
  manifestsOf: () => Promise.resolve(undefined),
  [Symbol.dispose]: () => undefined,
};
const requested = packageNames.map((name) => ({ name, packageName: name, catalog }));
const resolution = { excludesOtherNamespaces: false, unavailable: [], requested, installed: [] };
const answer = await resolver.answer({ namespace: 'operators', installed: [], resolution }, held, signal);
const outcomes = [`resolution: ${answer.resolution?.outcome ?? 'none'}`, JSON.stringify(answer.resolution ?? {})];
const peaks = stop();
await rm(folder, { recursive: true, force: true });
process.stdout.write(JSON.stringify({ outcomes, ...peaks } satisfies ChildReport));
