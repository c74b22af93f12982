import { readdirSync, readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buildRelease, parseImageReferences, type ReleaseComponent } from '../../src/release/index.ts';
import { corpusReleaseDir } from './corpus.ts';

const digest = `sha256:${'a'.repeat(64)}`;

/** The components of the corpus. */
function components(): ReleaseComponent[] {
  return readdirSync(corpusReleaseDir).map((name) => ({
    name,
    isEngine: name === 'cluster-version-operator',
    files: readdirSync(join(corpusReleaseDir, name)).map((file) => ({
      name: file,
      content: readFileSync(join(corpusReleaseDir, name, file)),
    })),
  }));
}

/** Writes a release of the real components of the corpus to a folder, which is returned. */
export async function writeRealRelease(folder: string, version: string): Promise<string> {
  const all = components();
  const names = all.flatMap(({ files }) =>
    files
      .filter(({ name }) => name === 'image-references')
      .flatMap(({ content }) => parseImageReferences(content.toString()).images.map(({ name }) => name)),
  );
  const { files } = buildRelease({
    metadata: { version, previous: [], next: [], url: '', architecture: '', channels: [] },
    components: all,
    images: new Map(names.map((name) => [name, `example.com/${name}@${digest}`])),
    versions: new Map([['kubernetes', '1.35.0']]),
  });
  for (const { directory, name, content } of files) {
    await mkdir(join(folder, directory), { recursive: true });
    await writeFile(join(folder, directory, name), content);
  }
  return folder;
}
