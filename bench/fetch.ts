import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type GitServer, type Registry, startGitServer, startRegistry } from '../test/support/index.ts';
import { startChild } from './child.ts';
import { gitProgram, imageTools, type PeerProgram } from './peer-programs.ts';
import { type Measurement, median } from './table.ts';

interface UnpackFacts {
  readonly tookMs: number;
  readonly sizeBytes: number;
  readonly peakBytes: number;
}

/** What is fetched, and the peer that also fetches it. */
interface Subject {
  readonly what: string;
  readonly source: Readonly<Record<string, unknown>>;
  /** A small source of the same type, for the warm-up. */
  readonly warm: Readonly<Record<string, unknown>>;
  /** Or the reason why there is none. */
  readonly peer: PeerProgram | string;
}

const mebibyte = 1024 * 1024;
const runs = 5;
const manifest = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: bench}\n';

function pushed(registry: Registry, name: string, files: Readonly<Record<string, string | Uint8Array>>): string {
  registry.putImage(name, [{ files: { 'manifests/bench.yaml': manifest, ...files } }]);
  return `${registry.host}/${name}`;
}

async function imageSubject(
  registry: Registry,
  what: string,
  files: Readonly<Record<string, string | Uint8Array>>,
): Promise<Subject> {
  const ref = pushed(registry, `${what.replaceAll(/[^a-z0-9]+/gi, '-').toLowerCase()}:bench`, files);
  const warm = pushed(registry, 'warm:latest', {});
  const ofImage = (reference: string): Subject['source'] => ({ type: 'image', image: { ref: reference } });
  return { what, source: ofImage(ref), warm: ofImage(warm), peer: await imageTools(ref) };
}

async function gitSubject(server: GitServer, what: string, commits: number): Promise<Subject> {
  const history = Array.from({ length: commits }, (_, number) => ({
    files: { 'manifests/bench.yaml': manifest, 'history.txt': `change ${number}\n` },
  }));
  await server.createRepository('bench', history);
  await server.createRepository('warm', history.slice(0, 1));
  const ofGit = (name: string): Subject['source'] => {
    return { type: 'git', git: { repository: `${server.url}/${name}`, ref: { branch: 'main' } } };
  };
  return { what, source: ofGit('bench'), warm: ofGit('warm'), peer: await gitProgram(`${server.url}/bench`) };
}

async function inFolder<T>(work: (dir: string) => Promise<T>): Promise<T> {
  const dir = await mkdtemp(join(tmpdir(), 'longshore-bench-'));
  try {
    return await work(dir);
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

async function unpackOnce({ warm, source }: Subject): Promise<UnpackFacts> {
  return await inFolder(async (dir) => {
    await using child = startChild('unpack-child.ts', [dir, JSON.stringify(warm), JSON.stringify(source)]);
    await child.next();
    return await child.next<UnpackFacts>();
  });
}

async function workOnce({ work }: PeerProgram): Promise<number> {
  return await inFolder(async (dir) => {
    const startedMs = performance.now();
    await work(dir);
    return performance.now() - startedMs;
  });
}

/** In turn, so that load on the machine affects both. */
async function measure(subject: Subject): Promise<Measurement[]> {
  const { what, peer } = subject;
  const ours: UnpackFacts[] = [];
  const theirs: number[] = [];
  for (let run = 0; run < runs; run++) {
    ours.push(await unpackOnce(subject));
    if (typeof peer !== 'string') theirs.push(await workOnce(peer));
  }
  const tookMs = median(ours.map((fact) => fact.tookMs));
  const peak = (median(ours.map((fact) => fact.peakBytes)) / mebibyte).toFixed(0);
  const sizeBytes = ours[0]?.sizeBytes ?? 0;
  const rate = sizeBytes > 10 * mebibyte ? `${(sizeBytes / 1000 / tookMs).toFixed(0)} MB/s, ` : '';
  const own: Measurement = { what, value: `${tookMs.toFixed(0)} ms (${rate}peak ${peak} MiB)` };
  if (typeof peer === 'string') return [own, { what: '  beside', value: `not measured: ${peer}` }];
  const peerMs = median(theirs);
  const ratio = peerMs / tookMs;
  const value = `${peerMs.toFixed(0)} ms, ${ratio.toFixed(2)} times ours`;
  return [
    { ...own, ratio },
    { what: `  ${peer.name}`, value, goal: 'over 1' },
  ];
}

/** From a server on loopback to stored and checked by a running unpacker, compared with the programs that users would run instead. */
export async function measureFetch(): Promise<Measurement[]> {
  await using registry = await startRegistry();
  await using repositories = await startGitServer();
  const small = Array.from({ length: 1000 }, (_, number) => [`data/${number}.txt`, `file ${number}\n`.repeat(50)]);
  const subjects = [
    await imageSubject(registry, 'Image of 1,000 small files', Object.fromEntries(small) as Record<string, string>),
    await imageSubject(registry, 'Image of 200 MiB', { 'data.bin': randomBytes(200 * mebibyte) }),
    await gitSubject(repositories, 'Repository of 1,000 commits', 1000),
  ];
  const measurements: Measurement[] = [];
  for (const subject of subjects) measurements.push(...(await measure(subject)));
  return measurements;
}
