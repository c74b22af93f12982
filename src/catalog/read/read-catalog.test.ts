import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { defaultContentLimits } from '../../base/index.ts';
import { Staging } from '../../content/index.ts';
import type { Meta } from '../meta.ts';
import { canonicalMeta } from '../write/canonical.ts';
import { UnreadableCatalog } from './faults.ts';
import { type ReadOptions, readCatalogFolder, readCatalogStream, readStagedCatalog } from './read-catalog.ts';

interface Folder extends AsyncDisposable {
  readonly root: string;
}

async function folder(files: Readonly<Record<string, string>>): Promise<Folder> {
  const root = await mkdtemp(path.join(tmpdir(), 'catalog-'));
  for (const [name, content] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(root, name)), { recursive: true });
    await writeFile(path.join(root, name), content);
  }
  return { root, [Symbol.asyncDispose]: () => rm(root, { recursive: true }) };
}

/** What can be read, and what cannot. */
async function read(root: string): Promise<{ metas: Meta[]; error: unknown }> {
  const metas: Meta[] = [];
  try {
    for await (const meta of readCatalogFolder(root)) metas.push(meta);
    return { metas, error: undefined };
  } catch (error) {
    return { metas, error };
  }
}

const places = (metas: readonly Meta[]): string[] =>
  metas.map(({ place, name }) => `${place.file}:${place.line} ${name}`);

test('CR-C1 one file of YAML, a JSON stream and three files are the same catalog', async () => {
  const documents = ['{"name":"a","schema":"s"}', '{"name":"b","schema":"s"}', '{"name":"c","schema":"s"}'];
  const yaml = '---\nschema: s\nname: a\n---\nschema: s\nname: b\n---\nname: c\nschema: s\n';
  const [a = '', b = '', c = ''] = documents;
  for (const files of [{ 'c.yaml': yaml }, { 'c.json': documents.join('') }, { 'x/1': a, 'x/2': b, 'y/3.txt': c }]) {
    await using made = await folder(files);
    const { metas, error } = await read(made.root);
    expect(error).toBeUndefined();
    expect(metas.map(canonicalMeta).sort()).toEqual(documents);
  }
});

test('CR-1.1 every file is read whatever its name, in lexical order, with its places', async () => {
  await using made = await folder({
    'b/catalog.yaml': 'schema: s\nname: b1\n---\nschema: s\nname: b2\n',
    'a.txt': '\n{"schema":"s","name":"a"}',
    'b/.hidden/x': 'schema: s\nname: h',
    empty: '',
    '.indexignore': 'README.md\n',
    'README.md': '# not a catalog',
    'b/README.md': '# nor this',
  });
  const { metas, error } = await read(made.root);
  expect(error).toBeUndefined();
  expect(places(metas)).toEqual(['a.txt:2 a', 'b/.hidden/x:1 h', 'b/catalog.yaml:1 b1', 'b/catalog.yaml:4 b2']);
});

test('CR-1.1, CR-C2 every bad file is reported, with its line', async () => {
  await using made = await folder({
    'README.md': 'This is: a: readme\n',
    'a.json': '{"schema":"s","name":"a"}\n{"name":"x"}\n',
    'b.yaml': '\nschema: s\nname: b\n---\n- 1\n',
  });
  const { metas, error } = await read(made.root);
  expect(places(metas)).toEqual(['a.json:1 a', 'b.yaml:2 b']);
  expect(error).toBeInstanceOf(UnreadableCatalog);
  expect((error as UnreadableCatalog).faults).toEqual([
    {
      file: 'README.md',
      line: 1,
      message: 'error converting YAML to JSON: yaml: line 1: mapping values are not allowed in this context',
    },
    { file: 'a.json', line: 2, message: `object '{"name":"x"}\n' is missing root schema field` },
    { file: 'b.yaml', line: 5, message: expect.stringContaining('cannot unmarshal array') as string },
  ]);
  expect((error as Error).message).toContain('3 documents or files cannot be read:\n  README.md:1: error');
});

test('CR-1.1 links within the catalog are files; to folders, out of it and to nothing they are faults', async () => {
  await using outside = await folder({ secret: 'schema: s\nname: secret' });
  await using made = await folder({ 'a.yaml': 'schema: s\nname: a', 'd/x.yaml': 'schema: s\nname: x' });
  const link = async (name: string, target: string): Promise<void> => symlink(target, path.join(made.root, name));
  await link('good', 'd/x.yaml');
  await link('folder', 'd');
  await link('out', path.join(outside.root, 'secret'));
  await link('gone', 'nowhere');
  const { metas, error } = await read(made.root);
  expect(places(metas)).toEqual(['a.yaml:1 a', 'd/x.yaml:1 x', 'good:1 x']);
  expect((error as UnreadableCatalog).faults.map(({ file, message }) => `${file}: ${message}`)).toEqual([
    'folder: read folder: is a directory',
    expect.stringMatching(/^gone: .*no such file or directory/),
    expect.stringMatching(/^out: is a symbolic link to .*secret, outside of the catalog/),
  ]);
});

test.each([
  ['/no/such/folder', 'stat /no/such/folder: no such file or directory'],
  ['', 'no declarative config filesystem provided'],
  [import.meta.filename, `"${import.meta.filename}" is not a directory`],
])('CR-1.1 %j is no root of a catalog', async (root, message) => {
  expect((await read(root)).error).toMatchObject({ reason: 'NoCatalog', message });
});

/** Reads a stream without an end. */
async function readEndless(piece: string, options: ReadOptions = {}): Promise<void> {
  const bytes = Buffer.from(piece.repeat(1000));
  function* pieces(): Generator<Buffer> {
    for (;;) yield bytes;
  }
  for await (const meta of readCatalogStream(pieces(), 'catalog.yaml', options)) expect(meta).toBeUndefined();
}

test('of a stream of bad documents that never ends the first ten thousand are read', async () => {
  await expect(readEndless('1\n---\n')).rejects.toThrow('and 9800 more; the rest of the catalog was not read');
});

test('of a stream of empty documents that never ends so many are read as a catalog may have', async () => {
  await expect(readEndless('~\n---\n', { maxDocuments: 2000 })).rejects.toThrow(
    'catalog.yaml:4001: the catalog has more documents than a catalog may have',
  );
});

test.each([
  { name: 'a full disk', code: 'ENOSPC', file: 'a.yaml' },
  { name: 'too many open files', code: 'EMFILE', file: 'a.yaml' },
  { name: 'a full disk, as SQLite reports it', errcode: 13, file: 'a.yaml' },
  { name: 'a disk that fails', code: 'EIO', file: '.indexignore' },
])('$name is no fault of a catalog, whose files may be read at the next try', async ({ name, file, ...found }) => {
  await using at = await folder({});
  await using staging = await Staging.create(path.join(at.root, 'spool'), defaultContentLimits);
  const text = Buffer.from('schema: s\nname: a\n');
  staging.beginLayer('the image').addFile(file, { sizeBytes: text.length, isExecutable: false })(text);
  const shortage = Object.assign(new Error(name), { syscall: 'write', ...found });
  let isShort = true;
  const lacking: Pick<Staging, 'tree' | 'streamFile'> = {
    tree: staging.tree,
    streamFile: (node) => {
      if (isShort) throw shortage;
      return staging.streamFile(node);
    },
  };
  const readAll = async (): Promise<Meta[]> => {
    const metas: Meta[] = [];
    for await (const meta of readStagedCatalog(lacking as Staging)) metas.push(meta);
    return metas;
  };
  await expect(readAll()).rejects.toBe(shortage);
  isShort = false;
  expect(await readAll()).toHaveLength(file === 'a.yaml' ? 1 : 0);
});
