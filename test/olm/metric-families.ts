import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { catalog, catalogSource, connected, latest, subscription } from './catalog-objects.ts';
import { apply, csv, failed, group, rest } from './objects.ts';
import { openStage, playScenario } from './play.ts';
import type { Implementation, Scenario } from './scenario.ts';

const recordingPath = join(import.meta.dirname, 'metric-families.json');

/** What a dashboard or an alert relies on, by the name of the metric. */
export type MetricFamilies = Readonly<Record<string, { readonly type: string; readonly labels: readonly string[] }>>;

/** Those of every program of its language, those of Longshore's own, and those with the names of OpenShift. */
const ofPrograms =
  /^(?:go|process|promhttp|nodejs|longshore|catalogd|cluster_(?:installer|operator|version)|mapi)(?:_|$)/;
const ofType = /^# TYPE (\S+) (\S+)$/gm;
const parts = /_(?:bucket|sum|count)$/;

/** Read from the text format of Prometheus. */
export function familiesIn(text: string): MetricFamilies {
  const found = [...text.matchAll(ofType)].filter(([, name = '']) => !ofPrograms.test(name));
  const types = new Map(found.map(([, name = '', type = '']): [string, string] => [name, type]));
  const labels = new Map([...types.keys()].map((name): [string, Set<string>] => [name, new Set()]));
  for (const [, series = '', list = ''] of text.matchAll(/^(\w+)\{([^\n]*)\} /gm)) {
    const known = labels.get(series) ?? labels.get(series.replace(parts, ''));
    for (const [, label = ''] of list.matchAll(/(\w+)="/g)) known?.add(label);
  }
  const names = [...types.keys()].toSorted();
  return Object.fromEntries(
    names.map((name) => [name, { type: types.get(name) ?? '', labels: [...(labels.get(name) ?? [])].toSorted() }]),
  );
}

/** Every metric has a value after it: one operator is installed, one fails, one Subscription cannot be resolved. */
const scenario: Scenario = {
  id: 'metric families',
  title: 'operators of all kinds of states',
  namespaces: ['a', 'b'],
  isAlone: true,
  catalogs: { old: catalog({ version: '0.1.0' }) },
  actions: [
    ...apply(group(), catalogSource('old')),
    rest('catalog', connected()),
    ...apply(subscription()),
    rest('installed', latest()),
    ...apply(subscription({ name: 'none' }, 'none')),
    ...apply(csv({ namespace: 'b', name: 'ferry.v0.1.0' })),
    rest('failed', failed('ferry.v0.1.0', 'b')),
  ],
};

/** Plays the scenario, and reads all metrics at its end. */
export async function playFamilies(implementation: Implementation): Promise<MetricFamilies> {
  let text = '';
  const metrics = async (): Promise<string> => {
    text = await implementation.metrics();
    return text;
  };
  await using stage = await openStage({ ...implementation, metrics });
  await playScenario(stage, scenario);
  return familiesIn(text);
}

/** What the real OLM showed. */
export async function readFamilies(): Promise<MetricFamilies> {
  return JSON.parse(await readFile(recordingPath, 'utf8')) as MetricFamilies;
}

/** Records what the real OLM showed. */
export async function writeFamilies(families: MetricFamilies): Promise<void> {
  await writeFile(recordingPath, `${JSON.stringify(families, undefined, 2)}\n`);
}
