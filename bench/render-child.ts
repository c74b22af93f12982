/** Measured process of `render.ts`: reads and renders every bundle of the corpus in every mode, round after round; a line of JSON a round. */
import { findCertificateProvider, readRegistryBundle, renderBundle } from '../src/formats/index.ts';
import { corpusBundle, expectedModes, expectedRenderings } from '../test/support/corpus.ts';
import { peakMemoryBytes } from './memory.ts';

/** One round over the corpus. */
export interface RenderRound {
  readonly bundles: number;
  readonly renderings: number;
  /** Processor time of this process, which has one busy thread. */
  readonly cpuMs: number;
  readonly rssBytes: number;
  readonly peakBytes: number;
}

/** How often a bundle is read: once for all its renderings, or again for each. */
export type ReadPolicy = 'read once' | 'read each time';

const rounds = Number(process.argv[2] ?? '1');
const policy = (process.argv[3] ?? 'read once') as ReadPolicy;
const certificates = findCertificateProvider('cert-manager');
const subjects = expectedRenderings().map(({ bundle, installNamespace, renderings }) => {
  const modes = Object.entries(renderings).filter(([, { objects }]) => objects !== undefined);
  return { bundle, installNamespace, targets: modes.map(([mode]) => expectedModes[mode] ?? []) };
});

function renderAll(): number {
  let renderings = 0;
  for (const { bundle, installNamespace, targets } of subjects) {
    let read = readRegistryBundle(corpusBundle(bundle));
    for (const [index, targetNamespaces] of targets.entries()) {
      if (policy === 'read each time' && index > 0) read = readRegistryBundle(corpusBundle(bundle));
      const options = { installNamespace, targetNamespaces, amendments: 'none' } as const;
      renderBundle(read, certificates === undefined ? options : { ...options, certificates });
      renderings++;
    }
  }
  return renderings;
}

for (let round = 0; round < rounds; round++) {
  const before = process.cpuUsage();
  const renderings = renderAll();
  const { user, system } = process.cpuUsage(before);
  const result: RenderRound = {
    bundles: subjects.length,
    renderings,
    cpuMs: (user + system) / 1000,
    rssBytes: process.memoryUsage.rss(),
    peakBytes: peakMemoryBytes(),
  };
  process.stdout.write(`${JSON.stringify(result)}\n`);
}
