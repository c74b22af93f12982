import { randomBytes, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { createGzip, gzipSync, zstdCompressSync } from 'node:zlib';
import { describe, expect, test, vi } from 'vitest';
import { type TarEntry, tarFile } from '../../cli/examples/tar-file.ts';
import { eventually } from '../../test/support/eventually.ts';
import { defaultContentLimits } from '../base/index.ts';
import { extractArchive } from './archive.ts';
import { Staging } from './staging.ts';

const signal = new AbortController().signal;
const limits = { ...defaultContentLimits, unpackedBytes: 1024 * 1024, entries: 100 };

async function* pieces(bytes: Buffer, pieceBytes = 1000): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes);
}

async function staged(...layers: Buffer[]): Promise<string[]> {
  await using staging = await Staging.create(`${tmpdir()}/${randomUUID()}`, limits);
  for (const [index, layer] of layers.entries()) {
    await extractArchive(pieces(layer), staging, { what: `layer ${index + 1}`, hasWhiteouts: true, signal });
  }
  staging.assertLinksInside('archive');
  const found: string[] = [];
  for (const { path, node } of staging.tree.entries()) {
    if (node.kind === 'directory') found.push(`${path}/`);
    else found.push(`${path}=${(await staging.readFile(path, node, 1000)).toString()}`);
  }
  return found;
}

const manifest: TarEntry = { path: 'manifests/a.yaml', content: 'a' };

describe.each([
  { name: 'plain', compress: (bytes: Buffer) => bytes },
  { name: 'gzip', compress: (bytes: Buffer) => gzipSync(bytes) },
  { name: 'zstd', compress: (bytes: Buffer) => zstdCompressSync(bytes) },
])('$name archives', ({ compress }) => {
  test('are extracted in order of names, links left out', async () => {
    const bytes = tarFile([
      { path: './manifests/', mode: 0o755 },
      manifest,
      { path: 'manifests/link', typeFlag: '2', linkPath: 'a.yaml' },
      { path: 'b', typeFlag: '1', linkPath: 'manifests/a.yaml' },
    ]);
    await expect(staged(compress(bytes))).resolves.toEqual(['b=a', 'manifests/', 'manifests/a.yaml=a']);
  });
});

describe('an archive without the padding at its end', () => {
  const bytes = tarFile([manifest, { path: 'b.yaml', content: 'b'.repeat(600) }]);
  // Headers of 512 bytes, and 'a' in a block of its own.
  const end = 3 * 512 + 600;

  test.each([
    { name: 'no zeros after the last block', length: end + 424 },
    { name: 'no padding after the last byte', length: end },
    { name: 'a part of the padding', length: end + 100 },
  ])('is read, as Go reads it: $name', async ({ length }) => {
    for (const compress of [(tar: Buffer) => tar, gzipSync]) {
      await expect(staged(compress(bytes.subarray(0, length)))).resolves.toContain(`b.yaml=${'b'.repeat(600)}`);
    }
  });

  test.each([
    { name: 'the last byte of a file', length: end - 1 },
    { name: 'more than a block of a file', length: end - 200 },
    { name: 'a part of a header', length: 2 * 512 + 300 },
  ])('is refused when it lacks $name', async ({ length }) => {
    await expect(staged(bytes.subarray(0, length))).rejects.toThrow(
      expect.objectContaining({ reason: 'InvalidArchive' }),
    );
  });
});

test('zeros behind gzip data are padding, in whatever pieces they come, and the source is read to its end', async () => {
  const padded = Buffer.concat([gzipSync(tarFile([manifest])), Buffer.alloc(3000)]);
  for (const pieceBytes of [100, 1000, 10_000]) {
    await using staging = await Staging.create(`${tmpdir()}/${randomUUID()}`, limits);
    let readBytes = 0;
    async function* counted(): AsyncGenerator<Buffer> {
      for await (const piece of pieces(padded, pieceBytes)) {
        readBytes += piece.length;
        yield piece;
      }
    }
    await extractArchive(counted(), staging, { what: 'layer', hasWhiteouts: true, signal });
    expect(Array.from(staging.tree.entries(), ({ path }) => path)).toContain('manifests/a.yaml');
    expect(readBytes).toBe(padded.length);
  }
});

test('a source that ends early after gzip data reports its own error', async () => {
  await using staging = await Staging.create(`${tmpdir()}/${randomUUID()}`, limits);
  async function* broken(): AsyncGenerator<Buffer> {
    yield gzipSync(tarFile([manifest]));
    yield Buffer.alloc(100);
    await Promise.resolve();
    throw new Error('the digest is another one');
  }
  const extraction = extractArchive(broken(), staging, { what: 'layer', hasWhiteouts: true, signal });
  await expect(extraction).rejects.toThrow('the digest is another one');
});

test.each([
  { name: 'a tar that is none', bytes: randomBytes(512 * 1024) },
  { name: 'gzip of a tar that is none', bytes: gzipSync(randomBytes(512 * 1024)) },
  {
    name: 'zstd that is corrupt',
    bytes: Buffer.concat([Buffer.from([0x28, 0xb5, 0x2f, 0xfd]), randomBytes(512 * 1024)]),
  },
])('the file of an archive that is refused does not stay open: $name', async ({ bytes }) => {
  const path = `${tmpdir()}/${randomUUID()}`;
  await writeFile(path, bytes);
  try {
    await using staging = await Staging.create(`${path}.spool`, limits);
    const source = createReadStream(path, { highWaterMark: 16 * 1024 });
    const extraction = extractArchive(source, staging, { what: 'layer', hasWhiteouts: true, signal });
    await expect(extraction).rejects.toThrow();
    await eventually(() => expect(source.closed).toBe(true), { timeoutMs: 10_000 });
  } finally {
    await rm(path);
  }
});

test.each<{ name: string; entries: TarEntry[]; message: string }>([
  {
    name: 'names with ..',
    entries: [{ path: 'manifests/../../hostile', content: 'x' }],
    message: 'layer 1: "manifests/../../hostile": paths with ".." are not accepted',
  },
  {
    name: 'absolute names',
    entries: [{ path: '/etc/passwd', content: 'x' }],
    message: 'layer 1: "/etc/passwd": absolute paths are not accepted',
  },
  {
    name: 'symbolic links that leave the root',
    entries: [{ path: 'manifests/up', typeFlag: '2', linkPath: '../../etc' }],
    message: 'layer 1: "manifests/up": link to "../../etc" leaves the bundle root',
  },
  {
    name: 'absolute symbolic links to where the bundle has nothing',
    entries: [manifest, { path: 'manifests/hostile', typeFlag: '2', linkPath: '/etc/passwd' }],
    message: 'archive: "manifests/hostile": link to "/etc/passwd" leaves the bundle root',
  },
  {
    name: 'files written through an earlier link',
    entries: [
      { path: 'out', typeFlag: '2', linkPath: '/etc' },
      { path: 'out/passwd', content: 'x' },
    ],
    message: 'layer 1: "out/passwd": passes through the link "out" to "/etc"',
  },
  {
    name: 'directories made through an earlier link',
    entries: [manifest, { path: 'out', typeFlag: '2', linkPath: 'manifests' }, { path: 'out/deep/er', content: 'x' }],
    message: 'layer 1: "out/deep/er": passes through the link "out" to "manifests"',
  },
  {
    name: 'hard links to the outside',
    entries: [{ path: 'manifests/shadow', typeFlag: '1', linkPath: '../../etc/shadow' }],
    message: 'layer 1: "manifests/shadow": hard link to "../../etc/shadow" leaves the bundle root',
  },
  {
    name: 'absolute hard links',
    entries: [{ path: 'manifests/shadow', typeFlag: '1', linkPath: '/etc/shadow' }],
    message: 'layer 1: "manifests/shadow": hard link to "/etc/shadow" leaves the bundle root',
  },
  {
    name: 'hard links to nothing',
    entries: [{ path: 'manifests/x', typeFlag: '1', linkPath: 'manifests/y' }],
    message: 'layer 1: "manifests/x": hard link to "manifests/y", which is not a file of the bundle',
  },
  {
    name: 'character devices',
    entries: [{ path: 'dev/null', typeFlag: '3' }],
    message: 'layer 1: "dev/null": entries of type CharacterDevice are not accepted',
  },
  {
    name: 'block devices',
    entries: [{ path: 'dev/sda', typeFlag: '4' }],
    message: 'layer 1: "dev/sda": entries of type BlockDevice are not accepted',
  },
  {
    name: 'fifos',
    entries: [{ path: 'pipe', typeFlag: '6' }],
    message: 'layer 1: "pipe": entries of type FIFO are not accepted',
  },
  {
    name: 'sockets and other unknown types',
    entries: [{ path: 'socket', typeFlag: 's' }],
    message: 'layer 1: not a valid tar archive: "socket": type Unsupported or size 0 is not accepted',
  },
  {
    name: 'sparse files of GNU tar',
    entries: [{ path: 'sparse', typeFlag: 'S' }],
    message: 'layer 1: not a valid tar archive: "sparse": type SparseFile or size 0 is not accepted',
  },
  {
    name: 'sparse files in the form of PAX, whose map would be their content',
    entries: [
      { path: 'PaxHeaders/a.yaml', typeFlag: 'x', content: '22 GNU.sparse.major=1\n22 GNU.sparse.minor=0\n' },
      { path: 'manifests/a.yaml', content: '1\n0\n512\n' },
    ],
    message: 'layer 1: "manifests/a.yaml": sparse files are not accepted: write the archive without --sparse',
  },
  {
    name: 'names over the limit',
    entries: [{ path: `manifests/${'n'.repeat(4096)}`, content: 'x' }],
    message: 'path of 4106 bytes is longer than the limit of 4096 bytes',
  },
  {
    name: 'more entries than the limit',
    entries: Array.from({ length: 101 }, (_, index) => ({ path: `f${index}` })),
    message: 'more than the limit of 100 entries',
  },
  {
    name: 'parents invented beyond the limit',
    entries: [{ path: 'd/'.repeat(150) + 'f' }],
    message: 'more than the limit of 100 entries',
  },
  {
    name: 'a link with a long target, in a few words',
    entries: [{ path: 'a', typeFlag: '2', linkPath: '../'.repeat(33_333) }],
    message: `layer 1: "a": link to "${'../'.repeat(67).slice(0, 200)}…" leaves the bundle root`,
  },
  {
    name: 'more bytes than the limit',
    entries: [{ path: 'big', content: Buffer.alloc(1024 * 1024 + 1) }],
    message: 'layer 1: "big": unpacks to more than the limit of 1048576 bytes',
  },
  {
    name: 'hard links that multiply bytes over the limit',
    entries: [
      { path: 'big', content: Buffer.alloc(600 * 1024) },
      { path: 'again', typeFlag: '1', linkPath: 'big' },
    ],
    message: 'layer 1: "again": unpacks to more than the limit of 1048576 bytes',
  },
  {
    name: 'whiteouts of nothing',
    entries: [{ path: 'manifests/.wh.' }],
    message: 'layer 1: "manifests/.wh.": hides nothing',
  },
])('refuses $name', async ({ entries, message }) => {
  await expect(staged(tarFile(entries))).rejects.toThrow(message);
});

test('refuses paths and targets of links that take much memory together', async () => {
  await using staging = await Staging.create(`${tmpdir()}/${randomUUID()}`, defaultContentLimits);
  const layer = staging.beginLayer('layer 1');
  const add = (index: number): void => layer.addLink(`${'n'.repeat(4000)}${index}`, 't'.repeat(4000));
  for (let index = 0; index < 4000; index += 1) add(index);
  expect(() => Array.from({ length: 1000 }, (_, index) => add(4000 + index))).toThrow(
    'paths of more than the limit of 33554432 bytes together',
  );
});

test('refuses records that take long to read together', async () => {
  await using staging = await Staging.create(`${tmpdir()}/${randomUUID()}`, defaultContentLimits);
  const record = tarFile([{ path: 'records', typeFlag: 'x', content: Buffer.alloc(1024 * 1024, ' ') }]).subarray(
    0,
    -1024,
  );
  let readCount = 0;
  async function* records(): AsyncGenerator<Buffer> {
    for (; readCount < 600; readCount += 1) yield record;
  }
  const extraction = extractArchive(records(), staging, { what: 'layer 1', hasWhiteouts: true, signal });
  await expect(extraction).rejects.toThrow(
    'layer 1: records of entries of more than the limit of 67108864 bytes together',
  );
  expect(readCount).toBeLessThan(100);
});

test('keeps names like __proto__ as ordinary names', async () => {
  const names = ['__proto__/constructor', 'constructor', 'prototype'];
  await expect(staged(tarFile(names.map((path) => ({ path, content: 'x' }))))).resolves.toEqual([
    '__proto__/',
    '__proto__/constructor=x',
    'constructor=x',
    'prototype=x',
  ]);
});

test('an absolute link counts from the root of the bundle, as in a container', async () => {
  const bytes = tarFile([
    { path: 'bin/busybox', content: 'b' },
    { path: 'bin/sh', typeFlag: '2', linkPath: '/bin/busybox' },
  ]);
  await expect(staged(bytes)).resolves.toEqual(['bin/', 'bin/busybox=b']);
});

describe('layers', () => {
  const base = tarFile([
    { path: 'manifests/a.yaml', content: 'a' },
    { path: 'manifests/b.yaml', content: 'b' },
    { path: 'manifests/deep/c.yaml', content: 'c' },
  ]);

  test('a whiteout hides a file and a directory of an earlier layer', async () => {
    const top = tarFile([{ path: 'manifests/.wh.a.yaml' }, { path: 'manifests/.wh.deep' }]);
    await expect(staged(base, top)).resolves.toEqual(['manifests/', 'manifests/b.yaml=b']);
  });

  test('an opaque directory hides what earlier layers brought and keeps its own layer, in any order', async () => {
    const own = { path: 'manifests/new.yaml', content: 'n' };
    const opaque = { path: 'manifests/.wh..wh..opq' };
    const expected = ['manifests/', 'manifests/new.yaml=n'];
    await expect(staged(base, tarFile([opaque, own]))).resolves.toEqual(expected);
    await expect(staged(base, tarFile([own, opaque]))).resolves.toEqual(expected);
  });

  test('are gone through once, however many whiteouts one of them has', async () => {
    await using staging = await Staging.create(`${tmpdir()}/${randomUUID()}`, limits);
    staging.beginLayer('layer 1').addDirectory('manifests/deep');
    const layer = staging.beginLayer('layer 2');
    for (const name of ['manifests/a', 'manifests/deep/b', 'manifests/new/c']) layer.addLink(name, 'target');
    const looks = ['manifests', 'manifests/deep', 'manifests/new'].map((path) => {
      const found = staging.tree.get(path.split('/'));
      if (found?.kind !== 'directory') throw new Error(`expected the directory ${path}`);
      return vi.spyOn(found.children, Symbol.iterator);
    });
    for (const hidden of ['manifests/deep', '', 'manifests', 'manifests/new']) {
      for (let count = 0; count < 100; count += 1) layer.hideChildren(hidden);
      layer.hide(hidden === '' ? 'manifests' : hidden);
    }
    expect(looks.map(({ mock }) => mock.calls.length)).toEqual([1, 1, 0]);
    expect(staging.tree.links().map(({ path }) => path)).toEqual([
      'manifests/a',
      'manifests/new/c',
      'manifests/deep/b',
    ]);
  });

  test('a later layer replaces a file, a file by a directory and a directory by a file', async () => {
    const top = tarFile([
      { path: 'manifests/a.yaml', content: 'A' },
      { path: 'manifests/b.yaml/', mode: 0o755 },
      { path: 'manifests/deep', content: 'd' },
    ]);
    await expect(staged(base, top)).resolves.toEqual([
      'manifests/',
      'manifests/a.yaml=A',
      'manifests/b.yaml/',
      'manifests/deep=d',
    ]);
  });

  test('a whiteout does not reach outside', async () => {
    await expect(staged(base, tarFile([{ path: '../.wh.etc' }]))).rejects.toThrow(
      'layer 2: "../etc": paths with ".." are not accepted',
    );
    await expect(staged(base, tarFile([{ path: 'x/.wh...' }]))).rejects.toThrow('paths with ".." are not accepted');
  });
});

/** The first byte in a frame of its own. */
function inFrames(bytes: Buffer): Buffer {
  return Buffer.concat([zstdCompressSync(bytes.subarray(0, 1)), zstdCompressSync(bytes.subarray(1))]);
}

test.each([
  {
    name: 'text',
    bytes: Buffer.from('hello '.repeat(200)),
    message: 'layer 1: not a valid tar archive: checksum failure',
  },
  {
    name: 'broken gzip',
    bytes: Buffer.concat([gzipSync('x').subarray(0, 12), Buffer.alloc(50, 1)]),
    message: 'layer 1: cannot be decompressed',
  },
  {
    name: 'truncated gzip',
    bytes: gzipSync(tarFile([manifest])).subarray(0, 60),
    message: 'layer 1: cannot be decompressed: unexpected end of file',
  },
  {
    name: 'a truncated tar',
    bytes: tarFile([{ path: 'f', content: 'x'.repeat(5000) }]).subarray(0, 3000),
    message: 'not a valid tar archive: Truncated input',
  },
  { name: 'gzip in gzip', bytes: gzipSync(gzipSync(tarFile([manifest]))), message: 'layer 1: compressed twice' },
  { name: 'gzip in frames of zstd', bytes: inFrames(gzipSync(tarFile([manifest]))), message: 'compressed twice' },
])('refuses $name', async ({ bytes, message }) => {
  await expect(staged(bytes)).rejects.toThrow(message);
});

test('Q18 stops a bomb at the limit, regardless of its headers', async () => {
  const spoolPath = `${tmpdir()}/${randomUUID()}`;
  await using staging = await Staging.create(spoolPath, { ...limits, unpackedBytes: 8 * 1024 * 1024 });
  const zeros = Buffer.alloc(1024 * 1024);
  const gzip = createGzip();
  async function* bomb(): AsyncGenerator<Buffer> {
    yield tarFile([{ path: 'a', content: zeros }]).subarray(0, -1024);
    for (let count = 0; count < 10_000; count++)
      yield tarFile([{ path: `b${count % 50}`, content: zeros }]).subarray(0, -1024);
  }
  const { Readable } = await import('node:stream');
  Readable.from(bomb()).pipe(gzip);
  const extraction = extractArchive(gzip, staging, { what: 'layer', hasWhiteouts: true, signal });
  await expect(extraction).rejects.toThrow('unpacks to more than the limit of 8388608 bytes');
  expect((await stat(spoolPath)).size).toBeLessThanOrEqual(8 * 1024 * 1024);
});

test('archives with very many entries do not hold up a small one that arrives after them', async () => {
  const entries = Array.from({ length: 8000 }, (_, index) => ({ path: `d${index}/`, mode: 0o755 }));
  const stop = new AbortController();
  let otherCount = 0;
  const countOther = (): boolean => {
    otherCount += 1;
    return true;
  };
  const extract = async (bytes: Buffer, takes?: () => boolean): Promise<void> => {
    const spoolPath = `${tmpdir()}/${randomUUID()}`;
    await using staging = await Staging.create(spoolPath, { ...limits, unpackedBytes: 1e8, entries: 10_000 });
    await extractArchive(pieces(bytes, bytes.length), staging, {
      what: 'layer',
      hasWhiteouts: true,
      takes,
      signal: stop.signal,
    });
  };
  const large = gzipSync(tarFile(entries));
  const all = Array.from({ length: 12 }, () => extract(large, countOther));
  await eventually(() => expect(otherCount).toBeGreaterThan(0));
  otherCount = 0;
  await extract(gzipSync(tarFile([manifest])));
  // Without turns, each of them has a whole piece whenever the small one waits for a file.
  expect(otherCount).toBeLessThan(12 * 512 * 2);
  stop.abort();
  await Promise.allSettled(all);
});
