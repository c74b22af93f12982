import { globSync, readFileSync, readlinkSync } from 'node:fs';
import { expect, test } from 'vitest';
import { chartFiles } from '../../scripts/chart-files.ts';
import { type JsonObject, objectAt, parseYaml, parseYamlDocuments } from '../../src/base/index.ts';
import { chartForms, chartObjects, chartImage as image, keyed } from '../../test/support/index.ts';
import { readCrds, readMachineCrds, readOlmCrds } from '../client/index.ts';
import type { Overlay } from './overlays.ts';

interface Values {
  readonly overlay: Overlay;
  readonly shards: number;
  readonly olm: boolean;
}

/** The shards for which what an action opens is there; other actions stay, and are no YAML. */
function roundsOf(action: string, { overlay, shards, olm }: Values): readonly number[] | undefined {
  const [, names] = /^\{\{- if has \.Values\.overlay \(list ([^)]*)\) \}\}$/.exec(action) ?? [];
  if (names !== undefined) return names.includes(JSON.stringify(overlay)) ? [1] : [];
  if (action === '{{- if gt (int $.Values.shards) 1 }}') return shards > 1 ? [1] : [];
  if (/^\{\{- if (and )?\$\.Values\.olm[ )]/.test(action)) return olm ? [1] : [];
  // All other values are empty.
  if (action.startsWith('{{- with ')) return [];
  if (action !== '{{- range $shard := untilStep 2 (int (add1 (int $.Values.shards))) 1 }}') return undefined;
  return Array.from({ length: shards - 1 }, (_, at) => at + 2);
}

/** Where the block that was opened before ends, or its first part. */
function endOf(lines: readonly string[]): number {
  let depth = 0;
  return lines.findIndex((line) => {
    if (/^\{\{- (?:if|range|with) /.test(line)) depth += 1;
    if (line === '{{- else }}' && depth === 0) return true;
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
      .replaceAll('{{ int $.Values.shards }}', String(values.shards))
      .replace(/\{\{ \S+ \| default "([^"]*)" \}\}/, '$1');
    const body = rounds === undefined ? [] : rest.splice(0, endOf(rest) + 1);
    const otherwise = body.at(-1) === '{{- else }}' ? rest.splice(0, endOf(rest) + 1) : [];
    const chosen = rounds?.length === 0 ? [otherwise.slice(0, -1)] : rounds?.map(() => body.slice(0, -1));
    text += chosen?.map((part, at) => render(part, values, rounds?.[at] ?? shard)).join('') ?? `${filled}\n`;
  }
  return text;
}

test('the chart in the repository is the one that the overlays make', async () => {
  const files = await chartFiles();
  expect(globSync('deploy/chart/{*.*,templates/*.*}').toSorted()).toEqual(
    [...files.keys()].map((path) => `deploy/chart/${path}`).toSorted(),
  );
  for (const [path, text] of files) expect(readFileSync(`deploy/chart/${path}`, 'utf8')).toBe(text);
});

test('the CustomResourceDefinitions of the chart are the files of crds/, whose form its template expects', async () => {
  expect(readlinkSync('deploy/chart/definitions')).toBe('../../crds');
  const files = globSync('deploy/chart/definitions/{,olm/,machines/}*.yaml');
  const definitions = [await readCrds(), await readOlmCrds(), await readMachineCrds()].flat();
  expect(files.length).toBe(definitions.length);
  for (const file of files) {
    const [head = '', ...rest] = readFileSync(file, 'utf8').split('\nspec:\n');
    expect(rest, file).toHaveLength(1);
    expect(Object.keys(parseYaml(file, head) as JsonObject), file).toEqual(['apiVersion', 'kind', 'metadata']);
    expect(objectAt(parseYaml(file, head) as JsonObject, 'metadata')).toMatchObject({
      name: expect.any(String) as string,
    });
    expect(rest[0], file).not.toMatch(/^(?!#)\S/m);
  }
});

// That of the CustomResourceDefinitions uses more of Helm's language: test/clients/helm.test.ts has Helm render it.
test.each(chartForms)(
  'the chart makes of the overlay $overlay in $shards shards (olm: $olm) what longshore install applies',
  async (values) => {
    const files = [...(await chartFiles())].filter(
      ([path]) => path.startsWith('templates/') && path !== 'templates/customresourcedefinitions.yaml',
    );
    const made = files.flatMap(
      ([path, text]) => parseYamlDocuments(path, render(text.split('\n'), values)) as JsonObject[],
    );
    const expected = [...(await chartObjects(values))].filter(([, { kind }]) => kind !== 'CustomResourceDefinition');
    expect(keyed(made)).toEqual(new Map(expected));
  },
);
