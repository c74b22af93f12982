import { execFileSync, spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { chartFiles } from '../../scripts/chart-files.ts';
import { type JsonObject, parseYamlDocuments } from '../../src/base/index.ts';
import type { KubeObject } from '../../src/kube/index.ts';
import { type Overlay, overlays, readManifests } from './manifests.ts';
import { withShards } from './shards.ts';

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
async function expected(overlay: Overlay, shards: number): Promise<Map<string, JsonObject>> {
  const objects = withShards((await readManifests(overlay)) as unknown as KubeObject[], shards);
  const changed = objects.map((object) => {
    const isKept = ['Namespace', 'CustomResourceDefinition'].includes(object.kind);
    const annotations = { ...object.metadata.annotations, 'helm.sh/resource-policy': 'keep' };
    return isKept ? { ...object, metadata: { ...object.metadata, annotations } } : object;
  });
  const text = JSON.stringify(changed).replaceAll(/"longshore:\d[^"]*"/g, JSON.stringify(image));
  return keyed(JSON.parse(text) as JsonObject[]);
}

interface Values {
  readonly overlay: Overlay;
  readonly shards: number;
}

/** The shards for which what an action opens is there; other actions stay, and are no YAML. */
function roundsOf(action: string, { overlay, shards }: Values): readonly number[] | undefined {
  const [, names] = /^\{\{- if has \.Values\.overlay \(list ([^)]*)\) \}\}$/.exec(action) ?? [];
  if (names !== undefined) return names.includes(JSON.stringify(overlay)) ? [1] : [];
  if (action === '{{- if gt (int $.Values.shards) 1 }}') return shards > 1 ? [1] : [];
  if (action !== '{{- range $shard := untilStep 2 (int (add1 (int $.Values.shards))) 1 }}') return undefined;
  return Array.from({ length: shards - 1 }, (_, at) => at + 2);
}

/** Where the block ends that was opened before. */
function endOf(lines: readonly string[]): number {
  let depth = 0;
  return lines.findIndex((line) => {
    if (/^\{\{- (?:if|range) /.test(line)) depth += 1;
    if (line !== '{{- end }}') return false;
    depth -= 1;
    return depth < 0;
  });
}

/** The little of Helm's language that the chart is written in. */
function render(lines: readonly string[], values: Values, shard = 1): string {
  let text = '';
  const rest = [...lines];
  for (let line = rest.shift(); line !== undefined; line = rest.shift()) {
    const rounds = roundsOf(line, values);
    const filled = line
      .replace(/\{\{ \$?\.Values\.image \| quote \}\}/, JSON.stringify(image))
      .replaceAll('{{ $shard }}', String(shard))
      .replaceAll('{{ int $.Values.shards }}', String(values.shards));
    const [...body] = rounds === undefined ? [] : rest.splice(0, endOf(rest) + 1).slice(0, -1);
    text += rounds?.map((round) => render(body, values, round)).join('') ?? `${filled}\n`;
  }
  return text;
}

const forms = overlays.flatMap((overlay) => [1, 3].map((shards) => ({ overlay, shards })));

test('the chart in the repository is the one that the overlays make', async () => {
  const files = await chartFiles();
  expect(globSync('deploy/chart/**/*.*').toSorted()).toEqual(
    [...files.keys()].map((path) => `deploy/chart/${path}`).toSorted(),
  );
  for (const [path, text] of files) expect(readFileSync(`deploy/chart/${path}`, 'utf8')).toBe(text);
});

test.each(forms)('the chart makes of the overlay $overlay in $shards shards what kustomize makes', async (values) => {
  const files = [...(await chartFiles())].filter(([path]) => path.startsWith('templates/'));
  const made = files.flatMap(
    ([path, text]) => parseYamlDocuments(path, render(text.split('\n'), values)) as JsonObject[],
  );
  expect(keyed(made)).toEqual(await expected(values.overlay, values.shards));
});

test.skipIf(!hasHelm).each(forms)(
  `helm template makes of the overlay $overlay in $shards shards what kustomize makes${why}`,
  async ({ overlay, shards }) => {
    const set = `overlay=${overlay},image=${image},shards=${shards}`;
    const args = ['template', 'longshore', 'deploy/chart', '--set', set, '--kube-version', '1.33.0'];
    const text = execFileSync('helm', args, { encoding: 'utf8' });
    expect(keyed(parseYamlDocuments(overlay, text) as JsonObject[])).toEqual(await expected(overlay, shards));
  },
);

test.skipIf(!hasHelm).each(['overlay=none', 'shards=0', 'shards=9'])(`helm refuses %s${why}`, (set) => {
  const { status, stderr } = spawnSync('helm', ['template', 'x', 'deploy/chart', '--set', set], { encoding: 'utf8' });
  expect(status).not.toBe(0);
  expect(stderr).toContain(set.split('=')[0]);
});
