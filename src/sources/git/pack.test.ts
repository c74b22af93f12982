import { execFileSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { deflateSync } from 'node:zlib';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  distance,
  entryHeader,
  object,
  ofsDelta,
  packOf,
  refDelta,
  repetition,
  varint,
} from '../../../test/support/git-pack.ts';
import { sha1Format, sha256Format } from './object-format.ts';
import { Pack, type PackSize } from './pack.ts';
import { writePack } from './pack-file.ts';

const { signal } = new AbortController();
let dir: string;
let fileCount = 0;
beforeAll(async () => {
  dir = await mkdtemp(`${tmpdir()}/pack-`);
});
afterAll(() => rm(dir, { recursive: true, force: true }));

function git(cwd: string, args: readonly string[], input?: string | Buffer): Buffer {
  const identity = ['-c', 'user.name=t', '-c', 'user.email=t@example.com', '-c', 'init.defaultBranch=main'];
  return execFileSync('git', [...identity, ...args], { cwd, input, maxBuffer: 1e9, stdio: ['pipe', 'pipe', 'pipe'] });
}

async function open(bytes: Buffer, maxBytes = 1e8, size: PackSize = 'large'): Promise<Pack> {
  const path = `${dir}/${(fileCount += 1)}.pack`;
  async function* pieces(): AsyncGenerator<Buffer> {
    for (let at = 0; at < bytes.length; at += 60_000) yield bytes.subarray(at, at + 60_000);
  }
  await writePack(pieces(), { path, format: sha1Format, maxBytes, signal });
  return await Pack.open({ path, format: sha1Format, size, signal });
}

/** A delta that changes the last eight bytes. */
function changing(sizeBytes: number, mark: number): Buffer {
  const copied = sizeBytes - 8;
  const copy = [0xf0, copied & 0xff, (copied >> 8) & 0xff, (copied >> 16) & 0xff, 8];
  const head = Buffer.from([...varint(sizeBytes), ...varint(sizeBytes), ...copy]);
  return Buffer.concat([head, Buffer.from(`${mark}`.padStart(8))]);
}

/** Every object of a pack, with its content, as the git program reads it. */
async function assertAsGit(repository: string, options: readonly string[]): Promise<number> {
  const format = options.includes('--object-format=sha256') ? sha256Format : sha1Format;
  const folder = `${repository}/.git/objects/pack`;
  const name = (await readdir(folder)).find((file) => file.endsWith('.pack')) ?? '';
  await using pack = await Pack.open({ path: `${folder}/${name}`, format, size: 'large', signal });
  const listed = git(repository, ['cat-file', '--batch-all-objects', '--batch-check=%(objectname) %(objecttype)']);
  const expected = listed.toString().trim().split('\n').sort();
  expect([...pack.list()].map(({ oid, type }) => `${oid} ${type}`).sort()).toEqual(expected);
  for (const line of expected) {
    const [oid = '', type = ''] = line.split(' ');
    const content = await pack.readWhole(oid, { type, maxBytes: 1e8 });
    const digest = createHash(format.algorithm).update(`${type} ${content.length}\0`).update(content).digest('hex');
    expect(digest).toBe(oid);
  }
  return expected.length;
}

describe('a pack is read as the git program reads it', () => {
  test.each([
    { name: 'with deltas by distance', init: [], repack: ['--window=50', '--depth=200'] },
    { name: 'without deltas', init: [], repack: ['--window=0'] },
    { name: 'with deltas by name', init: [], repack: ['-c', 'repack.useDeltaBaseOffset=false'] },
    { name: 'with objects named by SHA-256', init: ['--object-format=sha256'], repack: [] },
  ])('$name', async ({ init, repack }) => {
    const repository = await mkdtemp(`${dir}/repository-`);
    git(repository, ['init', '-q', ...init]);
    const lines = Array.from({ length: 300 }, (_, index) => `line ${index} of a file that changes a little`);
    for (let round = 0; round < 20; round += 1) {
      lines[(round * 7) % 300] = `changed in round ${round}`;
      await mkdir(`${repository}/a/${round}`, { recursive: true });
      await writeFile(`${repository}/a/${round}/file.txt`, lines.slice(0, 10 * round).join('\n'));
      await writeFile(`${repository}/large.txt`, `${lines.join('\n')}\n`.repeat(round === 15 ? 200 : 1));
      git(repository, ['add', '-A']);
      git(repository, ['commit', '-qm', `round ${round}`]);
    }
    git(repository, ['tag', '-a', '-m', 'release', 'v1']);
    const settings = repack[0] === '-c' ? repack : [];
    git(repository, [...settings, 'repack', '-adfq', ...(settings.length > 0 ? [] : repack)]);
    expect(await assertAsGit(repository, init)).toBeGreaterThan(100);
  });
});

describe('a hostile pack', () => {
  const base = Buffer.alloc(60_000, 'base');
  const small = Buffer.from('small');
  const first = object(3, small);

  test.each([
    {
      name: 'a delta that makes an object of 4 GB',
      pack: () => packOf([object(3, base), ofsDelta(object(3, base).length, repetition(base.length, 70_000))]),
      reason: 'DeltaTooLarge',
    },
    {
      name: 'a delta with a declared size of 4 GB',
      pack: () => packOf([first, Buffer.concat([entryHeader(6, 4e9), distance(first.length), deflateSync(small)])]),
      reason: 'DeltaTooLarge',
    },
    {
      name: 'an object that inflates to more than its declared size',
      pack: () => packOf([Buffer.concat([entryHeader(3, 10), deflateSync(Buffer.alloc(1e7))])]),
      reason: 'InvalidPack',
    },
    {
      name: 'a large object that inflates to more than its declared size',
      pack: () => packOf([Buffer.concat([entryHeader(3, 2e6), deflateSync(Buffer.alloc(3e7))])]),
      reason: 'InvalidPack',
    },
    {
      name: 'an object whose declared size is larger than anything',
      pack: () => packOf([Buffer.concat([entryHeader(3, 2 ** 45), deflateSync(small)])]),
      reason: 'UnpackedTooLarge',
    },
    { name: 'more objects than allowed', pack: () => packOf([first], 4_000_000_000), reason: 'TooManyObjects' },
    { name: 'more objects than bytes', pack: () => packOf([first], 900_000), reason: 'InvalidPack' },
    { name: 'fewer objects than bytes', pack: () => packOf([first, first], 1), reason: 'InvalidPack' },
    {
      name: 'a delta whose base is not there',
      pack: () => packOf([refDelta(Buffer.alloc(20), repetition(5, 1))]),
      reason: 'InvalidPack',
    },
    {
      name: 'a delta that is based on itself',
      pack: () => packOf([first, ofsDelta(0, repetition(5, 1))]),
      reason: 'InvalidPack',
    },
    {
      name: 'a delta on the middle of an object',
      pack: () => packOf([first, ofsDelta(3, repetition(5, 1))]),
      reason: 'InvalidPack',
    },
    {
      name: 'a delta that copies from beyond its base',
      pack: () => packOf([first, ofsDelta(first.length, repetition(6, 1))]),
      reason: 'InvalidPack',
    },
    { name: 'an unknown type', pack: () => packOf([object(5, small)]), reason: 'InvalidPack' },
    {
      name: 'another version',
      pack: () => Buffer.from(packOf([first])).fill(9, 7, 8),
      reason: 'UnsupportedRepository',
    },
    { name: 'no pack', pack: () => Buffer.from('<html>what is this</html>'), reason: 'TransferBroken' },
    {
      name: 'a wrong checksum',
      pack: () => Buffer.concat([packOf([first]).subarray(0, -1), Buffer.from([0])]),
      reason: 'TransferBroken',
    },
    { name: 'an end that comes early', pack: () => packOf([first, first]).subarray(0, -25), reason: 'TransferBroken' },
  ])('is refused: $name', async ({ pack, reason }) => {
    await expect(open(pack())).rejects.toThrow(expect.objectContaining({ reason }));
  });

  test('whose contents do not fit into memory together is read all the same', async () => {
    const content = Buffer.alloc(100_000, 'x');
    const root = object(3, content);
    const entries = [root];
    let back = root.length;
    for (let depth = 0; depth < 800; depth += 1) {
      const delta = changing(content.length, depth);
      const entry = ofsDelta(back, delta);
      const leaf = ofsDelta(back + entry.length, repetition(content.length, 1));
      entries.push(entry, leaf);
      back = entry.length + leaf.length;
    }
    await using pack = await open(packOf(entries), 1e8, 'huge');
    expect([...pack.list()]).toHaveLength(1601);
  });

  test('of which a small one may not make as much is refused before memory is taken for that', async () => {
    const oneMebibyte = object(3, Buffer.alloc(1024 ** 2));
    const delta = Buffer.from([...varint(1024 ** 2), ...varint(60 * 1024 ** 2)]);
    const small = open(packOf([oneMebibyte, ofsDelta(oneMebibyte.length, delta)]), 1e8, 'small');
    await expect(small).rejects.toThrow(expect.objectContaining({ reason: 'UnpackedTooLarge' }));
  });

  test('whose files take more to read than its bytes are worth is refused before they are read', async () => {
    const content = Buffer.alloc(1024 ** 2);
    // For its bytes the pack may be opened.
    const entries = [object(3, randomBytes(512 * 1024)), object(3, content)];
    for (let depth = 0; depth < 20; depth += 1) {
      entries.push(ofsDelta(entries.at(-1)?.length ?? 0, changing(content.length, depth)));
    }
    await using pack = await open(packOf(entries), 1e8, 'large');
    const planAll = (): void => {
      for (const { oid } of pack.list()) pack.plan(oid);
    };
    expect(planAll).toThrow(/more than the limit of 3\d{7} bytes/);
  });

  test.each(['small', 'large'] as const)('of a few KiB is no %s one where it unpacks to many MiB', async (size) => {
    const content = Buffer.alloc(1024 ** 2);
    const oid = createHash('sha1').update(`blob ${content.length}\0`).update(content).digest();
    const copies = Array.from({ length: 10 }, () => refDelta(oid, repetition(1024 ** 2, 1)));
    const opened = open(packOf([object(3, content), ...copies]), 1e8, size);
    await expect(opened).rejects.toThrow(expect.objectContaining({ reason: 'UnpackedTooLarge' }));
  });

  test('with a chain that is deeper than git makes any is refused', async () => {
    const entries = [first];
    for (let depth = 0; depth < 5000; depth += 1) entries.push(ofsDelta(entries.at(-1)?.length ?? 0, repetition(5, 1)));
    const opened = open(packOf(entries), 1e8, 'huge');
    await expect(opened).rejects.toThrow(expect.objectContaining({ reason: 'DeltaTooDeep' }));
  });

  test('with many deltas by the name of an object that it has many times is read in one pass', async () => {
    const count = 6_000;
    const oid = createHash('sha1').update(`blob ${small.length}\0`).update(small).digest();
    const deltas = Array.from({ length: count }, () => refDelta(oid, repetition(small.length, 2)));
    await using pack = await open(packOf([...Array.from({ length: count }, () => first), ...deltas]), 1e8, 'huge');
    const twice = createHash('sha1')
      .update(`blob ${2 * small.length}\0`)
      .update(small)
      .update(small)
      .digest('hex');
    expect(Array.from(pack.list(), (entry) => entry.oid).filter((name) => name === twice)).toHaveLength(count);
    expect(pack.has(twice)).toBe(true);
  });

  test('leaves no file behind', async () => {
    const path = `${dir}/left.pack`;
    async function* pieces(): AsyncGenerator<Buffer> {
      yield packOf([first]);
      throw new Error('cut');
    }
    await expect(writePack(pieces(), { path, format: sha1Format, maxBytes: 1e6, signal })).rejects.toThrow('cut');
    await expect(readFile(path)).rejects.toThrow('ENOENT');
  });

  test('of any bytes is read, or refused with a reason', async () => {
    const good = packOf([object(3, base), ofsDelta(object(3, base).length, repetition(base.length, 2)), first]);
    const changes = fc.array(fc.tuple(fc.nat(good.length - 21), fc.nat(255)), { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(changes, async (list) => {
        const bytes = Buffer.from(good);
        for (const [at, value] of list) bytes[at] = value;
        const body = bytes.subarray(0, -20);
        const sealed = Buffer.concat([body, createHash('sha1').update(body).digest()]);
        try {
          await using pack = await open(sealed);
          expect([...pack.list()].length).toBeGreaterThan(0);
        } catch (thrown) {
          expect(thrown).toEqual(expect.objectContaining({ reason: expect.any(String) as string }));
        }
      }),
      { numRuns: 200 },
    );
  });
});
