import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const manifest = (name: string): string => `kind: A\nmetadata: {name: ${name}}\n`;
const values = (mebibytes: number): string => '{},'.repeat((mebibytes * 1024 * 1024) / 3);
const longImage = 'y'.repeat(1024 * 1024);
const tags = [{ name: 'long', from: { kind: 'DockerImage', name: longImage } }];

/** The manifests of releases that are larger in memory than they are, by the name of the release. */
const manifests: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'values-json': Object.fromEntries(
    [1, 2].map((number) => [
      `release-manifests/0000_10_a_${number}.json`,
      `{"kind":"A","metadata":{"name":"a${number}"},"x":[${values(15)}0]}`,
    ]),
  ),
  'values-yaml': { 'release-manifests/0000_10_a_1.yaml': `${manifest('a')}x: [${values(15)}]\n` },
  templates: {
    'manifests/0000_00_a_1.yaml': `${manifest('a')}x: |\n${'  {{.Images.long}}\n'.repeat(400)}`,
  },
  'too-large': Object.fromEntries(
    [1, 2, 3, 4].map((number) => [`release-manifests/0000_10_a_${number}.yaml`, `#${'x'.repeat(15 * 1024 * 1024)}`]),
  ),
};

const markers: Readonly<Record<string, string>> = {
  'manifests/0000_00_engine_1.yaml': manifest('engine'),
  'release-manifests/release-metadata': JSON.stringify({ kind: 'cincinnati-metadata-v0', version: '1.0.0' }),
  'release-manifests/image-references': JSON.stringify({
    kind: 'ImageStream',
    metadata: { name: '1.0.0' },
    spec: { tags },
  }),
};

/** Writes releases that take more memory than they have bytes into a folder; their folders. */
export async function writeHostilePayloads(dir: string): Promise<readonly string[]> {
  const folders: string[] = [];
  for (const [name, files] of Object.entries(manifests)) {
    const folder = join(dir, name);
    for (const directory of ['manifests', 'release-manifests'])
      await mkdir(join(folder, directory), { recursive: true });
    for (const [path, content] of Object.entries({ ...markers, ...files }))
      await writeFile(join(folder, path), content);
    folders.push(folder);
  }
  return folders;
}

/** Graphs of updates, by their path: as long as one may be, with as many values as it has room for. */
export const hostileGraphs: Readonly<Record<string, () => string>> = {
  nodes: () => `{"nodes":[${values(31)}{}]}`,
  keys: () => `{"nodes":[${Array.from({ length: 1_500_000 }, (_, number) => `{"k${number}":""}`).join(',')}]}`,
};
