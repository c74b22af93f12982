import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { get, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { putSignatures, signatureOf, signingKey, startRegistry } from '../support/index.ts';
import { programPath, runLongshore, writeFolder } from './program.ts';

const include = 'include.release.openshift.io/self-managed-high-availability: "true"';
const configMap = (name: string, data: string): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\n  annotations: {${include}}\ndata:\n  value: "${data}"\n`;
const imageStream = (tags: Readonly<Record<string, string>>): string =>
  JSON.stringify({
    kind: 'ImageStream',
    apiVersion: 'image.openshift.io/v1',
    spec: { tags: Object.entries(tags).map(([name, from]) => ({ name, from: { kind: 'DockerImage', name: from } })) },
  });
const digest = `sha256:${'b'.repeat(64)}`;

let dir = '';
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'longshore-release-test-'));
  await writeFolder(join(dir, 'components'), {
    'cluster-version-operator/0000_00_cluster-version-operator_10.yaml': configMap('engine', '{{.ReleaseImage}}'),
    'etcd/0000_20_etcd_10.yaml': configMap('etcd', 'example.org/etcd:latest 0.0.1-snapshot-etcd'),
    'etcd/image-references': imageStream({ etcd: 'example.org/etcd:latest' }),
    'dns/0000_20_dns_10.yaml': configMap('dns', '0.0.1-snapshot'),
    'dns/config.yaml': configMap('dns-config', 'unnumbered'),
    'dns/0000_90_dns_preview.yaml': configMap('preview', 'x').replace(
      '{',
      '{release.openshift.io/feature-set: TechPreviewNoUpgrade, ',
    ),
  });
});
afterAll(() => rm(dir, { recursive: true, force: true }));

const run = (args: readonly string[]): ReturnType<typeof runLongshore> =>
  runLongshore(['release', ...args], { cwd: dir });
const build = (version: string, ...args: readonly string[]): ReturnType<typeof runLongshore> =>
  run(
    `build components --version ${version} --image etcd=example.com/etcd@${digest} --component-version etcd=3.6.1`
      .split(' ')
      .concat(args),
  );

describe('longshore release', () => {
  test('CV-16: what was built is extracted byte for byte, whatever it was written to', async () => {
    await using registry = await startRegistry();
    const ref = `${registry.host}/releases:1.2.0`;
    const insecure = ['--insecure-registry', registry.host];
    const built = await build('1.2.0', '--to', 'built', '-o', 'release.tar', '--push', ref, ...insecure);
    expect(built).toMatchObject({ code: 0 });
    const [, pushed] = /@(sha256:[0-9a-f]{64})\n$/.exec(built.stdout) ?? [];
    for (const [index, place] of ['built', 'release.tar', ref].entries()) {
      const to = `flat-${index}`;
      const extracted = await run(['extract', place, '--to', to, ...insecure]);
      const origin = place === 'built' ? 'of 1.2.0' : `from digest ${pushed}`;
      expect(extracted).toMatchObject({ code: 0, stdout: `Extracted release payload ${origin}\n` });
      const names = (await readdir(join(dir, to))).toSorted();
      expect(names).toEqual([
        '0000_00_cluster-version-operator_10.yaml',
        '0000_20_dns_10.yaml',
        '0000_20_etcd_10.yaml',
        '0000_50_dns_config.yaml',
        '0000_90_dns_preview.yaml',
        'image-references',
        'release-metadata',
      ]);
      for (const name of names) {
        const directory = name.includes('cluster-version') ? 'manifests' : 'release-manifests';
        expect(await readFile(join(dir, to, name))).toEqual(await readFile(join(dir, 'built', directory, name)));
      }
    }
    const etcd = await readFile(join(dir, 'flat-0/0000_20_etcd_10.yaml'), 'utf8');
    expect(etcd).toContain(`example.com/etcd@${digest} 3.6.1`);
  });

  test('an artifact has the same files', async () => {
    await build('1.2.0', '--as', 'artifact', '-o', 'artifact.tar');
    const { stdout } = await run(['extract', 'artifact.tar', '--file', '0000_20_dns_10.yaml']);
    expect(stdout).toBe(configMap('dns', '1.2.0'));
  });

  test('extract writes what a cluster loads, and prints one file', async () => {
    await build('1.2.0', '-o', 'one.tar');
    await run(['extract', 'one.tar', '--included', '--to', 'included']);
    expect(await readdir(join(dir, 'included'))).not.toContain('0000_90_dns_preview.yaml');
    const preview = ['--included', '--feature-set', 'TechPreviewNoUpgrade', '--file', '0000_90_dns_preview.yaml'];
    expect(await run(['extract', 'one.tar', ...preview])).toMatchObject({ code: 0 });
    const missing = await run(['extract', 'one.tar', '--file', 'image-reference']);
    expect(missing.stderr).toContain('the release has no file "image-reference"; did you mean image-references?');
  });

  test('info shows what is in a release, and what differs between two', async () => {
    await build('1.2.0', '-o', 'old.tar', '--channel', 'stable-1.2', '--previous', '1.1.9');
    await build('1.2.1', '-o', 'new.tar');
    const shown = await run(['info', 'old.tar']);
    expect(shown.stdout).toMatch(/^Version: +1\.2\.0\n/);
    expect(shown.stdout).toMatch(/^Contains: +etcd 3\.6\.1$/m);
    expect(shown.stdout).toMatch(/^dns +20,50,90 +3$/m);
    expect(shown.stdout).toMatch(new RegExp(`^etcd +example.com/etcd@${digest}$`, 'm'));
    const difference = JSON.parse((await run(['info', 'old.tar', 'new.tar', '-o', 'json'])).stdout) as unknown;
    expect(difference).toMatchObject({
      from: '1.2.0',
      to: '1.2.1',
      images: [],
      manifests: [
        { change: 'changed', name: 'engine' },
        { change: 'changed', name: 'dns' },
      ],
    });
  });

  test('what a release contains does not change the terminal', async () => {
    const metadata = {
      kind: 'cincinnati-metadata-v0',
      version: '1.2.0',
      metadata: {
        url: 'https://example.com/\u001b]0;title\u0007',
        'io.openshift.upgrades.graph.release.channels': 'a\u001b[2J',
      },
    };
    const images = { ...(JSON.parse(imageStream({})) as object), metadata: { name: '1.2.0' } };
    await writeFolder(join(dir, 'escapes'), {
      'manifests/0000_00_engine_10.yaml': configMap('engine', 'x'),
      'release-manifests/release-metadata': JSON.stringify(metadata),
      'release-manifests/image-references': JSON.stringify(images),
      'release-manifests/0000_10_a_\u001b[31m.yaml': configMap('a', 'x'),
    });
    const infos = [await run(['info', 'escapes']), await run(['diff', 'built', 'escapes'])];
    for (const { stdout } of infos) expect(stdout).not.toMatch(/(?!\n)\p{Cc}/u);
    expect(infos[0]?.stdout).toContain('Channels:      a\\x1b[2J\n');
  });

  test('diff shows what differs between two releases, without what differs in all of them', async () => {
    await build('1.2.0', '--to', 'before', '-o', 'before.tar');
    await build('1.2.1', '--to', 'after');
    const path = join(dir, 'after/release-manifests/0000_20_dns_10.yaml');
    await writeFile(path, (await readFile(path, 'utf8')).replace('name: dns\n', 'name: dns\n  labels: {tier: core}\n'));
    await rm(join(dir, 'after/release-manifests/0000_50_dns_config.yaml'));
    const shown = await run(['diff', 'before.tar', 'after']);
    expect(shown.stdout).toBe(
      [
        '1.2.0 -> 1.2.1: 0 images, 2 objects',
        '--- 1.2.0 0000_20_dns_10.yaml: ConfigMap dns',
        '+++ 1.2.1 0000_20_dns_10.yaml: ConfigMap dns',
        '@@ -2,6 +2,8 @@',
        ' kind: ConfigMap',
        ' metadata:',
        '   name: dns',
        '+  labels:',
        '+    tier: core',
        '   annotations:',
        "     include.release.openshift.io/self-managed-high-availability: 'true'",
        ' data:',
        '--- 1.2.0 0000_50_dns_config.yaml: ConfigMap dns-config',
        '+++ /dev/null',
        '@@ -1,8 +0,0 @@',
        '-apiVersion: v1',
        '-kind: ConfigMap',
        '-metadata:',
        '-  name: dns-config',
        '-  annotations:',
        "-    include.release.openshift.io/self-managed-high-availability: 'true'",
        '-data:',
        '-  value: unnumbered',
        '',
      ].join('\n'),
    );
    const all = await run(['diff', 'before.tar', 'after', '--all', '--exit-code', '-o', 'json']);
    expect(all.code).toBe(1);
    expect(JSON.parse(all.stdout)).toMatchObject({
      from: '1.2.0',
      to: '1.2.1',
      images: [],
      manifests: [
        { change: 'changed', object: 'configmap "engine"' },
        { change: 'changed', object: 'configmap "dns"', diff: expect.stringContaining('+  value: 1.2.1') as string },
        { change: 'removed', file: '0000_50_dns_config.yaml' },
      ],
    });
    expect(await run(['diff', 'before.tar', 'before', '--exit-code'])).toMatchObject({
      code: 0,
      stdout: '1.2.0 and 1.2.0 have the same images and objects\n',
    });
  });

  test('of an image only the two directories are taken, whatever else is in it', async () => {
    await using registry = await startRegistry();
    await build('1.2.0', '--to', 'alone');
    const files: Record<string, string> = {};
    for (const directory of ['manifests', 'release-manifests']) {
      for (const name of await readdir(join(dir, 'alone', directory)))
        files[`${directory}/${name}`] = await readFile(join(dir, 'alone', directory, name), 'utf8');
    }
    const engine = [
      { path: 'dev/console', typeFlag: '3' },
      { path: 'etc/mtab', typeFlag: '2', linkPath: '../../proc/mounts' },
      { path: 'usr/bin/engine', content: Buffer.alloc(20 * 1024 * 1024) },
    ] as const;
    registry.putImage('release:1.2.0', [{ entries: engine }, { files }]);
    const shown = await run(['info', `${registry.host}/release:1.2.0`]);
    expect(shown).toMatchObject({ code: 0, stdout: expect.stringContaining('Manifests:     5\n') as string });
    registry.putImage('release:bad', [{ files, entries: [{ path: 'manifests/../../escape', content: 'x' }] }]);
    const refused = await run(['info', `${registry.host}/release:bad`]);
    expect(refused.stderr).toContain('"manifests/../../escape"');
  });

  test('tasks shows the order of a release, as text and as a picture', async () => {
    await build('1.2.0', '-o', 'tasks.tar');
    const { stdout } = await run(['tasks', 'tasks.tar']);
    expect(stdout).toContain('1.2.0, updating: 4 of 5 manifests in 3 stages, at most 16 at once');
    expect(stdout).toContain('2. 20 dns  (1 manifest)\n   20 etcd  (1 manifest)\n3. 50 dns');
    expect((await run(['tasks', 'tasks.tar', '-o', 'svg'])).stdout).toMatch(/^<svg [^]*<\/svg>\n$/);
  });

  test.each([
    [['build'], 'expected --version VERSION', 2],
    [['build', '--version', '1.0.0'], 'expected a folder of components, or --component NAME=DIR|IMAGE', 2],
    [['build', 'components', '--version', 'one'], 'invalid Cincinnati metadata version "one"'],
    [
      ['build', 'components', '--version', '1.0.0'],
      'image-references names images without a pull spec: "etcd" (component etcd)',
    ],
    [
      ['build', '--version', '1.0.0', '--component', 'a--b=components/dns'],
      'component "a--b": expected letters and digits',
      2,
    ],
    [['extract', 'components'], 'expected --to DIR for all files, or --file NAME for one', 2],
    [['info', 'components/dns'], 'not a release: there is no directory manifests'],
  ])('%j is refused', async (args, message, code = 1) => {
    const printed = await run(args);
    expect(printed.code).toBe(code);
    expect(printed.stderr).toContain(message);
  });
});

/** Of a request whose path is sent as it stands. */
async function statusOfRaw(url: string, path: string): Promise<number | undefined> {
  const { hostname, port } = new URL(url);
  const [response] = (await once(get({ host: hostname, port, path }), 'response')) as [IncomingMessage];
  response.resume();
  return response.statusCode;
}

describe('longshore release graph serve', { shuffle: false }, () => {
  test('clusters are offered the updates of a channel, with their risks', async () => {
    await mkdir(join(dir, 'served'));
    const digests = new Map<string, string>();
    for (const [version, previous] of [
      ['2.0.0', '1.9.9'],
      ['2.0.1', '2.0.0'],
      ['2.0.2', '2.0.0'],
    ] as const) {
      const { stdout } = await build(version, '--previous', previous, '-o', `served/${version}.tar`);
      digests.set(version, stdout.trim());
    }
    await writeFolder(join(dir, 'graph-data'), {
      version: '1.1.0\n',
      'channels/stable-2.yaml': 'name: stable-2\nversions: [2.0.0, 2.0.1, 2.0.2]\n',
      'blocked-edges/2.0.2-slow.yaml':
        'to: 2.0.2\nfrom: 2[.]0[.]0[+]amd64\nname: Slow\nurl: https://docs.example.com/slow\nmessage: Slow.\nmatchingRules: [{type: Always}]\n',
    });
    const serve =
      'release graph serve graph-data --releases served --repository example.com/releases --port 0 --bind-address 127.0.0.1';
    const child = spawn(process.execPath, [programPath, ...serve.split(' ')], {
      cwd: dir,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await using stack = new AsyncDisposableStack();
    stack.defer(() => void child.kill('SIGKILL'));
    const line = (await createInterface({ input: child.stdout })[Symbol.asyncIterator]().next()).value ?? '';
    const url = /http:\/\/\S+/.exec(line)?.[0] ?? '';
    const updates = async (...args: readonly string[]): ReturnType<typeof runLongshore> =>
      run(['updates', '2.0.0', '--graph', url, '--channel', 'stable-2', ...args]);
    expect(JSON.parse((await updates('-o', 'json')).stdout)).toMatchObject({
      available: [{ version: '2.0.1', image: `example.com/releases@${digests.get('2.0.1')}`, channels: ['stable-2'] }],
      conditional: [{ release: { version: '2.0.2' }, risks: [{ name: 'Slow', matchingRules: [{ type: 'Always' }] }] }],
    });
    await writeFolder(dir, { 'graph.json': '{"nodes": [], "edges": [[0, 1, 2]]}' });
    expect((await updates('--graph', 'graph.json')).stderr).toContain(
      'graph.json: edges[0]: expected 2 fields, found 3',
    );
    const drawn = await run(['graph', 'draw', url, '--channel', 'stable-2']);
    expect(drawn.stdout.replace(/ +$/gm, '')).toBe(
      [
        'stable-2: 3 versions, 1 update, 1 with known risks',
        '',
        'VERSION  CHANNELS  FROM   WITH KNOWN RISKS FROM',
        '2.0.2    stable-2         2.0.0: Slow',
        '2.0.1    stable-2  2.0.0',
        '2.0.0    stable-2',
        '',
      ].join('\n'),
    );
    const path = async (...ends: readonly string[]): Promise<string> =>
      (await run(['graph', 'draw', url, '--channel', 'stable-2', ...ends])).stdout.split('\n\n').at(-1) ?? '';
    expect(await path('--from', '2.0.0')).toBe('path: 1 update\n  2.0.0 -> 2.0.2, with known risks: Slow\n');
    expect(await path('--from', '2.0.1')).toBe('no path: 2.0.2 is reached from 2.0.0, and none of these from 2.0.1\n');
    const svg = (await run(['graph', 'draw', url, '--channel', 'stable-2', '-o', 'svg'])).stdout;
    expect(svg).toMatch(/^<svg [^]*<title>2\.0\.0 to 2\.0\.2: Slow<\/title>[^]*<\/svg>\n$/);
    expect((await updates('--arch', 'arm64')).stderr).toContain('2.0.0 not found in the "stable-2" channel');
    const ask = (query: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> =>
      fetch(`${url}${query}`, { headers });
    const first = await ask('?channel=stable-2');
    expect(await first.json()).toMatchObject({ nodes: [{}, {}, {}], edges: [[0, 1]] });
    const again = await ask('?channel=stable-2', { 'if-none-match': first.headers.get('etag') ?? '' });
    expect(again.status).toBe(304);
    expect(await (await ask('?channel=other')).json()).toEqual({ nodes: [], edges: [], conditionalEdges: [] });
    expect((await ask('')).status).toBe(400);
    expect(await (await ask('')).json()).toEqual({ kind: 'missing_params', value: 'channel' });
    expect((await ask('?channel=stable-2', { accept: 'text/html' })).status).toBe(406);
    expect(await statusOfRaw(url, '//')).toBe(404);
    child.kill('SIGTERM');
    expect((await once(child, 'exit'))[0]).toBe(0);
  });

  test('graph data of an image is used only if its signer has signed it', async () => {
    await using registry = await startRegistry();
    const place = 'var/lib/cincinnati-graph-data';
    const files = {
      [`${place}/channels/stable-3.yaml`]: 'name: stable-3\nversions: [3.0.0, 3.0.1]\n',
      [`${place}/blocked-edges/3.0.1.yaml`]: 'to: 3.0.1\nfrom: 2.*\n',
      'usr/bin/tar': 'x',
    };
    const digest = registry.putImage('graph-data:latest', [{ files }]);
    for (const [version, previous] of [
      ['3.0.0', '2.9.9'],
      ['3.0.1', '3.0.0'],
    ] as const) {
      await build(version, '--previous', previous, '--push', `${registry.host}/release:${version}`);
    }
    const key = signingKey();
    const rules = [{ images: [`${registry.host}/graph-data`], signedBy: [{ key: key.publicPem }] }];
    await writeFile(join(dir, 'policy.yaml'), JSON.stringify({ rules }));
    const draw = (): ReturnType<typeof runLongshore> => {
      const offered = ['3.0.0', '3.0.1'].flatMap((version) => ['--release', `${registry.host}/release:${version}`]);
      const graph = ['graph', 'draw', `${registry.host}/graph-data:latest`, '--policy', 'policy.yaml'];
      return run([...graph, ...offered, '--channel', 'stable-3', '-o', 'json']);
    };
    expect((await draw()).stderr).toContain('is not signed');
    putSignatures(registry, { repository: 'graph-data', digest }, [signatureOf(digest, key)]);
    const { versions } = JSON.parse((await draw()).stdout) as { versions: unknown };
    expect(versions).toEqual([
      { version: '3.0.1', channels: ['stable-3'], from: ['3.0.0'], risky: [] },
      { version: '3.0.0', channels: ['stable-3'], from: [], risky: [] },
    ]);
    const folder = await run(['graph', 'draw', 'graph-data', '--policy', 'policy.yaml', '--channel', 'stable-2']);
    expect(folder.stderr).toContain('a folder has no signatures');
  });
});
