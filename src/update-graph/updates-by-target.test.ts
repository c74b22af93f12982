import { expect, test } from 'vitest';
import type { UpdateGraph } from './graph.ts';
import { drawUpdateGraph } from './picture.ts';
import { updatesByTarget } from './updates-by-target.ts';

const channels = 'io.openshift.upgrades.graph.release.channels';
const node = (version: string, names: string): UpdateGraph['nodes'][number] => {
  return { version, payload: version, metadata: { [channels]: names } };
};
const risk = (name: string): UpdateGraph['conditionalEdges'][number]['risks'][number] => {
  return { name, url: 'https://example.com', message: 'x', matchingRules: [{ type: 'Always' }] };
};
const graph: UpdateGraph = {
  nodes: [node('1.10.0', 'stable,fast'), node('1.9.0', 'stable'), node('1.8.0', '')],
  edges: [
    [1, 0],
    [2, 0],
    [2, 0],
    [2, 1],
  ],
  conditionalEdges: [
    { edges: [{ from: '1.9.0', to: '1.10.0' }], risks: [risk('Slow')] },
    { edges: [{ from: '1.9.0', to: '1.10.0' }], risks: [risk('Broken')] },
  ],
};

test('versions have the updates that lead to them, the newest first; risks prevail', () => {
  expect(updatesByTarget(graph)).toEqual([
    {
      version: '1.10.0',
      channels: ['fast', 'stable'],
      from: ['1.8.0'],
      risky: [{ from: '1.9.0', risks: ['Slow', 'Broken'] }],
    },
    { version: '1.9.0', channels: ['stable'], from: ['1.8.0'], risky: [] },
    { version: '1.8.0', channels: [], from: [], risky: [] },
  ]);
});

test('a picture has a dot for each update and each channel, with its meaning', () => {
  const svg = drawUpdateGraph(updatesByTarget(graph), 'stable & fast');
  const titles = [...svg.matchAll(/<title>([^<]*)<\/title>/g)].map(([, title]) => title);
  expect(titles).toEqual([
    'stable &amp; fast',
    '1.10.0 is in fast',
    '1.10.0 is in stable',
    '1.8.0 to 1.10.0',
    '1.9.0 to 1.10.0: Slow, Broken',
    '1.9.0 is in stable',
    '1.8.0 to 1.9.0',
    'update',
    'update with known risks',
    'column 1: in channel fast',
    'column 2: in channel stable',
  ]);
});
