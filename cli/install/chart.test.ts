import { execFileSync, spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { chartFiles } from '../../scripts/chart-files.ts';
import { type JsonObject, parseYamlDocuments } from '../../src/base/index.ts';
import type { KubeObject } from '../../src/kube/index.ts';
import { type Overlay, overlays, readManifests } from './manifests.ts';

const image = 'registry.example.com/longshore:test';
const hasHelm = spawnSync('helm', ['version']).status === 0;
const why = hasHelm ? '' : ' (skipped: helm is not installed)';

function keyed(objects: readonly JsonObject[]): Map<string, JsonObject> {
  const all = objects.filter((object) => object !== null) as unknown as KubeObject[];
  return new Map(
    all.map((object) => [
      `${object.kind}/${object.metadata.namespace ?? ''}/${object.metadata.name ?? ''}`,
      object as unknown as JsonObject,
    ]),
  );
}

/** What the chart must make of an overlay: its objects with the image, of which some outlive the release. */
async function expected(overlay: Overlay): Promise<Map<string, JsonObject>> {
  const objects = (await readManifests(overlay)) as unknown as KubeObject[];
  const changed = objects.map((object) => {
    const isKept = ['Namespace', 'CustomResourceDefinition'].includes(object.kind);
    const annotations = { ...object.metadata.annotations, 'helm.sh/resource-policy': 'keep' };
    return isKept ? { ...object, metadata: { ...object.metadata, annotations } } : object;
  });
  const text = JSON.stringify(changed).replaceAll(/"longshore:\d[^"]*"/g, JSON.stringify(image));
  return keyed(JSON.parse(text) as JsonObject[]);
}

/** The little of Helm's language that the chart is written in; anything else stays, and is no YAML. */
function render(template: string, overlay: Overlay): string {
  return template
    .replaceAll(
      /\{\{- if has \.Values\.overlay \(list ([^)]*)\) \}\}\n([\s\S]*?)\{\{- end \}\}\n/g,
      (_all, names: string, body: string) => (names.includes(JSON.stringify(overlay)) ? `---\n${body}` : ''),
    )
    .replaceAll('{{ .Values.image | quote }}', JSON.stringify(image));
}

test('the chart in the repository is the one that the overlays make', async () => {
  const files = await chartFiles();
  expect(globSync('deploy/chart/**/*.*').toSorted()).toEqual(
    [...files.keys()].map((path) => `deploy/chart/${path}`).toSorted(),
  );
  for (const [path, text] of files) expect(readFileSync(`deploy/chart/${path}`, 'utf8')).toBe(text);
});

test.each(overlays)('the chart makes of the overlay %s what kustomize makes', async (overlay) => {
  const files = [...(await chartFiles())].filter(([path]) => path.startsWith('templates/'));
  const made = files.flatMap(([path, text]) => parseYamlDocuments(path, render(text, overlay)) as JsonObject[]);
  expect(keyed(made)).toEqual(await expected(overlay));
});

test.skipIf(!hasHelm).each(overlays)(
  `helm template makes of the overlay %s what kustomize makes${why}`,
  async (overlay) => {
    const args = ['template', 'longshore', 'deploy/chart', '--set', `overlay=${overlay},image=${image}`];
    const text = execFileSync('helm', [...args, '--kube-version', '1.33.0'], { encoding: 'utf8' });
    expect(keyed(parseYamlDocuments(overlay, text) as JsonObject[])).toEqual(await expected(overlay));
  },
);

test.skipIf(!hasHelm)(`helm refuses an overlay that there is not${why}`, () => {
  const { status, stderr } = spawnSync('helm', ['template', 'x', 'deploy/chart', '--set', 'overlay=none'], {
    encoding: 'utf8',
  });
  expect(status).not.toBe(0);
  expect(stderr).toContain('overlay');
});
