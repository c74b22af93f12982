import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { corpusUpdateGraphDir, hasCorpus } from '../../test/support/index.ts';
import { availableUpdates } from './available-updates.ts';
import { formatUpdateGraph, parseUpdateGraph } from './graph.ts';
import { type GraphDataFile, readGraphData } from './graph-data.ts';
import { buildUpdateGraph, buildUpdateGraphs, type ServedRelease } from './served-graph.ts';

const release = (version: string, previous: readonly string[] = [], architecture = 'amd64'): ServedRelease => ({
  version,
  payload: `example.com/releases@${version}-${architecture}`,
  architecture,
  previous,
  next: [],
  url: '',
});
const channel = (name: string, versions: readonly string[]): GraphDataFile => ({
  path: `channels/${name}.yaml`,
  text: JSON.stringify({ name, versions }),
});
const block = (file: string, content: object): GraphDataFile => ({
  path: `blocked-edges/${file}.yaml`,
  text: JSON.stringify(content),
});
const risk = { name: 'Slow', url: 'https://example.com', message: 'Slow.', matchingRules: [{ type: 'Always' }] };
const query = { channel: 'stable', architecture: 'amd64' };
const releases = [
  release('1.0.0'),
  release('1.0.1', ['1.0.0']),
  release('1.0.2', ['1.0.0', '1.0.1']),
  release('1.0.2', ['1.0.0', '1.0.1'], 'arm64'),
  release('1.0.3', ['1.0.2']),
];
const shown = (files: readonly GraphDataFile[], asked = query): object | undefined => {
  const graph = buildUpdateGraph(readGraphData(files), releases, asked);
  if (graph === undefined) return undefined;
  const version = (index: number): string | undefined => graph.nodes[index]?.version;
  return {
    nodes: graph.nodes.map((node) => node.version),
    edges: graph.edges.map(([from, to]) => `${version(from)} ${version(to)}`),
    conditional: graph.conditionalEdges.map(({ edges, risks }) => [
      ...edges.map(({ from, to }) => `${from} ${to}`),
      ...risks.map(({ name }) => name),
    ]),
  };
};

test('a channel has its versions, and the updates between them', () => {
  expect(shown([channel('stable', ['1.0.0', '1.0.2', '1.0.1'])])).toEqual({
    nodes: ['1.0.0', '1.0.1', '1.0.2'],
    edges: ['1.0.0 1.0.1', '1.0.0 1.0.2', '1.0.1 1.0.2'],
    conditional: [],
  });
});

test('a version with an architecture is in the channel for that one', () => {
  const files = [channel('stable', ['1.0.0', '1.0.2+arm64'])];
  expect(shown(files)).toMatchObject({ nodes: ['1.0.0'] });
  expect(shown(files, { ...query, architecture: 'arm64' })).toMatchObject({ nodes: ['1.0.2'] });
});

test('blocked edges are removed, or become conditional; those with the same risks stand together', () => {
  const files = [
    channel('stable', ['1.0.0', '1.0.1', '1.0.2', '1.0.3']),
    block('1.0.1', { to: '1.0.1', from: '.*' }),
    block('1.0.2-slow', { to: '1.0.2', from: String.raw`1[.]0[.][01]\+amd64`, ...risk }),
    block('1.0.3-other', { to: '1.0.3', from: String.raw`\+arm64`, ...risk }),
  ];
  expect(shown(files)).toEqual({
    nodes: ['1.0.0', '1.0.1', '1.0.2', '1.0.3'],
    edges: ['1.0.2 1.0.3'],
    conditional: [['1.0.0 1.0.2', '1.0.1 1.0.2', 'Slow']],
  });
});

test('an edge that one file removes is not offered with the risk of another', () => {
  const files = [
    channel('stable', ['1.0.0', '1.0.1']),
    block('1.0.1-a', { to: '1.0.1', from: '.*' }),
    block('1.0.1-b', { to: '1.0.1', from: '.*', ...risk }),
  ];
  expect(shown(files)).toMatchObject({ edges: [], conditional: [] });
});

test('rules are sent in the form in which clients read them', () => {
  const rules = [{ type: 'PromQL', promql: { promql: 'max(slow)' } }, { type: 'Always' }];
  const files = [
    channel('stable', ['1.0.0', '1.0.1']),
    block('1.0.1', { to: '1.0.1', from: '.*', ...risk, matchingRules: rules }),
  ];
  const graph = buildUpdateGraph(readGraphData(files), releases, query) ?? expect.fail('no graph');
  const text = formatUpdateGraph(graph);
  expect(JSON.parse(text)).toMatchObject({ conditionalEdges: [{ risks: [{ matchingRules: rules }] }] });
  expect(parseUpdateGraph(text)).toEqual(graph);
});

test('there is no graph of an unknown channel', () => {
  expect(shown([])).toBeUndefined();
});

test.each([
  [channel('stable', ['one']), 'channels/stable.yaml: "one" is not a version'],
  [
    { path: 'channels/other.yaml', text: '{name: stable, versions: []}' },
    'name: expected "other", as the file, found "stable"',
  ],
  [block('a', { to: '1.0.0', from: '(' }), 'blocked-edges/a.yaml: from: error parsing regexp'],
  [block('a', { to: '1.0.0', from: '(a{1000}){1000}' }), 'blocked-edges/a.yaml: from: error parsing regexp'],
  [
    block('a', { to: '1.0.0', from: '.*', name: 'x' }),
    'expected url, name, message and matchingRules, or none of them',
  ],
  [{ path: 'version', text: '1.2.0\n' }, 'version: 1.2.0: expected a schema of 1.1 or older'],
])('%j is refused', (file, message) => {
  expect(() => readGraphData([file])).toThrow(message);
});

test.skipIf(!hasCorpus)(
  'of published data every channel and every blocked edge is read, and a client computes what it may install (skipped without the corpus)',
  () => {
    const files = ['channels', 'blocked-edges'].flatMap((folder) =>
      readdirSync(join(corpusUpdateGraphDir, folder)).map((name) => ({
        path: `${folder}/${name}`,
        text: readFileSync(join(corpusUpdateGraphDir, folder, name), 'utf8'),
      })),
    );
    const data = readGraphData(files);
    expect(data.channels.size).toBe(7);
    expect(data.blockedEdges).toHaveLength(156);
    const versions = [...(data.channels.get('stable-4.18')?.versions ?? [])].map((version) =>
      version.replace(/\+.*/, ''),
    );
    const all = [...new Set(versions)].map((version) => ({ ...release(version, versions) }));
    const graph = buildUpdateGraph(data, all, { channel: 'stable-4.18', architecture: 'amd64' });
    expect(graph?.nodes.length).toBe(all.length);
    const updates = availableUpdates(graph ?? { nodes: [], edges: [], conditionalEdges: [] }, {
      version: '4.17.0',
      channel: 'stable-4.18',
    });
    const first = updates.conditional.find(({ release: { version } }) => version === '4.18.1');
    expect(first?.risks.length).toBeGreaterThan(0);
    expect(updates.available.length + updates.conditional.length).toBe(all.length - 1);
  },
);

describe('a hostile graph', () => {
  const data = readGraphData([channel('stable', ['1.0.0', '1.0.1'])]);

  test('with too many updates is refused before any is made', () => {
    const bomb = [release('1.0.0', Array.from({ length: 1_000_001 }).fill('0.9.0') as string[])];
    expect(() => [...buildUpdateGraphs(data, bomb)]).toThrow('1 releases declare 1000001 updates: expected at most');
    const many = Array.from({ length: 10_001 }, (_, index) => release(`1.0.${index}`));
    expect(() => [...buildUpdateGraphs(data, many)]).toThrow('expected at most 10000 releases');
  });

  test('with a cycle offers direct successors alone', () => {
    const cycle = [release('1.0.0', ['1.0.1', '1.0.0']), release('1.0.1', ['1.0.0'])];
    const [{ graph } = { graph: { nodes: [], edges: [], conditionalEdges: [] } }] = buildUpdateGraphs(data, cycle);
    expect(graph.edges).toEqual([
      [0, 1],
      [1, 0],
    ]);
    const updates = availableUpdates(graph, { version: '1.0.1', channel: 'stable' });
    expect(updates.available.map(({ version }) => version)).toEqual(['1.0.0']);
  });

  test('channels and architectures without releases make no graph', () => {
    const named = [...buildUpdateGraphs(data, [release('1.0.0'), release('9.9.9', [], 'arm64')])];
    expect(named.map(({ architecture }) => architecture)).toEqual(['amd64']);
  });
});
