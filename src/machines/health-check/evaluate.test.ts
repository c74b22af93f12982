import { expect, test } from 'vitest';
import { type Machine, machineAnnotations, parseMachine } from '../../api/index.ts';
import type { JsonObject } from '../../base/index.ts';
import type { KubeObject } from '../../kube/index.ts';
import { durationMs, healthOfMachine, maxUnhealthyOf, updateEndMs } from './evaluate.ts';

const nowMs = Date.parse('2030-01-01T01:00:00Z');
const spec = { unhealthyConditions: [{ type: 'Ready', status: 'Unknown', timeout: '5m' }] };

function machine(status: JsonObject): Machine {
  return parseMachine({ apiVersion: 'machine.openshift.io/v1beta1', kind: 'Machine', metadata: { name: 'a' }, status });
}

function node(status: string, since: string): KubeObject {
  const conditions = [{ type: 'Ready', status, lastTransitionTime: since }];
  return { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n' }, status: { conditions } };
}

const linked = { nodeRef: { name: 'n' } };

test.each([
  [
    'in phase Failed',
    'unhealthy',
    { status: { phase: 'Failed', ...linked }, node: node('True', '2030-01-01T00:00:00Z') },
  ],
  ['whose node does not exist', 'unhealthy', { status: linked, node: undefined }],
  ['that has no node yet', 'waiting', { status: { lastUpdated: '2030-01-01T00:51:00Z' }, node: undefined }],
  [
    'that has had no node for too long',
    'unhealthy',
    { status: { lastUpdated: '2030-01-01T00:50:00Z' }, node: undefined },
  ],
  ['that was never updated', 'healthy', { status: {}, node: undefined }],
  ['with a ready node', 'healthy', { status: linked, node: node('True', '2030-01-01T00:00:00Z') }],
  ['whose node has just stopped', 'waiting', { status: linked, node: node('Unknown', '2030-01-01T00:56:00Z') }],
  ['whose node stopped before', 'unhealthy', { status: linked, node: node('Unknown', '2030-01-01T00:55:00Z') }],
])('a machine %s is %s', (_what, expected, { status, node: its }) => {
  expect(healthOfMachine({ machine: machine(status), node: its, nowMs }, spec).state).toBe(expected);
});

test('of several timeouts of a condition the shortest counts', () => {
  const timeouts = ['2h', '10m', '1h'];
  const conditions = timeouts.map((timeout) => ({ type: 'Ready', status: 'Unknown', timeout }));
  const facts = { machine: machine(linked), node: node('Unknown', '2030-01-01T00:55:00Z'), nowMs };
  const untilMs = Date.parse('2030-01-01T01:05:00Z');
  expect(healthOfMachine(facts, { unhealthyConditions: conditions })).toEqual({ state: 'waiting', untilMs });
});

test('a timeout beyond the range of durations makes no machine unhealthy', () => {
  const unhealthyConditions = [{ type: 'Ready', status: 'Unknown', timeout: '99999999999999999999h' }];
  const facts = { machine: machine(linked), node: node('Unknown', '2030-01-01T00:55:00Z'), nowMs };
  expect(healthOfMachine(facts, { unhealthyConditions })).toEqual({ state: 'healthy' });
});

test('a list of thousands of conditions is read once, not again for each machine', () => {
  let reads = 0;
  const condition = (): { type: string; status: string; timeout: string } => ({
    type: 'Ready',
    status: 'Unknown',
    get timeout() {
      reads += 1;
      return '1h';
    },
  });
  const unhealthyConditions = Array.from({ length: 1_000 }, condition);
  const facts = { machine: machine(linked), node: node('Unknown', '2030-01-01T00:55:00Z'), nowMs };
  for (let i = 0; i < 10; i++) expect(healthOfMachine(facts, { unhealthyConditions }).state).toBe('waiting');
  expect(reads).toBe(1_000);
});

test('without a startup time a machine may be without a node for ever', () => {
  const facts = { machine: machine({ lastUpdated: '2020-01-01T00:00:00Z' }), node: undefined, nowMs };
  expect(healthOfMachine(facts, { nodeStartupTimeout: '0' }).state).toBe('healthy');
  expect(healthOfMachine(facts, { nodeStartupTimeout: '-5m' }).state).toBe('healthy');
});

test.each([
  [undefined, 5, 5],
  ['40%', 5, 2],
  ['100%', 3, 3],
  ['33%', 2, 0],
  [2, 5, 2],
  ['2', 5, 2],
  ['a few', 5, 0],
  [-1, 5, 0],
])('of maxUnhealthy %s and %i machines, %i may be unhealthy', (value, total, expected) => {
  expect(maxUnhealthyOf(value, total)).toBe(expected);
});

test.each([
  ['10m', 600_000],
  ['1h30m', 5_400_000],
  ['1.5s', 1_500],
  ['0', 0],
])('the duration %s', (text, expected) => {
  expect(durationMs(text)).toBe(expected);
});

test.each<{ name: string; ofMachine?: string; ofNode?: string; end: string | undefined }>([
  { name: 'a time on its node', ofNode: '2030-01-01T03:00:00Z', end: '2030-01-01T03:00:00Z' },
  { name: 'a time on its node that no update lasts to', ofNode: '9999-12-31T23:59:59Z', end: undefined },
  { name: 'no time on its node', ofNode: 'tomorrow', end: undefined },
  {
    name: 'a time on the machine, by an administrator',
    ofMachine: '2031-01-01T00:00:00Z',
    end: '2031-01-01T00:00:00Z',
  },
])('an update that lasts until $name: $end', ({ ofMachine, ofNode, end }) => {
  const annotations = (text: string | undefined): Record<string, string> =>
    text === undefined ? {} : { [machineAnnotations.nodeUpdateInProgress]: text };
  const own = machine({});
  const updated = { ...own, metadata: { ...own.metadata, annotations: annotations(ofMachine) } };
  const its = node('True', '2030-01-01T00:00:00Z');
  const until = updateEndMs(updated, { ...its, metadata: { name: 'n', annotations: annotations(ofNode) } }, nowMs);
  expect(until).toBe(end === undefined ? undefined : Date.parse(end));
});
