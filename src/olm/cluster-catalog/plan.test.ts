import { expect, test } from 'vitest';
import { type ClusterCatalog, parseClusterCatalog } from '../../api/index.ts';
import type { CatalogRecord } from '../catalog-content/catalog-store.ts';
import { askedRefOf, planOf, pollOf, type Situation } from './plan.ts';

const hex = 'a'.repeat(64);
const pinned = `quay.io/cat@sha256:${hex}`;

interface Options {
  readonly ref?: string;
  readonly minutes?: number;
  /** The generation that the status observed, and its outcome. */
  readonly observed?: number;
  readonly resolved?: string;
  readonly reason?: string;
}

function catalog({
  ref = 'quay.io/cat:v1',
  minutes,
  observed,
  resolved,
  reason = 'Succeeded',
}: Options = {}): ClusterCatalog {
  const image = { ref, ...(minutes === undefined ? {} : { pollIntervalMinutes: minutes }) };
  const condition = { type: 'Progressing', status: 'True', reason, message: '', lastTransitionTime: '' };
  const conditions = observed === undefined ? [] : [{ ...condition, observedGeneration: observed }];
  const resolvedSource = resolved === undefined ? {} : { resolvedSource: { type: 'Image', image: { ref: resolved } } };
  return parseClusterCatalog({
    apiVersion: 'olm.operatorframework.io/v1',
    kind: 'ClusterCatalog',
    metadata: { name: 'c', uid: 'u', generation: 2 },
    spec: { source: { type: 'Image', image } },
    status: { conditions, ...resolvedSource },
  });
}

const stored = { uid: 'u', ref: pinned } as CatalogRecord;
const poll = { uid: 'u', generation: 2, dueMs: undefined, atMs: 0 };

function plan(given: Partial<Situation>): unknown {
  return planOf({ catalog: catalog(), stored: undefined, poll: undefined, isLeading: true, nowMs: 1000, ...given });
}

test.each<{ name: string; given: Partial<Situation>; expected: unknown }>([
  {
    name: 'a catalog is polled although its last poll is in the future: the clock was set back',
    given: { catalog: catalog({ minutes: 1, observed: 2 }), stored, poll: { ...poll, atMs: 90_000, dueMs: 150_000 } },
    expected: { kind: 'poll' },
  },
  { name: 'a new catalog is polled', given: {}, expected: { kind: 'poll' } },
  {
    name: 'content that is lost is restored by its digest',
    given: { catalog: catalog({ observed: 2, resolved: pinned }) },
    expected: { kind: 'restore', ref: pinned },
  },
  {
    name: 'a first poll that was interrupted is repeated',
    given: { catalog: catalog({ observed: 2, resolved: pinned, reason: 'Unpacking' }) },
    expected: { kind: 'poll' },
  },
  {
    name: 'lost content of an earlier spec is not restored',
    given: { catalog: catalog({ observed: 1, resolved: pinned }) },
    expected: { kind: 'poll' },
  },
  {
    name: 'stored content is kept over a restart, and no registry is asked',
    given: { stored, catalog: catalog({ observed: 2, resolved: pinned }) },
    expected: { kind: 'keep', dueMs: undefined },
  },
  {
    name: 'stored content of an earlier spec is polled',
    given: { stored, catalog: catalog({ observed: 1, resolved: pinned }) },
    expected: { kind: 'poll' },
  },
  {
    name: 'an image that could not be fetched is polled again, whatever is stored',
    given: { stored, catalog: catalog({ observed: 2, resolved: pinned, reason: 'Retrying' }) },
    expected: { kind: 'poll' },
  },
  {
    name: 'content that was served while a new image was broken is restored',
    given: { catalog: catalog({ observed: 2, resolved: pinned, reason: 'Retrying' }) },
    expected: { kind: 'restore', ref: pinned },
  },
  {
    name: 'a tag with an interval is polled after a restart',
    given: { stored, catalog: catalog({ observed: 2, minutes: 5 }) },
    expected: { kind: 'poll' },
  },
  {
    name: 'a tag that was polled is retained until it is due',
    given: { stored, poll: { ...poll, dueMs: 1001 } },
    expected: { kind: 'keep', dueMs: 1001 },
  },
  {
    name: 'a tag that is due is polled',
    given: { stored, poll: { ...poll, dueMs: 1000 } },
    expected: { kind: 'poll' },
  },
  {
    name: 'a poll for another object does not count',
    given: { stored, poll: { ...poll, uid: 'v' } },
    expected: { kind: 'poll' },
  },
  {
    name: 'a poll for an earlier spec does not count',
    given: { stored, poll: { ...poll, generation: 1 } },
    expected: { kind: 'poll' },
  },
  { name: 'a follower waits until something is decided', given: { isLeading: false }, expected: { kind: 'nothing' } },
  {
    name: 'a follower takes what is decided',
    given: { isLeading: false, stored: { ...stored, ref: 'other' }, catalog: catalog({ resolved: pinned }) },
    expected: { kind: 'restore', ref: pinned },
  },
  {
    name: 'a follower keeps what is decided',
    given: { isLeading: false, stored, catalog: catalog({ resolved: pinned }) },
    expected: { kind: 'keep', dueMs: undefined },
  },
])('$name', ({ given, expected }) => {
  expect(plan(given)).toEqual(expected);
});

test('the next poll follows after the interval plus up to one percent', () => {
  const minutes = 100;
  const dueMs = (random: number): number | undefined => pollOf(catalog({ minutes }), 0, () => random).dueMs;
  expect([dueMs(0), dueMs(1)]).toEqual([6_000_000, 6_060_000]);
  expect(pollOf(catalog(), 0)).toEqual({ uid: 'u', generation: 2, dueMs: undefined, atMs: 0 });
});

test('a source that only another spec can fix is reported', () => {
  const refusal = (source: object): unknown => {
    const { metadata, apiVersion, kind } = catalog();
    try {
      return askedRefOf({ apiVersion, kind, metadata, spec: { source } } as ClusterCatalog);
    } catch (thrown) {
      return thrown;
    }
  };
  expect(refusal({ type: 'Git' })).toMatchObject({ reason: 'Blocked', message: 'unknown source type "Git"' });
  expect(refusal({ type: 'Image' })).toMatchObject({
    reason: 'Blocked',
    message: 'error parsing ClusterCatalog "c", image source is nil',
  });
  expect(refusal({ type: 'Image', image: { ref: 'quay.io/cat@sha999:abc' } })).toMatchObject({
    reason: 'Blocked',
    message: expect.stringContaining('error parsing image reference "quay.io/cat@sha999:abc": ') as unknown,
  });
});
