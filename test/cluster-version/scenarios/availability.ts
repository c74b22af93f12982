import type { JsonObject } from '../../../src/base/index.ts';
import { quickRelease } from '../objects.ts';
import { pullSpecOf } from '../payloads.ts';
import type { Rest, Scenario, State } from '../scenario.ts';

const version = '4.22.0';
const isInstalled: State = { history: `Completed ${version}` };
const installed: Rest = { rest: 'installed', until: isInstalled };
const retrieved: Rest = { rest: 'retrieved', until: [isInstalled, { condition: 'RetrievedUpdates', is: 'True' }] };
const notRetrieved: Rest = {
  rest: 'not retrieved',
  until: [isInstalled, { condition: 'RetrievedUpdates', is: 'False' }],
};
const spec = { channel: 'stable-4.22', upstream: '$upstream' };
const payloads = { first: quickRelease(version) };
const versions = ['4.22.0', '4.22.1', '4.22.2', '4.23.0'] as const;

function nodeOf(of: string, index: number): JsonObject {
  const payload = index === 0 ? pullSpecOf('first', {}) : pullSpecOf(of, {});
  const metadata = {
    url: `https://example.com/${of}`,
    'io.openshift.upgrades.graph.release.channels': 'stable-4.22,fast-4.22',
  };
  return { version: of, payload, metadata };
}

const nodes = versions.map(nodeOf);
const always = { type: 'Always' };
const risk = (name: string, ...matchingRules: readonly JsonObject[]): JsonObject => ({
  name,
  url: `https://example.com/${encodeURIComponent(name)}`,
  message: `About ${name}.`,
  matchingRules: [...matchingRules],
});
const to = (target: string, ...risks: readonly JsonObject[]): JsonObject => ({
  edges: [{ from: version, to: target }],
  risks: [...risks],
});

/** A cluster with a channel, whose update service answers this from the start. */
function answered(id: string, title: string, graph: JsonObject | number | string): Scenario {
  return { id: `graph-${id}`, title, spec, payloads, actions: [{ graph }, retrieved] };
}

/** The same where the engine can do nothing with the answer. */
function useless(id: string, title: string, graph: JsonObject | number | string): Scenario {
  return { id: `graph-${id}`, title, spec, payloads, actions: [{ graph }, notRetrieved] };
}

/** What the update service offers. */
export const scenarios: readonly Scenario[] = [
  { id: 'no-channel', title: 'no channel is set', spec: { upstream: '$upstream' }, payloads, actions: [installed] },
  {
    id: 'no-cluster-id',
    title: 'the cluster has no id',
    spec: { ...spec, clusterID: '' },
    payloads,
    actions: [{ graph: { nodes, edges: [[0, 1]] } }, notRetrieved],
  },
  answered('edges', 'two releases can be reached', {
    nodes,
    edges: [
      [0, 1],
      [0, 2],
      [1, 3],
    ],
  }),
  answered('none', 'no release can be reached', { nodes, edges: [[1, 3]] }),
  useless('absent', 'the version of the cluster is not in the channel', { nodes: nodes.slice(1), edges: [] }),
  useless('error', 'the service answers 500', 500),
  useless('missing', 'the service answers 404', 404),
  useless('no-json', 'the service answers no JSON', 'no json'),
  useless('bad-edge', 'an edge has three ends', { nodes, edges: [[0, 1, 2]] }),
  useless('bad-version', 'a node that is not reached has a version that is none', {
    nodes: [...nodes, { version: 'x', payload: 'y' }],
    edges: [[0, 1]],
  }),
  useless('bad-url', 'a node has a URL that is none', {
    nodes: [nodes[0], { ...nodes[1], metadata: { url: ':' } }],
    edges: [[0, 1]],
  } as unknown as JsonObject),
  answered('risk', 'a release has a risk that always applies', {
    nodes,
    edges: [[0, 1]],
    conditionalEdges: [to('4.22.2', risk('SlowDisk', always))],
  }),
  answered('two-risks', 'a release has two risks that always apply', {
    nodes,
    edges: [],
    conditionalEdges: [to('4.22.2', risk('SlowDisk', always), risk('OldKernel', always))],
  }),
  answered('both-edges', 'a release can be reached by both kinds of edges', {
    nodes,
    edges: [
      [0, 1],
      [0, 2],
    ],
    conditionalEdges: [to('4.22.2', risk('SlowDisk', always))],
  }),
  answered('unknown-rule', 'a risk has rules of a type that is not known', {
    nodes,
    edges: [[0, 1]],
    conditionalEdges: [to('4.22.2', risk('SlowDisk', { type: 'Unheard' }))],
  }),
  answered('unknown-and-known', 'a risk has a rule of a type that is not known, and one that always applies', {
    nodes,
    edges: [],
    conditionalEdges: [to('4.22.2', risk('SlowDisk', { type: 'Unheard' }, always))],
  }),
  answered('bad-name', 'the name of a risk is no reason', {
    nodes,
    edges: [],
    conditionalEdges: [to('4.22.2', risk('bad name!', always))],
  }),
  useless('no-target', 'a conditional edge leads to no node', {
    nodes,
    edges: [],
    conditionalEdges: [to('4.22.9', risk('SlowDisk', always))],
  }),
  answered('two-groups', 'two conditional edges lead to one release', {
    nodes,
    edges: [[0, 1]],
    conditionalEdges: [to('4.22.2', risk('SlowDisk', always)), to('4.22.2', risk('OldKernel', always))],
  }),
  answered('several', 'two releases have risks', {
    nodes,
    edges: [[0, 1]],
    conditionalEdges: [to('4.22.2', risk('SlowDisk', always)), to('4.23.0', risk('OldKernel', always))],
  }),
  {
    id: 'graph-lost',
    title: 'the service fails after it has answered',
    rows: ['CV-89'],
    spec,
    payloads,
    actions: [{ graph: { nodes, edges: [[0, 1]] } }, retrieved, { graph: 500 }, notRetrieved],
  },
  {
    id: 'channel-changed',
    title: 'the channel is changed, then removed',
    spec,
    payloads,
    actions: [
      { graph: { nodes, edges: [[0, 1]] } },
      retrieved,
      { spec: { channel: 'fast-4.22' } },
      { rest: 'another channel' },
      { spec: { channel: '' } },
      notRetrieved,
    ],
  },
  {
    id: 'update-by-version',
    title: 'an available release is asked for by its version',
    spec,
    payloads: { ...payloads, '4.22.1': quickRelease('4.22.1') },
    actions: [
      { graph: { nodes, edges: [[0, 1]] } },
      retrieved,
      { spec: { desiredUpdate: { version: '4.22.1' } } },
      { rest: 'asked for', until: { condition: 'ReleaseAccepted', is: 'False' } },
      { spec: { desiredUpdate: { version: '4.22.1', image: '$image/4.22.1', force: true } } },
      { rest: 'forced', until: { history: 'Completed 4.22.1' } },
    ],
  },
  {
    id: 'update-not-recommended',
    title: 'a release with a risk is asked for',
    spec,
    payloads: { ...payloads, '4.22.2': quickRelease('4.22.2') },
    actions: [
      { graph: { nodes, edges: [[0, 1]], conditionalEdges: [to('4.22.2', risk('SlowDisk', always))] } },
      retrieved,
      { spec: { desiredUpdate: { version: '4.22.2' } } },
      { rest: 'by its version', until: { condition: 'Invalid', is: 'True' } },
      { spec: { desiredUpdate: { version: '4.22.2', image: '$image/4.22.2', force: true } } },
      { rest: 'by its image', until: { history: 'Completed 4.22.2' } },
    ],
  },
];
