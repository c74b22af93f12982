import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { type JsonObject, objectAt, parseYamlDocuments } from '../base/index.ts';
import { clusterVersionTable } from './cluster-version-table.ts';
import type { Definition } from './definition.ts';
import { createMetrics } from './index.ts';
import { machineTable } from './machine-table.ts';
import { olmTable } from './olm-table.ts';
import { table } from './table.ts';

const folder = 'deploy/monitoring';
const runbooks = 'docs/runbooks';
const hasKubectl = spawnSync('kubectl', ['version', '--client']).status === 0;
const why = hasKubectl ? '' : ' (skipped: kubectl is not installed)';
/** Prometheus gives them to everything that it reads. */
const scraped = ['job', 'pod', 'namespace', 'instance', 'le', 'quantile'];
const histogramParts = /_(?:bucket|sum|count)$/;

interface Alert {
  readonly alert: string;
  readonly expr: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string; readonly runbook_url: string };
}

interface Panel {
  readonly id: number;
  readonly title: string;
  readonly type: string;
  readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[];
}

function documentsOf(name: string): readonly JsonObject[] {
  return parseYamlDocuments(name, readFileSync(`${folder}/${name}`, 'utf8')) as JsonObject[];
}

function alerts(): readonly Alert[] {
  const [rule] = documentsOf('alerts.yaml') as unknown as { spec: { groups: { rules: Alert[] }[] } }[];
  return rule?.spec.groups.flatMap(({ rules }) => rules) ?? [];
}

function panels(): readonly Panel[] {
  const text = readFileSync(`${folder}/longshore-dashboard.json`, 'utf8');
  return (JSON.parse(text) as { panels: Panel[] }).panels;
}

const expressions = [
  ...alerts().map(({ alert, expr }) => ({ of: alert, expr })),
  ...panels().flatMap(({ title, targets = [] }) => targets.map(({ expr }) => ({ of: title, expr }))),
];

function namesIn(expr: string): readonly string[] {
  const names = [...expr.matchAll(/\b(?:longshore|catalogd|nodejs|process)_[a-z0-9_]+/g)].map(([name]) => name);
  const published = Object.keys({ ...clusterVersionTable, ...olmTable, ...machineTable }).filter(
    (name) => !name.startsWith('longshore_'),
  );
  return [...names, ...published.filter((name) => new RegExp(`\\b${name}\\b`).test(expr))];
}

/** OLM has gauges whose names end as parts of histograms do. */
function familyOf(name: string): string {
  return Object.hasOwn(table, name) ? name : name.replace(histogramParts, '');
}

function definitionOf(name: string): Definition | undefined {
  const rows: Readonly<Record<string, Definition>> = table;
  return rows[familyOf(name)];
}

test.each(expressions)('$of uses existing metrics and labels: $expr', async ({ expr }) => {
  const metrics = createMetrics();
  metrics.watchProcess();
  const { text } = await metrics.show();
  const shown = new Set([...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name));
  for (const name of namesIn(expr)) {
    const isHistogram = definitionOf(name)?.kind === 'histogram';
    expect(isHistogram).toBe(familyOf(name) !== name);
    expect(shown).toContain(familyOf(name));
  }
  for (const [, name = '', selector = ''] of expr.matchAll(/\b([a-z]+_[a-z_]+)\{([^}]*)\}/g)) {
    const labels = [...selector.matchAll(/([a-z_]+)(?:=~|!~|!=|=)"/g)].map(([, label]) => label);
    expect([...(definitionOf(name)?.labels ?? []), ...scraped]).toEqual(expect.arrayContaining(labels));
  }
  const grouped = [...expr.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, list = '']) => list.split(/, ?/));
  const known = namesIn(expr).flatMap((name) => definitionOf(name)?.labels ?? []);
  expect([...known, ...scraped]).toEqual(expect.arrayContaining(grouped));
  expect(expr.split('(').length).toBe(expr.split(')').length);
});

const ofShards = expressions.filter(({ expr }) =>
  namesIn(expr).some((name) => name !== 'longshore_leader' && definitionOf(name)?.labels?.includes('shard')),
);

test.each(ofShards)('$of sums the values of shards, and counts standby processes once', ({ expr }) => {
  expect(expr).toMatch(/^sum(?: by \([a-z, ]+\) )?\(max by \((?:[a-z]+, )?shard\) \([^)]+\)\)(?: > 0)?$/);
});

test('the alerts for unhealthy objects, and the graphs of objects, are among those', () => {
  expect(ofShards).toHaveLength(5);
});

test('every metric is on the dashboard or used by an alert', () => {
  const named = new Set(expressions.flatMap(({ expr }) => namesIn(expr)).map(familyOf));
  const apart = [
    'longshore_build_info',
    'longshore_shard',
    'longshore_bundle_deployments',
    'longshore_watch_cache_objects',
    'longshore_content_store_contents',
    'longshore_content_store_uploads',
    'longshore_content_store_evicted_bytes_total',
    'longshore_content_store_sweeps_total',
    'longshore_content_response_bytes_total',
  ];
  expect(Object.keys(table).filter((name) => !named.has(name) && !apart.includes(name))).toEqual([]);
});

test('every alert has a runbook with instructions, and every runbook an alert', () => {
  const names = alerts().map(({ alert }) => alert);
  expect(new Set(names).size).toBe(names.length);
  expect(readdirSync(runbooks).toSorted()).toEqual(names.map((name) => `${name}.md`).toSorted());
  for (const { alert, labels, annotations } of alerts()) {
    expect(annotations.runbook_url).toBe(`${runbooks}/${alert}.md`);
    expect(['critical', 'warning', 'info']).toContain(labels.severity);
    const text = readFileSync(annotations.runbook_url, 'utf8');
    expect(text).toMatch(new RegExp(`^# ${alert}\n\nSeverity: ${labels.severity}\\. `));
    expect(text).toMatch(/\n## What to do\n\n1\. /);
    for (const [, target = ''] of text.matchAll(/\]\(([^)#]+)/g))
      expect(existsSync(`${runbooks}/${target}`)).toBe(true);
    const graphs = [...text.matchAll(/"([^"]+)" of the dashboard/g)].map(([, title]) => title);
    expect(panels().map(({ title }) => title.split(',')[0])).toEqual(expect.arrayContaining(graphs));
  }
});

test('panels are distinct', () => {
  const ids = panels().map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  for (const { type, targets = [] } of panels()) expect(targets.length > 0).toBe(type !== 'row');
});

test('the scrape configuration uses the names of the manifests', () => {
  const selectors = documentsOf('scraping.yaml')
    .filter(({ kind }) => kind === 'Service')
    .map((service) => objectAt(service, 'spec', 'selector'));
  expect(selectors).toHaveLength(2);
  for (const [at, name] of ['core', 'webhooks'].entries()) {
    const manifests = parseYamlDocuments(name, readFileSync(`deploy/base/${name}.yaml`, 'utf8')) as JsonObject[];
    const deployment = manifests.find(({ kind }) => kind === 'Deployment');
    expect(objectAt(deployment, 'spec', 'template', 'metadata', 'labels')).toMatchObject(selectors[at] ?? { none: '' });
  }
});

test.skipIf(!hasKubectl)(`kubectl builds it${why}`, () => {
  const built = execFileSync('kubectl', ['kustomize', folder], { encoding: 'utf8' });
  const objects = parseYamlDocuments('monitoring', built) as { kind: string }[];
  const kinds = objects.map(({ kind }) => kind);
  expect(kinds).toEqual(expect.arrayContaining(['PrometheusRule', 'ServiceMonitor', 'ConfigMap', 'Secret']));
});

test('the document lists every metric, and every alert', () => {
  const text = readFileSync('docs/monitoring.md', 'utf8');
  for (const [name, { labels = [], help }] of Object.entries(table)) {
    expect(text).toContain(`| \`${name}\` | ${labels.map((label) => `\`${label}\``).join(', ')} | ${help} |`);
  }
  for (const { alert } of alerts()) expect(text).toContain(`| [${alert}](runbooks/${alert}.md) | `);
});
