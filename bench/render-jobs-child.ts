/** Measured process of `render-peer.ts`: takes jobs as JSON on standard input, renders each of them so often, in worker threads, and prints what it took.
 *  Arguments: the number of threads, and of rounds. The Go program beside it does the same. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { isMainThread, Worker, workerData } from 'node:worker_threads';
import { type BundleFiles, findCertificateProvider, readRegistryBundle, renderBundle } from '../src/formats/index.ts';
import { peakMemoryBytes } from './memory.ts';
import type { RenderJob, RenderTotals } from './render-peer.ts';

interface Share {
  readonly jobs: readonly RenderJob[];
  /** The next job that no thread has taken. */
  readonly next: SharedArrayBuffer;
  readonly count: number;
}

function entriesOf(dir: string): BundleFiles['metadata'] {
  const names = readdirSync(dir).toSorted();
  return names.map((name) => ({ kind: 'file', name, content: readFileSync(join(dir, name)) }));
}

function render({ path, installNamespace, targetNamespaces }: RenderJob): void {
  const files = { manifests: entriesOf(join(path, 'manifests')), metadata: entriesOf(join(path, 'metadata')) };
  const certificates = findCertificateProvider('cert-manager');
  const options = { installNamespace, targetNamespaces, amendments: 'none' } as const;
  const bundle = readRegistryBundle(files);
  const objects = renderBundle(bundle, certificates === undefined ? options : { ...options, certificates });
  for (const object of objects) JSON.stringify(object);
}

function work({ jobs, next, count }: Share): void {
  const counter = new Int32Array(next);
  for (let index = Atomics.add(counter, 0, 1); index < count; index = Atomics.add(counter, 0, 1)) {
    const job = jobs[index % jobs.length];
    if (job !== undefined) render(job);
  }
}

async function main(): Promise<void> {
  const [threads = 2, rounds = 1] = process.argv.slice(2).map(Number);
  const jobs = JSON.parse(await text(process.stdin)) as RenderJob[];
  const startedMs = performance.now();
  const share: Share = { jobs, next: new SharedArrayBuffer(4), count: jobs.length * rounds };
  const others = Array.from({ length: threads - 1 }, () => {
    const worker = new Worker(new URL(import.meta.url), { workerData: share });
    return new Promise<void>((resolve, reject) => worker.once('error', reject).once('exit', () => resolve()));
  });
  work(share);
  await Promise.all(others);
  const { user, system } = process.cpuUsage();
  const totals: RenderTotals = {
    renderings: share.count,
    cpuMs: (user + system) / 1000,
    wallMs: performance.now() - startedMs,
    peakBytes: peakMemoryBytes(),
  };
  process.stdout.write(`${JSON.stringify(totals)}\n`);
}

if (isMainThread) await main();
else work(workerData as Share);
