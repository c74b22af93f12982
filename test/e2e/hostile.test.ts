import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sha256Digest } from '../../src/base/index.ts';
import {
  allOf,
  eventually,
  type Intercept,
  neverAnswers,
  type Registry,
  redirectsForever,
  startRegistry,
  type TarEntry,
  tarFile,
} from '../support/index.ts';
import { valid } from './contents.ts';
import { bundle, conditionOf, errorOf, problemOf, startWorld, type World } from './world.ts';

const apiVersion = 'core.rukpak.io/v1alpha1';
const mebibyte = 1024 * 1024;
const manifestType = 'application/vnd.oci.image.manifest.v1+json';
const layerType = 'application/vnd.oci.image.layer.v1.tar+gzip';

const trueBytes = gzipSync(tarFile([{ path: 'manifests/good.yaml', content: 'x' }]), { level: 0 });
const otherBytes = gzipSync(tarFile([{ path: 'manifests/hostile.yaml', content: 'x' }]), { level: 0 });
const deepText = `${'['.repeat(10_000)}${']'.repeat(10_000)}`;

/** Answers requests whose path contains `part` with something else. */
function answersInstead(part: string, answer: Uint8Array | string): Intercept {
  return (request, response) => {
    if (request.url?.includes(part) !== true) return false;
    response.end(answer);
    return true;
  };
}

let world: World;
let registry: Registry;
beforeAll(async () => {
  registry = await startRegistry({
    intercept: allOf(
      neverAnswers('/silent/manifests/'),
      redirectsForever('/loop/manifests/'),
      answersInstead('/liar/blobs/', otherBytes),
      answersInstead('/nested/manifests/', `{"deep": ${deepText}}`),
    ),
  });
  world = await startWorld(['--answer-timeout', '3']);
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
  await registry[Symbol.asyncDispose]();
});

/** Puts an image of one gzip layer; the answer is the layer's digest. */
function putLayer(name: string, bytes: Uint8Array): string {
  const digest = registry.putBlob(bytes);
  const layers = [{ mediaType: layerType, digest, size: bytes.length }];
  registry.putManifest(`${name}:v1`, { schemaVersion: 2, mediaType: manifestType, layers });
  return digest;
}

async function createBundle(name: string, repository = name): Promise<void> {
  const source = { type: 'image', image: { ref: `${registry.host}/${repository}:v1` } };
  await world.kube.create(bundle(name, source), { fieldManager: 'test' });
}

/** Waits until the status reports that the Bundle fails; returns the message that the user reads. */
async function refusal(name: string): Promise<string> {
  return problemOf(await world.bundleWithPhase(name, 'Failing'));
}

interface ArchiveRow {
  readonly name: string;
  readonly entries: readonly TarEntry[];
  readonly problem: string;
}

const archives: readonly ArchiveRow[] = [
  {
    name: 'a path with ..',
    entries: [{ path: 'manifests/../../hostile', content: 'x' }],
    problem: '"manifests/../../hostile": paths with ".." are not accepted',
  },
  {
    name: 'an absolute path',
    entries: [{ path: '/etc/cron.d/hostile', content: 'x' }],
    problem: '"/etc/cron.d/hostile": absolute paths are not accepted',
  },
  {
    name: 'a link that leaves',
    entries: [{ path: 'manifests/hostile.yaml', typeFlag: '2', linkPath: '../../etc/passwd' }],
    problem: '"manifests/hostile.yaml": link to "../../etc/passwd" leaves the bundle root',
  },
  {
    name: 'a file behind a link',
    entries: [
      { path: 'manifests/', typeFlag: '5' },
      { path: 'behind', typeFlag: '2', linkPath: 'manifests' },
      { path: 'behind/hostile.yaml', content: 'x' },
    ],
    problem: '"behind/hostile.yaml": passes through the link "behind" to "manifests"',
  },
  {
    name: 'a hard link to what is outside',
    entries: [{ path: 'manifests/hostile.yaml', typeFlag: '1', linkPath: '../../../etc/passwd' }],
    problem: '"manifests/hostile.yaml": hard link to "../../../etc/passwd" leaves the bundle root',
  },
  {
    name: 'a hard link to an absolute path',
    entries: [{ path: 'manifests/hostile.yaml', typeFlag: '1', linkPath: '/etc/passwd' }],
    problem: '"manifests/hostile.yaml": hard link to "/etc/passwd" leaves the bundle root',
  },
  {
    name: 'a device',
    entries: [{ path: 'manifests/hostile.yaml', typeFlag: '3' }],
    problem: '"manifests/hostile.yaml": entries of type CharacterDevice are not accepted',
  },
  {
    name: 'a fifo',
    entries: [{ path: 'manifests/hostile.yaml', typeFlag: '6' }],
    problem: '"manifests/hostile.yaml": entries of type FIFO are not accepted',
  },
  {
    name: 'a path that is too long',
    entries: [{ path: 'x'.repeat(5000), content: 'x' }],
    problem: `"${'x'.repeat(200)}…": path of 5000 bytes is longer than the limit of 4096 bytes`,
  },
];

describe('an archive is refused for', () => {
  test.each(archives)('$name', async ({ entries, problem }) => {
    const name = `archive-${archives.findIndex((row) => row.entries === entries)}`;
    const digest = putLayer(name, gzipSync(tarFile(entries)));
    await createBundle(name);
    const where = `${registry.host}/${name}, layer ${digest}`;
    expect(await refusal(name)).toBe(`source bundle content: ${where}: ${problem}`);
  });

  test('an absolute link to a file outside of the bundle', async () => {
    putLayer('absolute', gzipSync(tarFile([{ path: 'manifests/hostile', typeFlag: '2', linkPath: '/etc/passwd' }])));
    await createBundle('absolute');
    expect(await refusal('absolute')).toBe(
      `source bundle content: ${registry.host}/absolute: "manifests/hostile": link to "/etc/passwd" leaves the bundle root`,
    );
  });
});

const zeros = gzipSync(Buffer.alloc(16 * mebibyte), { level: 9 });

/** A gzip file of 10 MiB that is 10 GiB long: after `start`, zeros without end. */
function bomb(start: Uint8Array): Buffer {
  return Buffer.concat([gzipSync(start), ...Array.from({ length: 640 }, () => zeros)]);
}

/** The header of a file of so many bytes, without the bytes. */
function headerOf(path: string, sizeBytes: number): Buffer {
  const header = tarFile([{ path, content: '' }]).subarray(0, 512);
  header.write(`${sizeBytes.toString(8).padStart(11, '0')}\0`, 124);
  header.write('        ', 148);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return header;
}

describe('a bomb of 10 MiB that unpacks to 10 GiB is stopped at 512 MiB', { tags: 'long' }, () => {
  const zeroFile = (index: number): Buffer[] => [gzipSync(headerOf(`file-${index}`, 16 * mebibyte)), zeros];
  const rows = [
    {
      name: 'one-file',
      bytes: bomb(headerOf('manifests/huge.yaml', 8 * 1024 * mebibyte - 1)),
      entry: '"manifests/huge.yaml": ',
    },
    {
      name: 'many-files',
      bytes: Buffer.concat(Array.from({ length: 640 }, (_, index) => zeroFile(index)).flat()),
      entry: '"file-32": ',
    },
    { name: 'padding', bytes: bomb(tarFile([{ path: 'manifests/a.yaml', content: 'x' }])), entry: '' },
  ];
  test.each(rows)('$name', async ({ name, bytes, entry }) => {
    expect(bytes.length / mebibyte).toBeCloseTo(10, 0);
    const digest = putLayer(name, bytes);
    await createBundle(name);
    const where = `${registry.host}/${name}, layer ${digest}`;
    expect(await refusal(name)).toBe(
      `source bundle content: ${where}: ${entry}unpacks to more than the limit of 536870912 bytes`,
    );
  });
});

describe('a registry is refused that', () => {
  test('sends another layer than it promised', async () => {
    const digest = putLayer('liar', trueBytes);
    await createBundle('liar');
    expect(await refusal('liar')).toBe(
      `source bundle content: ${registry.host}/liar, layer ${digest}: expected digest ${digest}, got ${sha256Digest(otherBytes)}`,
    );
  });

  test('redirects for ever', async () => {
    await createBundle('loop');
    expect(await refusal('loop')).toBe(
      `source bundle content: GET http://${registry.host}/v2/loop/manifests/v1: more than 10 redirects`,
    );
  });

  test('sends a manifest of more than 4 MiB', async () => {
    registry.putManifest('wordy:v1', { mediaType: manifestType, layers: [], note: 'x'.repeat(4 * mebibyte) });
    await createBundle('wordy');
    expect(await refusal('wordy')).toBe(
      `source bundle content: GET http://${registry.host}/v2/wordy/manifests/v1: larger than the limit of 4194304 bytes`,
    );
  });

  test('sends a manifest that is nested 10,000 deep', async () => {
    await createBundle('nested');
    expect(await refusal('nested')).toBe(
      `source bundle content: ${registry.host}/nested, manifest v1: nested deeper than 256 levels`,
    );
  });
});

const laughs = Array.from({ length: 9 }, (_, index) => {
  const previous = index === 0 ? '"ha"' : `*a${index - 1}`;
  return `a${index}: &a${index} [${Array.from({ length: 10 }, () => previous).join(', ')}]`;
}).join('\n');

const manifests: readonly { readonly name: string; readonly text: string; readonly problem: string }[] = [
  {
    name: 'an alias bomb',
    text: `kind: ConfigMap\n${laughs}\n`,
    problem: 'error parsing manifests/hostile.yaml: aliases expand to more than 11114 nodes',
  },
  {
    name: 'a value that holds itself',
    text: 'kind: ConfigMap\na: &a [*a]\n',
    problem: 'error parsing manifests/hostile.yaml: aliases expand to more than 10054 nodes',
  },
  {
    name: 'YAML that is nested 10,000 deep',
    text: `a: ${deepText}`,
    problem:
      'error parsing manifests/hostile.yaml: error converting YAML to JSON: yaml: line 1: nesting exceeded maxDepth (257) (manifests/hostile.yaml:1:260)',
  },
  {
    name: 'JSON that is nested 10,000 deep',
    text: `{"a": ${deepText}}`,
    problem: 'error parsing manifests/hostile.yaml: nested deeper than 256 levels',
  },
  {
    name: '4 MiB of opening brackets',
    text: '['.repeat(4 * mebibyte),
    problem:
      'error parsing manifests/hostile.yaml: error converting YAML to JSON: yaml: line 1: nesting exceeded maxDepth (257) (manifests/hostile.yaml:1:257)',
  },
  {
    name: 'a key __proto__ in YAML',
    text: 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n__proto__: {data: {admin: "yes"}}\n',
    problem: 'error parsing manifests/hostile.yaml: the key "__proto__" is not accepted',
  },
  {
    name: 'a key __proto__ in JSON',
    text: '{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a", "__proto__": {"x": 1}}}',
    problem: 'error parsing manifests/hostile.yaml: the key "__proto__" is not accepted',
  },
  {
    name: 'more than 32 MiB in one file',
    text: `#${'x'.repeat(32 * mebibyte)}`,
    problem: 'manifests/hostile.yaml: 33554433 bytes, more than the limit of 33554432 bytes',
  },
];

describe('a manifest is refused for', () => {
  test.each(manifests)('$name', async ({ text, problem }) => {
    const name = `manifest-${manifests.findIndex((row) => row.text === text)}`;
    putLayer(name, gzipSync(tarFile([{ path: 'manifests/hostile.yaml', content: text }])));
    await createBundle(name);
    expect(await refusal(name)).toBe(`get objects from bundle manifests: ${problem}`);
  });

  test('more than 64 MiB in all files', { tags: 'long' }, async () => {
    const content = `#${'x'.repeat(4 * mebibyte - 1)}`;
    const entries = Array.from({ length: 17 }, (_, index) => ({ path: `manifests/${index}.yaml`, content }));
    putLayer('many', gzipSync(tarFile(entries)));
    await createBundle('many');
    expect(await refusal('many')).toBe(
      'get objects from bundle manifests: manifests: all files together have more than the limit of 67108864 bytes',
    );
  });
});

describe('a git source with the directory', () => {
  test.each(['.', './', 'k8', 'k8/', 'a/..'])(
    'Q1 %s is a folder like any other, and the process goes on',
    async (directory) => {
      const name = `directory-${Buffer.from(directory).toString('hex')}`;
      const files = { ...valid, 'k8/manifests/crds.yaml': valid['manifests/crds.yaml'] ?? '' };
      await world.git.createRepository(`${name}.git`, [{ files }]);
      const git = { repository: `${world.git.url}/${name}.git`, ref: { branch: 'main' }, directory };
      await world.kube.create(bundle(name, { type: 'git', git }), { fieldManager: 'test' });
      await world.bundleWithPhase(name, 'Unpacked');
    },
  );

  test('Q1 that is not there is named', async () => {
    await world.git.createRepository('short.git', [{ files: valid }]);
    const git = { repository: `${world.git.url}/short.git`, ref: { branch: 'main' }, directory: 'x' };
    await world.kube.create(bundle('short', { type: 'git', git }), { fieldManager: 'test' });
    expect(await refusal('short')).toContain('"x"');
  });
});

describe('a source whose type and member differ', () => {
  test.each(['image', 'git', 'http', 'configMaps'])('Q1 is refused: type %s with a member upload', async (type) => {
    const thrown = await errorOf(
      world.kube.create(bundle(`odd-${type.toLowerCase()}`, { type, upload: {} }), { fieldManager: 'test' }),
    );
    expect((thrown as Error).message).toMatch(/bundle\.spec\.source\.\w+ must be set for source type/);
  });
});

describe('while registries are silent', () => {
  const silent = Array.from({ length: 12 }, (_, index) => `silent-${index}`);

  test('Q21, Q22 other Bundles are unpacked, admission works, and the status reports what is waited for', async () => {
    for (const name of silent) await createBundle(name, 'silent');
    await eventually(() => {
      expect(registry.requests.filter((line) => line.includes('/silent/manifests/'))).toHaveLength(silent.length);
    });
    await world.kube.create(bundle('lively', world.imageSource('valid:v1', valid)), { fieldManager: 'test' });
    const ref = { apiVersion, kind: 'Bundle', name: 'lively' };
    const thrown = await errorOf(
      world.kube.patch(ref, { spec: { provisionerClassName: 'other' } }, { fieldManager: 'test' }),
    );
    expect((thrown as Error).message).toContain('bundle.spec is immutable');
    await world.bundleWithPhase('lively', 'Unpacked');
    const waiting = await world.bundleWithPhase(silent.at(-1) ?? '', 'Unpacking');
    expect(conditionOf(waiting, 'Unpacked')).toMatchObject({ status: 'False', reason: 'Unpacking' });
    for (const name of silent) {
      expect(await refusal(name)).toBe(
        `source bundle content: GET http://${registry.host}/v2/silent/manifests/v1: no answer within 3 s`,
      );
    }
  });
});
