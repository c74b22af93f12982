import type { ServerResponse } from 'node:http';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { eventually, SteppedClock, startWebServer, type WebServer } from '../../../test/support/index.ts';
import { createPromqlEvaluator, type PromqlEvaluator } from './promql.ts';
import {
  type AvailabilityRequest,
  type AvailabilityStatus,
  type SyncResult,
  UpdateAvailability,
  type UpdateAvailabilityOptions,
} from './update-availability.ts';

const minute = 60_000;
const hour = 60 * minute;
const clusterId = '9b588658-9671-429c-a762-34106da5795f';
const channelsKey = 'io.openshift.upgrades.graph.release.channels';
const node = (version: string): object => ({
  version,
  payload: `example.com/release@${version}`,
  metadata: { url: `https://example.com/errata/${version}`, [channelsKey]: 'stable-4.14,fast-4.14' },
});
const promql = (query: string): object => ({ type: 'PromQL', promql: { promql: query } });
const risk = (name: string, matchingRules: readonly object[]): object => ({
  name,
  url: `https://example.com/${encodeURIComponent(name)}`,
  message: `About ${name}.`,
  matchingRules,
});
const nodes = ['4.14.1', '4.14.2', '4.14.3', '4.14.4'].map(node);
const conditional = (to: string, ...risks: readonly object[]): object => ({ edges: [{ from: '4.14.1', to }], risks });
const graphOf = (...conditionalEdges: readonly object[]): object => ({ nodes, edges: [[0, 1]], conditionalEdges });
/** As many updates, with all of the same large risks. */
function graphOfMany(count: number): object {
  const targets = Array.from({ length: count }, (_, index) => `4.14.${index + 10}`);
  const risks = Array.from({ length: 200 }, (_, at) => ({
    ...risk(`R${at}`, [{ type: 'Always' }]),
    message: 'x'.repeat(20_000),
  }));
  const edges = targets.map((to) => ({ from: '4.14.1', to }));
  return { nodes: [...nodes, ...targets.map(node)], edges: [], conditionalEdges: [{ edges, risks }] };
}

/** An update service and a Prometheus; what they answer is set by the test. */
interface World {
  graph: object | string;
  status: number;
  readonly asked: URL[];
  /** Values by query; absent ones are 0. A function answers by itself. */
  readonly values: Map<string, string | ((response: ServerResponse) => void)>;
  readonly evaluated: string[];
  readonly tokens: (string | undefined)[];
}

let world: World;
let service: WebServer;
let prometheus: WebServer;
let clock: SteppedClock;
const open: Disposable[] = [];

beforeEach(async () => {
  world = { graph: graphOf(), status: 200, asked: [], values: new Map(), evaluated: [], tokens: [] };
  clock = new SteppedClock(Date.parse('2026-03-01T10:00:00Z'));
  service = await startWebServer((request, response) => {
    world.asked.push(new URL(request.url ?? '', 'http://service'));
    const { graph } = world;
    response.writeHead(world.status).end(typeof graph === 'string' ? graph : JSON.stringify(graph));
  });
  prometheus = await startWebServer((request, response) => {
    const query = new URL(request.url ?? '', 'http://prometheus').searchParams.get('query') ?? '';
    world.evaluated.push(query);
    world.tokens.push(request.headers.authorization);
    const value = world.values.get(query) ?? '0';
    if (typeof value === 'function') return value(response);
    const result = value.split(',').map((text) => ({ metric: {}, value: [0, text] }));
    const data = { resultType: 'vector', result: value === '' ? [] : result };
    response.end(JSON.stringify({ status: 'success', data }));
  });
});
afterEach(async () => {
  for (const one of open.splice(0)) one[Symbol.dispose]();
  await service[Symbol.asyncDispose]();
  await prometheus[Symbol.asyncDispose]();
});

interface Subject {
  /** Syncs, and waits for what the sync has begun. */
  readonly settle: (change?: Partial<AvailabilityRequest>) => Promise<AvailabilityStatus>;
  readonly sync: (change?: Partial<AvailabilityRequest>) => SyncResult;
}

function evaluator(deadlineMs = 10_000): PromqlEvaluator {
  const created = createPromqlEvaluator({ url: prometheus.url, token: async () => 'secret-token\n', deadlineMs });
  open.push(created);
  return created;
}

function subject(options: Partial<UpdateAvailabilityOptions> = {}): Subject {
  let changes = 0;
  const availability = new UpdateAvailability({
    clock,
    userAgent: 'product/1.2.3',
    promql: evaluator(),
    intervalMs: 3 * minute,
    onChange: () => (changes += 1),
    ...options,
  });
  open.push(availability);
  let conditionalUpdates: AvailabilityRequest['conditionalUpdates'] = [];
  const sync: Subject['sync'] = (change = {}) => {
    const architecture = { current: 'amd64', desired: 'amd64' };
    const base = { upstream: `${service.url}/graph`, channel: 'stable-4.14', clusterId, version: '4.14.1' };
    const request = { ...base, architecture, acceptedRisks: [], conditionalUpdates, ...change };
    const result = availability.sync(request);
    conditionalUpdates = result.status?.conditionalUpdates ?? conditionalUpdates;
    return result;
  };
  const settle: Subject['settle'] = async (change) => {
    const before = changes;
    sync(change);
    await eventually(() => expect(changes).toBeGreaterThan(before));
    const { status } = sync(change);
    return status ?? expect.fail('no status');
  };
  return { settle, sync };
}

const shown = ({ availableUpdates, conditionalUpdates }: AvailabilityStatus): object => ({
  available: availableUpdates?.map(({ version }) => version) ?? null,
  conditional: conditionalUpdates.map(({ release, conditions = [] }) => [
    release.version,
    ...conditions.map(({ status, reason }) => `${status} ${reason}`),
  ]),
});
const recommended = ({ conditionalUpdates }: AvailabilityStatus): object | undefined =>
  conditionalUpdates[0]?.conditions?.[0];

describe('the update service', () => {
  test('CV-09: is asked with the four parameters, again after the interval', async () => {
    const { settle, sync } = subject();
    await settle({ upstream: `${service.url}/graph?z=1&arch=own` });
    const query = 'arch=own&arch=amd64&channel=stable-4.14';
    expect(world.asked.map(({ search }) => search)).toEqual([`?${query}&id=${clusterId}&version=4.14.1&z=1`]);
    const change = { upstream: `${service.url}/graph?z=1&arch=own` };
    expect(sync(change).requeueAfterMs).toBe(3 * minute);
    await clock.pass(3 * minute - 1);
    sync(change);
    expect(world.asked).toHaveLength(1);
    await clock.pass(1);
    await settle(change);
    expect(world.asked).toHaveLength(2);
  });

  test('CV-10: another channel is asked for at once, and nothing of the one before is left', async () => {
    const { settle, sync } = subject();
    await settle();
    expect(sync({ channel: 'fast-4.14' }).status).toBeUndefined();
    world.status = 500;
    expect(await settle({ channel: 'fast-4.15' })).toMatchObject({ availableUpdates: null });
    expect(world.asked.at(-1)?.searchParams.get('channel')).toBe('fast-4.15');
  });

  test('CV-13: an update without risks is available, with its page and its channels', async () => {
    const { availableUpdates, condition, current } = await subject().settle();
    expect(availableUpdates).toEqual([
      {
        version: '4.14.2',
        image: 'example.com/release@4.14.2',
        url: 'https://example.com/errata/4.14.2',
        channels: ['fast-4.14', 'stable-4.14'],
      },
    ]);
    expect(condition).toEqual({ status: 'True', reason: '', message: '' });
    expect(current).toMatchObject({ version: '4.14.1', channels: ['fast-4.14', 'stable-4.14'] });
  });

  test('CV-88: a version that is not in the channel is reported', async () => {
    const text =
      'Unable to retrieve available updates: currently reconciling cluster version 4.13.9 not found in the "stable-4.14" channel';
    expect(await subject().settle({ version: '4.13.9' })).toMatchObject({
      condition: { status: 'False', reason: 'VersionNotFound', message: text },
      availableUpdates: null,
    });
  });

  test('is asked again at once where the clock was set back', async () => {
    const { settle, sync } = subject();
    await settle();
    clock.jump(-365 * 24 * hour);
    expect(sync().requeueAfterMs).toBe(3 * minute);
    await eventually(() => expect(world.asked).toHaveLength(2));
  });

  test('CV-89: updates stay while the service fails, for a day', async () => {
    const { settle } = subject();
    await settle();
    world.status = 500;
    await clock.pass(3 * minute);
    const message = 'Unable to retrieve available updates: unexpected HTTP status: 500 Internal Server Error';
    expect(await settle()).toMatchObject({
      condition: { status: 'False', reason: 'ResponseFailed', message },
      availableUpdates: [{ version: '4.14.2' }],
    });
    await clock.pass(23 * hour);
    expect(await settle()).toMatchObject({ availableUpdates: [{ version: '4.14.2' }] });
    await clock.pass(hour);
    expect(await settle()).toMatchObject({ condition: { status: 'False' }, availableUpdates: null });
  });

  test.each<[string, Partial<AvailabilityRequest>, string, string]>([
    ['no URL', { upstream: 'x' }, 'InvalidURI', 'failed to parse update service URL: '],
    ['InvalidID', { clusterId: '' }, 'InvalidID', 'invalid cluster ID: invalid UUID length: 0'],
    ['a word', { clusterId: 'x'.repeat(36) }, 'InvalidID', 'invalid cluster ID: invalid UUID format'],
    [
      'NoArchitecture',
      { architecture: { current: 'amd64', desired: '' } },
      'NoArchitecture',
      'Architecture has not been configured.',
    ],
    [
      'NoCurrentVersion',
      { version: '' },
      'NoCurrentVersion',
      'The cluster version does not have a semantic version assigned and cannot calculate valid upgrades.',
    ],
    ['NoChannel', { channel: '' }, 'NoChannel', 'The update channel has not been configured.'],
    [
      'InvalidCurrentVersion',
      { version: 'four' },
      'InvalidCurrentVersion',
      'The current cluster version is not a valid semantic version and cannot be used to calculate upgrades.',
    ],
    ['another protocol', { upstream: 'ftp://example.com' }, 'RemoteFailed', 'unsupported protocol scheme "ftp"'],
  ])('cannot be asked: %s', async (_, ...[change, reason, message]) => {
    const { condition } = await subject().settle(change);
    expect(condition).toMatchObject({ status: 'False', reason });
    expect(condition.message).toContain(message);
    expect(world.asked).toEqual([]);
  });

  test.each([
    ['no JSON', '<html>', 'ResponseInvalid'],
    ['a graph bomb of nested lists', '['.repeat(200_000), 'ResponseInvalid'],
    ['an edge to nowhere', { nodes, edges: [[0, 99]] }, 'ResponseInvalid'],
    [
      'more risks than a status holds',
      graphOf(
        conditional('4.14.3', ...Array.from({ length: 201 }, (__, index) => risk(`R${index}`, [{ type: 'Always' }]))),
      ),
      'ResponseInvalid',
    ],
    [
      'texts larger than a status',
      graphOf(conditional('4.14.3', { ...risk('A', [{ type: 'Always' }]), message: 'x'.repeat(2 ** 20) })),
      'ResponseInvalid',
    ],
    ['risks that are larger than a string once each update has them', graphOfMany(400), 'ResponseInvalid'],
    [
      'channels of the release that runs that are larger than a status',
      { nodes: [{ ...node('4.14.1'), metadata: { [channelsKey]: 'x'.repeat(2 ** 20) } }], edges: [] },
      'ResponseInvalid',
    ],
    ['an edge that is larger than a status', { nodes, edges: [['x'.repeat(2 ** 20), 0]] }, 'ResponseInvalid'],
    [
      'texts that are larger than a status once each has its condition',
      graphOf(
        conditional(
          '4.14.3',
          ...Array.from({ length: 100 }, (__, index) => ({
            ...risk(`R${index}`, [promql('slow')]),
            message: 'x'.repeat(5000),
          })),
        ),
      ),
      'ResponseInvalid',
    ],
  ])('answers with %s', async (_, graph, reason) => {
    world.graph = graph;
    const status = await subject().settle();
    expect(status).toMatchObject({ condition: { status: 'False', reason }, availableUpdates: null });
    expect(status.condition.message.length).toBeLessThan(3000);
  });

  test('a release for several architectures is the only update to one', async () => {
    const { settle } = subject();
    const { availableUpdates } = await settle({ architecture: { current: 'amd64', desired: 'Multi' } });
    expect(availableUpdates).toMatchObject([{ version: '4.14.1' }]);
    expect(world.asked[0]?.searchParams.get('arch')).toBe('multi');
  });
});

describe('risks', () => {
  test('CV-11: an update whose risk does not apply is available', async () => {
    world.graph = graphOf(conditional('4.14.3', risk('Slow', [promql('q')])));
    const { settle } = subject();
    await settle();
    const status = await settle();
    expect(shown(status)).toEqual({
      available: ['4.14.3', '4.14.2'],
      conditional: [['4.14.3', 'True NotExposedToRisks']],
    });
    expect(status.conditionalUpdates[0]?.risks[0]?.conditions).toMatchObject([
      { type: 'Applies', status: 'False', reason: 'NotMatch' },
    ]);
    expect(world.tokens).toEqual(['Bearer secret-token']);
  });

  test('CV-12, CV-15, CV-85: an update whose risk applies is conditional alone, and its text ends with the link', async () => {
    world.graph = { ...graphOf(conditional('4.14.2', risk('Slow', [{ type: 'Always' }]))) };
    const status = await subject().settle();
    expect(shown(status)).toEqual({ available: null, conditional: [['4.14.2', 'False Slow']] });
    expect(recommended(status)).toMatchObject({ message: 'About Slow. https://example.com/Slow' });
    expect(status.conditionalUpdateRisks).toMatchObject([{ name: 'Slow', conditions: [{ reason: 'Match' }] }]);
  });

  test('CV-14: the time of Recommended changes with the exposure, not with an answer of the service', async () => {
    world.graph = graphOf(conditional('4.14.3', risk('Slow', [promql('q')])));
    const { settle, sync } = subject();
    await settle();
    expect(recommended(await settle())).toMatchObject({ status: 'True', lastTransitionTime: '2026-03-01T10:00:00Z' });
    await clock.pass(3 * minute);
    expect(recommended(await settle())).toMatchObject({ lastTransitionTime: '2026-03-01T10:00:00Z' });
    world.values.set('q', '1');
    await clock.pass(hour);
    await settle();
    await eventually(() => {
      const status = sync().status ?? expect.fail('no status');
      expect(recommended(status)).toMatchObject({ status: 'False', lastTransitionTime: '2026-03-01T11:03:00Z' });
      expect(shown(status)).toMatchObject({ available: ['4.14.2'] });
    });
  });

  test('after a restart the times of the status are continued', async () => {
    world.graph = graphOf(conditional('4.14.3', risk('Slow', [{ type: 'Always' }])));
    const { conditionalUpdates } = await subject().settle();
    await clock.pass(hour);
    const again = await subject().settle({ conditionalUpdates });
    expect(recommended(again)).toMatchObject({ lastTransitionTime: '2026-03-01T10:00:00Z' });
  });

  test.each([
    ['CV-86: with rules of unknown types alone is not offered', [risk('A', [{ type: 'CEL' }])], []],
    [
      'CV-87: with a known rule beside an unknown one is evaluated by it',
      [risk('A', [{ type: 'CEL' }, { type: 'Always' }])],
      [['4.14.3', 'False A']],
    ],
    [
      'CV-90: with two risks that apply has several reasons',
      [risk('A', [{ type: 'Always' }]), risk('B', [{ type: 'Always' }])],
      [['4.14.3', 'False MultipleReasons']],
    ],
    [
      'CV-92: with a name that is no reason',
      [risk('bad name!', [{ type: 'Always' }])],
      [['4.14.3', 'False ExposedToRisks']],
    ],
    ['whose risk has no page is not offered', [{ ...risk('A', [{ type: 'Always' }]), url: '' }], []],
  ])('an update %s', async (_, risks, expected) => {
    world.graph = graphOf(conditional('4.14.3', ...risks));
    expect(shown(await subject().settle())).toMatchObject({ conditional: expected });
  });

  test('CV-91: one that is unknown and one that applies', async () => {
    world.graph = graphOf(conditional('4.14.3', risk('A', [promql('q')]), risk('B', [{ type: 'Always' }])));
    expect(shown(await subject().settle())).toMatchObject({ conditional: [['4.14.3', 'False MultipleReasons']] });
  });

  test('CV-93: accepted risks make an update available at once', async () => {
    world.graph = graphOf(conditional('4.14.3', risk('A', [{ type: 'Always' }])));
    const { settle, sync } = subject();
    await settle();
    const { status } = sync({ acceptedRisks: ['A'] });
    expect(shown(status ?? expect.fail())).toEqual({
      available: ['4.14.3', '4.14.2'],
      conditional: [['4.14.3', 'True AllExposedRisksAccepted']],
    });
    expect(world.asked).toHaveLength(1);
  });

  test('CV-94: when the first rule fails the second decides', async () => {
    world.graph = graphOf(conditional('4.14.3', risk('A', [promql('none'), promql('second')])));
    world.values.set('none', '').set('second', '1');
    const { settle } = subject();
    await settle();
    await settle();
    await clock.pass(1000);
    expect(shown(await settle())).toMatchObject({ conditional: [['4.14.3', 'False A']] });
  });

  test.each([
    ['no series', '', 'invalid PromQL result length must be one, but is 0'],
    ['two series', '1,1', 'invalid PromQL result length must be one, but is 2'],
    ['the value 2', '2', 'invalid PromQL result (must be 0 or 1): 2'],
  ])('CV-95: %s is unknown', async (_, value, problem) => {
    world.graph = graphOf(conditional('4.14.3', risk('A', [promql('q')])));
    world.values.set('q', value);
    const { settle } = subject();
    await settle();
    expect(recommended(await settle())).toMatchObject({
      status: 'Unknown',
      reason: 'EvaluationFailed',
      message: `Could not evaluate exposure to update risk A (${problem})\n  A description: About A.\n  A URL: https://example.com/A`,
    });
  });

  test('CV-96: one rule is evaluated per second, those of the highest version first', async () => {
    world.graph = graphOf(
      conditional('4.14.2', risk('A', [promql('a')])),
      conditional('4.14.3', risk('B', [promql('b')])),
      conditional('4.14.4', risk('C', [promql('c')])),
    );
    const { settle, sync } = subject();
    await settle();
    const settled = await settle();
    expect(shown(settled)).toMatchObject({
      conditional: [
        ['4.14.4', 'True NotExposedToRisks'],
        ['4.14.3', 'Unknown EvaluationFailed'],
        ['4.14.2', 'Unknown EvaluationFailed'],
      ],
    });
    expect(settled.conditionalUpdates[1]?.conditions?.[0]?.message).toContain(
      'evaluation is throttled until 10:00:01Z',
    );
    expect(sync().requeueAfterMs).toBe(1000);
    expect(world.evaluated).toEqual(['c']);
    await clock.pass(999);
    sync();
    expect(world.evaluated).toEqual(['c']);
    await clock.pass(1);
    await settle();
    expect(world.evaluated).toEqual(['c', 'b']);
    await clock.pass(1000);
    const { conditionalUpdates } = await settle();
    expect(world.evaluated).toEqual(['c', 'b', 'a']);
    expect(conditionalUpdates.every(({ conditions = [] }) => conditions[0]?.status === 'True')).toBe(true);
    await clock.pass(hour);
    await settle();
    await eventually(() => expect(world.evaluated).toEqual(['c', 'b', 'a', 'c']));
  });

  test('a Prometheus that never answers is given up, and does not delay other rules', async () => {
    world.graph = graphOf(
      conditional('4.14.3', risk('B', [promql('b')])),
      conditional('4.14.4', risk('C', [promql('never')])),
    );
    world.values.set('never', () => undefined);
    const { settle, sync } = subject({ promql: evaluator(2000) });
    await settle();
    sync();
    await clock.pass(1000);
    const first = await settle();
    expect(shown(first)).toMatchObject({
      conditional: [
        ['4.14.4', 'Unknown EvaluationFailed'],
        ['4.14.3', 'True NotExposedToRisks'],
      ],
    });
    await eventually(() => {
      const { status } = sync();
      expect(status?.conditionalUpdates[0]?.conditions?.[0]?.message).toContain(
        '(executing PromQL query: GET http://127.0.0.1',
      );
    });
    expect(sync().status?.conditionalUpdates[0]?.conditions?.[0]?.message).toMatch(/no answer within 2 s\)/);
  });

  test('without a Prometheus the setting is named', async () => {
    world.graph = graphOf(conditional('4.14.3', risk('A', [promql('q')])));
    const { settle, sync } = subject({ promql: undefined });
    await settle();
    await eventually(() => {
      const message = expect.stringContaining('set --prometheus-url') as string;
      expect(recommended(sync().status ?? expect.fail())).toMatchObject({ reason: 'EvaluationFailed', message });
    });
  });
});
