import { createHash } from 'node:crypto';
import { deflateSync } from 'node:zlib';
import { isJsonObject, type JsonValue, TerminalError, turnTaker } from '../../../src/base/index.ts';
import { applyDelta } from '../../../src/sources/git/delta.ts';
import { textPacket } from '../../../src/sources/git/pkt-line.ts';
import { fetchGit } from '../../../src/sources/git.ts';
import { distance, entryHeader, packOf, varint } from '../../support/git-pack.ts';
import { fetchDeps, fetchResult, openBesideWeb } from './source-servers.ts';
import { type FuzzTarget, promised, pureTarget, type Result } from './target.ts';

const { signal } = new AbortController();
const flush = '0000';
const typeNumbers: Readonly<Record<string, number>> = { commit: 1, tree: 2, blob: 3, tag: 4, ofs: 6, ref: 7 };

/** An entry of a pack in a seed. */
interface Entry {
  readonly type: string;
  /** In latin1. */
  readonly content: string;
  /** How many entries before it a delta has its base, or the name of that. */
  readonly base?: number | string;
  /** Another size than that of the content. */
  readonly size?: number;
}

function oidOf(type: string, content: string): string {
  const bytes = Buffer.from(content, 'latin1');
  return createHash('sha1').update(`${type} ${bytes.length}\0`).update(bytes).digest('hex');
}

const latin1 = (bytes: Buffer): string => bytes.toString('latin1');
const file = 'kind: ConfigMap\n'.repeat(20);
/** The file with two bytes more. */
const delta = latin1(
  Buffer.from([
    ...varint(file.length),
    ...varint(file.length + 2),
    0xb0,
    file.length & 0xff,
    file.length >> 8,
    2,
    35,
    10,
  ]),
);
const changed = `${file}#\n`;
const tree = ['a.yaml', 'b.yaml']
  .map((name, index) => `100644 ${name}\0${latin1(Buffer.from(oidOf('blob', index === 0 ? file : changed), 'hex'))}`)
  .join('');
const commit = `tree ${oidOf('tree', tree)}\nauthor t <t@example.com> 0 +0000\ncommitter t <t@example.com> 0 +0000\n\nc\n`;
const tip = oidOf('commit', commit);
const objects: readonly Entry[] = [
  { type: 'commit', content: commit },
  { type: 'tree', content: tree },
  { type: 'blob', content: file },
];

function entryOf({ type, content, base, size }: Entry, starts: readonly number[], at: number): Buffer {
  const bytes = Buffer.from(String(content), 'latin1');
  const head = entryHeader(typeNumbers[type] ?? 5, Math.abs(Math.trunc(Number(size ?? bytes.length))) || 0);
  const back = typeof base === 'number' ? (starts[starts.length - base] ?? 0) : 0;
  const named =
    type === 'ofs' ? distance(Math.max(0, at - back)) : Buffer.from(type === 'ref' ? String(base) : '', 'hex');
  return Buffer.concat([head, named, deflateSync(bytes)]);
}

/** A pack of the entries, whose digest is right. */
function buildPack(entries: readonly Entry[]): Buffer {
  const starts: number[] = [];
  const built: Buffer[] = [];
  let at = 12;
  for (const entry of entries) {
    const bytes = entryOf(entry, starts, at);
    starts.push(at);
    built.push(bytes);
    at += bytes.length;
  }
  return packOf(built);
}

function sideBands(bytes: Buffer): Buffer {
  const head = (bytes.length + 5).toString(16).padStart(4, '0');
  return Buffer.concat([Buffer.from(`${head}\x01`, 'latin1'), bytes, Buffer.from(flush)]);
}

const advertisement = `${textPacket('# service=git-upload-pack\n')}${flush}${textPacket(`${tip} refs/heads/main\0side-band-64k ofs-delta shallow object-format=sha1\n`)}${flush}`;
const negotiated = `${textPacket(`shallow ${tip}\n`)}${flush}${textPacket('NAK\n')}`;

function answers(first: Buffer, second: Buffer) {
  return (
    { method }: { method?: string },
    response: { writeHead: (code: number, headers: object) => { end: (body: Buffer) => void } },
  ): void => {
    const kind = method === 'POST' ? 'result' : 'advertisement';
    response
      .writeHead(200, { 'content-type': `application/x-git-upload-pack-${kind}` })
      .end(method === 'POST' ? second : first);
  };
}

function fetchFrom(url: string, folder: string): Promise<Result> {
  const source = { type: 'git', git: { repository: `${url}/a.git`, ref: { branch: 'main' } } };
  const deps = { ...fetchDeps, temporaryDir: folder };
  return fetchResult(folder, (staging) => fetchGit(deps, { source, staging }, { signal }));
}

/** Stands between the two answers of a server in an input. */
const separator = Buffer.from('\n--answer--\n');

/** What a git server sends, as bytes: its advertisement of refs and its answer with a pack. */
export function gitServers(): FuzzTarget {
  const withDelta: Entry[] = [...objects, { type: 'ofs', base: 1, content: delta }];
  const packs = [buildPack(withDelta), buildPack([...objects, { type: 'blob', content: changed }])];
  const seeds = packs.map((pack) =>
    Buffer.concat([Buffer.from(advertisement), separator, Buffer.from(negotiated), sideBands(pack)]),
  );
  return {
    name: 'git servers',
    seeds,
    words: [
      '0000',
      '0001',
      '0002',
      '0003',
      '0004',
      '0005',
      'ffff',
      '\x01',
      '\x02',
      '\x03',
      'ERR ',
      'ACK ',
      'NAK\n',
      'shallow ',
      '\0',
      '^{}',
      'refs/heads/main',
      'PACK',
      '# service=',
    ],
    open: () =>
      openBesideWeb(
        (input) => {
          const at = input.indexOf(separator);
          const [end, start] = at < 0 ? [input.length, input.length] : [at, at + separator.length];
          return answers(input.subarray(0, end), input.subarray(start)) as never;
        },
        (_, { url, folder }) => fetchFrom(url, folder),
      ),
  };
}

function entriesIn(input: Buffer): readonly Entry[] {
  let value: JsonValue = [];
  try {
    value = JSON.parse(input.toString()) as JsonValue;
  } catch {
    // Corrupted as bytes: it is no pack of anything.
  }
  return Array.isArray(value) ? (value.filter(isJsonObject) as unknown as Entry[]) : [];
}

/** Packs whose digests are right and whose objects and deltas are not. */
export function gitPacks(): FuzzTarget {
  const seeds = [
    [...objects, { type: 'ofs', base: 1, content: delta }],
    [...objects, { type: 'ref', base: oidOf('blob', file), content: delta }],
    [...objects, { type: 'ofs', base: 1, content: delta }, { type: 'ofs', base: 1, content: delta, size: 7 }],
  ].map((entries) => Buffer.from(JSON.stringify(entries)));
  return {
    name: 'git packs',
    seeds,
    words: [
      '"ofs"',
      '"ref"',
      '"tag"',
      '"tree"',
      '"size":',
      '"base":',
      '-1',
      '99999999',
      '40000 ..',
      '120000 a',
      '160000 a',
      '\\u0000',
      '\\u00ff',
    ],
    open: () =>
      openBesideWeb(
        (input) => {
          const pack = sideBands(buildPack(entriesIn(input)));
          return answers(Buffer.from(advertisement), Buffer.concat([Buffer.from(negotiated), pack])) as never;
        },
        (_, { url, folder }) => fetchFrom(url, folder),
      ),
  };
}

const maxResultBytes = 100_000;

/** Deltas alone. */
export function gitDeltas(): FuzzTarget {
  const base = Buffer.from(file);
  const seeds = [Buffer.from(delta, 'latin1'), Buffer.from([...varint(file.length), 3, 3, 1, 2, 3])];
  const limits = { maxBytes: maxResultBytes, turns: turnTaker(new AbortController().signal) };
  return pureTarget({ name: 'git deltas', seeds, words: ['\xff', '\x80', '\0', '\x7f'] }, async (input) => {
    try {
      promised((await applyDelta(base, input, limits)).length <= maxResultBytes, 'a result beyond the limit');
      return 'accepted';
    } catch (thrown) {
      if (thrown instanceof TerminalError) return 'refused';
      throw thrown;
    }
  });
}
