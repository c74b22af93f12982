import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Registry, startRegistry } from '../support/index.ts';
import { type Printed, runLongshore, writeFolder } from './program.ts';

const imageTemplate = '127.0.0.1:15000/{{.Package}}-bundle:v{{.Version}}';
let dir = '';
let registry: Registry;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'longshore-author-test-'));
  registry = await startRegistry();
});
afterAll(async () => {
  await registry[Symbol.asyncDispose]();
  await rm(dir, { recursive: true, force: true });
});

/** Runs `longshore catalog ARGS` in the folder of the repository. */
const catalog = (args: readonly string[], input = ''): Promise<Printed> =>
  runLongshore(['catalog', ...args], { input, env: { NO_COLOR: '1' } });

test('the example catalog is what the program builds from its templates', async () => {
  for (const name of ['harbour', 'tide-gauge']) {
    const options = ['--migrate', '--image-ref-template', imageTemplate, '-o', 'yaml'];
    const { code, stdout, stderr } = await catalog(['template', `examples/catalog/${name}.yaml`, ...options]);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toBe(await readFile(`examples/catalog/configs/${name}/catalog.yaml`, 'utf8'));
  }
});

test('a template whose bundles are images in a registry, pushed by the same program, becomes a catalog that is migrated', async () => {
  const images = ['v0.1.0', 'v0.1.1'].map((tag) => `${registry.host}/tide-gauge-bundle:${tag}`);
  for (const image of images) {
    const version = image.slice(image.lastIndexOf(':') + 1);
    const args = ['bundle', 'push', `examples/tide-gauge/${version}`, image];
    expect((await runLongshore(args)).code).toBe(0);
  }
  const bundles = images.map((image) => ({ image }));
  const template = JSON.stringify({ schema: 'olm.semver', stable: { bundles } });
  const { code, stdout, stderr } = await catalog(['template', '-'], template);
  expect([code, stderr]).toEqual([0, '']);
  await writeFolder(join(dir, 'carried'), { 'catalog.json': stdout });

  const [from, to] = [join(dir, 'carried'), join(dir, 'migrated')];
  expect((await catalog(['migrate', from, dir])).stderr).toBe(`longshore: output dir "${dir}" must be empty\n`);
  expect(await catalog(['migrate', from, to])).toMatchObject({ code: 0, stderr: '' });
  expect(await readdir(to)).toEqual(['tide-gauge']);
  const migrated = await readFile(join(to, 'tide-gauge', 'catalog.yaml'), 'utf8');
  expect([stdout.includes('olm.bundle.object'), migrated.includes('olm.bundle.object')]).toEqual([true, false]);

  const converted = await catalog(['convert-template', 'basic', to, '-o', 'yaml']);
  const rendered = await catalog(['template', '-', '--migrate', '-o', 'yaml'], converted.stdout);
  expect(rendered).toEqual({ code: 0, stderr: '', stdout: migrated });
});

test('a template of an invalid catalog is refused, but drawn, and rendering warns', async () => {
  const package_ = { schema: 'olm.package', name: 'p', defaultChannel: 'c' };
  const channel = { schema: 'olm.channel', package: 'p', name: 'c', entries: [{ name: 'p.v1' }] };
  const template = JSON.stringify({ schema: 'olm.template.basic', entries: [package_, channel] });
  const refused = await catalog(['template', '-'], template);
  expect([refused.code, refused.stdout]).toEqual([1, '']);
  expect(refused.stderr).toContain(
    'standard input is not a valid catalog:\n  no olm.bundle blobs found in package "p"',
  );
  const drawn = await catalog(['template', 'basic', '-', '-o', 'mermaid'], template);
  expect([drawn.code, drawn.stderr]).toEqual([0, '']);
  expect(drawn.stdout).toContain('p-c-p.v1["p.v1"]');
  const rendered = await catalog(['render', '-'], JSON.stringify(channel));
  expect([rendered.code, JSON.parse(rendered.stdout)]).toEqual([0, channel]);
  expect(rendered.stderr).toContain('warning: the result is not a valid catalog by itself:\n  unknown package "p"');
});

test('a composite template is built into its folders; programs run only if allowed', async () => {
  const out = join(dir, 'out');
  const component = (path: string, schema: string, config: object): object => ({
    name: 'mine',
    destination: { path },
    strategy: { template: { schema, config } },
  });
  const program = `console.log(require('fs').writeFileSync('${out}/tide-gauge/notes.yaml', 'schema: my.notes'))`;
  const contributions = JSON.stringify({
    schema: 'olm.composite',
    components: [
      component('tide-gauge', 'olm.builder.semver', { input: 'examples/catalog/tide-gauge.yaml', output: 'c.yaml' }),
      component('tide-gauge', 'olm.builder.custom', {
        command: process.execPath,
        args: ['-e', program],
        output: 'notes.yaml',
      }),
    ],
  });
  const schemas = ['olm.builder.semver', 'olm.builder.custom'];
  const mine = { name: 'mine', destination: { workingDir: out }, builders: schemas };
  const catalogs = join(dir, 'catalogs.json');
  await writeFile(catalogs, JSON.stringify({ schema: 'olm.composite.catalogs', catalogs: [mine] }));
  const args = ['template', 'composite', '-', '-f', catalogs, '-o', 'yaml'];
  const refused = await catalog(args, contributions);
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('allow it with --run-commands')]);
  const built = await catalog([...args, '--run-commands'], contributions);
  expect(built.stdout).toContain(`${out}/tide-gauge/c.yaml\n${out}/tide-gauge/notes.yaml\n`);
  expect(await readFile(join(out, 'tide-gauge/c.yaml'), 'utf8')).toContain('candidate-v0');
});

test('a package and a Dockerfile are created, and an existing Dockerfile is retained', async () => {
  await writeFolder(dir, { 'about.md': '# Tide', 'icon.svg': '<svg/>', 'my-catalog/': '' });
  const inDir = (name: string): string => join(dir, name);
  const begun = await catalog(['init', 'tide', '-c', 'stable', '-d', inDir('about.md'), '-i', inDir('icon.svg')]);
  expect(JSON.parse(begun.stdout)).toEqual({
    schema: 'olm.package',
    name: 'tide',
    defaultChannel: 'stable',
    description: '# Tide',
    icon: { base64data: Buffer.from('<svg/>').toString('base64'), mediatype: 'image/svg+xml' },
  });
  expect((await catalog(['init', 'tide', '-i', inDir('about.md')])).stderr).toBe(
    'longshore: detected invalid type "text/plain": not an image\n',
  );
  const made = await catalog(['generate', 'dockerfile', inDir('my-catalog'), '-l', 'a=b']);
  expect(made).toEqual({ code: 0, stderr: '', stdout: `${inDir('my-catalog.Dockerfile')}\n` });
  const text = await readFile(inDir('my-catalog.Dockerfile'), 'utf8');
  expect(text).toContain('ADD my-catalog /configs');
  expect(text).toContain('LABEL a=b');
  const again = await catalog(['generate', 'dockerfile', inDir('my-catalog')]);
  expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('exists already')]);
  expect(await readFile(inDir('my-catalog.Dockerfile'), 'utf8')).toBe(text);
});
