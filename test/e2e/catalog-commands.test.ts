import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Printed, runLongshore } from './program.ts';

const fixture = new URL('../fixtures/catalog', import.meta.url).pathname;
let dir = '';

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'longshore-catalog-commands-'));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

/** Runs `longshore catalog ARGS`. */
function run(args: readonly string[], input = ''): Promise<Printed> {
  return runLongshore(['catalog', ...args], { cwd: dir, env: {}, input });
}

test.each([
  [['list', 'things', fixture], 'catalog list: expected packages, channels, bundles or images, found "things"'],
  [['list', 'packages', fixture, 'nothing'], 'package "nothing" not found'],
  [['prune', fixture], '--keep-package is missing'],
  [['prune', fixture, '--keep-package', ':x'], '--keep-package: expected NAME[:CHANNEL]..., found ":x"'],
  [
    ['prune', fixture, '--keep-package', 'tide-gauge', '--min-version', '1.0.0'],
    '--min-version: expected NAME:VERSION',
  ],
  [
    ['prune', fixture, '--keep-package', 'tide-gauge', '--min-version', 'other:1.0.0'],
    'package "other" is not retained',
  ],
  [['prune', fixture, '--keep-package', 'tide-gauge', '--to', '.'], 'must be empty'],
  [['prune', fixture, '--keep-package', 'tide-gauge', '--to', 'here/x'], 'output dir "here/x": a file is there'],
  [['migrate', fixture, 'here'], 'output dir "here": a file is there, or on the way to it: expected a folder'],
  [['diff', '-', '-'], 'standard input (-) can be read once'],
  [['diff', fixture, 'grpc://x:y'], 'grpc://x:y: expected grpc://HOST[:PORT]'],
  [['list', 'packages', 'https://'], 'https://: expected https://HOST/catalogs/NAME'],
  [['serve', fixture, '--http-port', '99999'], '--http-port: expected 0 to 65535, found 99999'],
  [
    ['graph', 'tide-gauge', '--catalog', fixture, '--file', 'x.png'],
    '--file x.png: expected a name that ends with .svg, .mmd, .mermaid, .txt',
  ],
  [
    ['graph', 'tide-gauge', '--catalog', fixture, '--output', 'png'],
    '--output: expected one of text, mermaid, svg, json, found "png"',
  ],
])('catalog %j is refused with an explanation', async (args, message) => {
  await writeFile(join(dir, 'here'), '');
  const { code, stdout, stderr } = await run(args);
  expect({ stdout, isRefused: code !== 0 }).toEqual({ stdout: '', isRefused: true });
  expect(stderr).toContain(message);
});

test('valid parts are listed, and the rest is reported with its place', async () => {
  const { code, stdout, stderr } = await run(
    ['list', 'packages', '-', '-o', 'json'],
    '{"schema":"olm.package","name":"p","defaultChannel":"c"}\n{"name":"x"}\n',
  );
  expect(JSON.parse(stdout)).toEqual([{ name: 'p', displayName: '', defaultChannel: 'c' }]);
  expect([code, stderr]).toEqual([
    1,
    `longshore: standard input:2: object '{"name":"x"}\n' is missing root schema field\n`,
  ]);
});

test('a file that is not part of the catalog is reported, with how to exclude it', async () => {
  const catalog = join(dir, 'noted');
  await mkdir(catalog);
  await writeFile(join(catalog, 'README.md'), 'about this catalog');
  await writeFile(join(catalog, 'a.yaml'), 'a: b: c');
  const { code, stdout } = await run(['validate', 'noted']);
  expect(code).toBe(1);
  expect(stdout).toContain('noted/README.md:1: error parse');
  expect(stdout.match(/    every file is read: .* is named in \.indexignore/g)).toHaveLength(1);
});

test('a pruned catalog is valid, and differs by what was removed', async () => {
  const pruned = join(dir, 'pruned');
  const keep = ['--keep-package', 'tide-gauge', '--heads-only', '--with-dependencies', '--to', pruned];
  expect(await run(['prune', fixture, ...keep])).toMatchObject({ code: 0, stdout: '' });
  expect((await readdir(pruned)).sort()).toEqual(['tide-buoy', 'tide-gauge']);
  expect(await run(['validate', '--strict', pruned])).toMatchObject({ code: 0 });
  expect(await run(['diff', '--exit-code', pruned, pruned])).toMatchObject({ code: 0, stdout: '' });
  const { code, stdout } = await run(['diff', '--exit-code', '-o', 'json', fixture, pruned]);
  expect(code).toBe(1);
  expect(JSON.parse(stdout)).toMatchObject({
    packages: {
      added: [],
      removed: [],
      changed: [
        {
          name: 'tide-gauge',
          bundles: { removed: [{ version: '1.0.0' }, { version: '1.0.1' }, { version: '1.1.0' }] },
        },
      ],
    },
  });
});
