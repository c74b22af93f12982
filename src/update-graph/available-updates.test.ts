import { expect, test } from 'vitest';
import { type AvailableUpdates, availableUpdates } from './available-updates.ts';
import { parseUpdateGraph } from './graph.ts';

const node = (version: string, metadata: object = {}): object => ({
  version,
  payload: `example.com/r@${version}`,
  metadata,
});
const always = { type: 'Always' };
const risk = (name: string, matchingRules: readonly object[] = [always]): object => ({
  name,
  url: `https://example.com/${name}`,
  message: name,
  matchingRules,
});

function offered(graph: object, version = '4.14.1'): AvailableUpdates {
  return availableUpdates(parseUpdateGraph(JSON.stringify(graph)), { version, channel: 'stable-4.14' });
}
const names = ({ available, conditional }: AvailableUpdates): object => ({
  available: available.map((release) => release.version),
  conditional: conditional.map(({ release, risks }) => [release.version, ...risks.map(({ name }) => name)]),
});

const nodes = ['4.14.1', '4.14.2', '4.14.10', '4.14.3'].map((version) => node(version));

test('CV-13: direct successors are offered, the highest first', () => {
  const edges = [
    [0, 1],
    [0, 2],
    [1, 3],
  ];
  expect(names(offered({ nodes, edges }))).toEqual({ available: ['4.14.10', '4.14.2'], conditional: [] });
});

test('CV-85: a release with risks is offered with them alone', () => {
  const conditionalEdges = [{ edges: [{ from: '4.14.1', to: '4.14.2' }], risks: [risk('Slow')] }];
  expect(names(offered({ nodes, edges: [[0, 1]], conditionalEdges }))).toEqual({
    available: [],
    conditional: [['4.14.2', 'Slow']],
  });
});

test('the risks of several groups are joined', () => {
  const edges = [{ from: '4.14.1', to: '4.14.2' }];
  const conditionalEdges = [
    { edges, risks: [risk('A')] },
    { edges, risks: [risk('B'), risk('A')] },
  ];
  expect(names(offered({ nodes, edges: [], conditionalEdges }))).toMatchObject({ conditional: [['4.14.2', 'A', 'B']] });
});

test('an update that an entry lists many times has each of its risks once', () => {
  const edges = Array.from({ length: 10_000 }, () => ({ from: '4.14.1', to: '4.14.2' }));
  const risks = Array.from({ length: 200 }, (_, index) => risk(`R${index}`));
  const { conditional } = offered({ nodes, edges: [], conditionalEdges: [{ edges, risks }] });
  expect(conditional.map((update) => update.risks.length)).toEqual([200]);
});

test('an update that is listed many times is offered once', () => {
  const edges = Array.from({ length: 1000 }, () => [0, 1]);
  expect(names(offered({ nodes, edges }))).toEqual({ available: ['4.14.2'], conditional: [] });
});

test.each([
  ['channels', [nodes[0], node('4.14.2', { 'io.openshift.upgrades.graph.release.channels': 'a,'.repeat(600_000) })]],
  ['versions', [nodes[0], ...Array.from({ length: 2000 }, (_, at) => node(`4.14.2-${'1.'.repeat(300)}${at}`))]],
])('%s that no status can hold are refused before they are sorted', (_, large) => {
  const edges = large.slice(1).map((__, at) => [0, at + 1]);
  expect(() => offered({ nodes: large, edges })).toThrow('characters, more than the limit of 1048576');
});

test('a graph with too many risks for its updates is refused', () => {
  const edges = Array.from({ length: 10_000 }, () => ({ from: '4.14.1', to: '4.14.2' }));
  const risks = Array.from({ length: 201 }, (_, index) => risk(`R${index}`));
  expect(() => offered({ nodes, edges: [], conditionalEdges: [{ edges, risks }] })).toThrow(
    '2010000 pairs of updates and risks, more than 2000000',
  );
});

test.each([
  ['a name that is too long', { name: 'R'.repeat(257) }],
  ['an address that no API server accepts', { url: 'https://example.com/%zz' }],
  ['a blank before its address', { url: ' https://example.com/' }],
])('a release with a risk of %s is not offered: no status could be written with it', (_, fields) => {
  const risks = [{ ...risk('A'), ...fields }];
  const conditionalEdges = [{ edges: [{ from: '4.14.1', to: '4.14.2' }], risks }];
  expect(names(offered({ nodes, edges: [[0, 1]], conditionalEdges }))).toEqual({ available: [], conditional: [] });
});

const unknown = { type: 'Unheard', promql: { promql: 'x' } };
test.each([
  ['CV-86: of an unknown type', [unknown]],
  ['without a rule', []],
  ['PromQL without an expression', [{ type: 'PromQL' }]],
])('a release with a risk %s is not offered at all', (_, rules) => {
  const conditionalEdges = [{ edges: [{ from: '4.14.1', to: '4.14.2' }], risks: [risk('A', rules), risk('B')] }];
  expect(
    names(
      offered({
        nodes,
        edges: [
          [0, 1],
          [0, 3],
        ],
        conditionalEdges,
      }),
    ),
  ).toEqual({
    available: ['4.14.3'],
    conditional: [],
  });
});

test('CV-87: beside an unknown rule the known one counts', () => {
  const conditionalEdges = [{ edges: [{ from: '4.14.1', to: '4.14.2' }], risks: [risk('A', [unknown, always])] }];
  expect(offered({ nodes, edges: [], conditionalEdges }).conditional[0]?.risks[0]?.matchingRules).toEqual([always]);
});

test('a cluster is found whatever the build metadata of its version', () => {
  expect(names(offered({ nodes, edges: [[0, 1]] }, '4.14.1+amd64'))).toMatchObject({ available: ['4.14.2'] });
});

test('metadata of releases is read, its channels sorted, each once', () => {
  const metadata = { url: 'https://example.com/e', 'io.openshift.upgrades.graph.release.channels': 'b,a,b' };
  const { current } = offered({ nodes: [node('4.14.1', metadata)], edges: [] });
  expect(current).toMatchObject({ url: 'https://example.com/e', channels: ['a', 'b'], architecture: '' });
});

test.each([
  [
    'CV-88: no such version',
    { nodes: [], edges: [] },
    'currently reconciling cluster version 4.14.1 not found in the "stable-4.14" channel',
  ],
  ['an edge of three', { nodes, edges: [[0, 1, 2]] }, 'edges[0]: expected 2 fields, found 3'],
  [
    'an edge to nowhere',
    {
      nodes,
      edges: [
        [0, 1],
        [0, 9],
      ],
    },
    'edges[1]: edge [0, 9]: expected indexes of the 4 nodes',
  ],
  ['a node that is no version', { nodes: [...nodes, node('four')], edges: [] }, 'invalid node version "four"'],
  ['a bad URL', { nodes: [node('4.14.1', { url: '::' })], edges: [] }, 'invalid URL "::"'],
  [
    'an unknown target',
    { nodes, edges: [], conditionalEdges: [{ edges: [{ from: '4.14.1', to: '9.9.9' }], risks: [risk('A')] }] },
    'no node for conditional update 9.9.9',
  ],
])('%s is refused', (_, graph, message) => {
  expect(() => offered(graph)).toThrow(message);
});
