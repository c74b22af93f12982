import { expect, test } from 'vitest';
import { type ClusterCatalog, parseClusterCatalog } from '../../api/index.ts';
import type { CatalogRecord } from './catalog-store.ts';
import { askedRefOf, lookOf, planOf, type Situation } from './plan.ts';

const hex = 'a'.repeat(64);
const pinned = `quay.io/cat@sha256:${hex}`;

interface Wish {
  readonly ref?: string;
  readonly minutes?: number;
  /** What the status is about, and says. */
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
}: Wish = {}): ClusterCatalog {
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
const look = { uid: 'u', generation: 2, dueMs: undefined, atMs: 0 };

function plan(given: Partial<Situation>): unknown {
  return planOf({ catalog: catalog(), stored: undefined, look: undefined, isLeading: true, nowMs: 1000, ...given });
}

test.each<{ name: string; given: Partial<Situation>; wanted: unknown }>([
  {
    name: 'a catalog is polled although its last look is in the future: the clock was set back',
    given: { catalog: catalog({ minutes: 1, observed: 2 }), stored, look: { ...look, atMs: 90_000, dueMs: 150_000 } },
    wanted: { kind: 'look' },
  },
  { name: 'a new catalog is looked at', given: {}, wanted: { kind: 'look' } },
  {
    name: 'content that is lost is restored by its digest',
    given: { catalog: catalog({ observed: 2, resolved: pinned }) },
    wanted: { kind: 'restore', ref: pinned },
  },
  {
    name: 'a first look that was broken off is had again',
    given: { catalog: catalog({ observed: 2, resolved: pinned, reason: 'Unpacking' }) },
    wanted: { kind: 'look' },
  },
  {
    name: 'lost content of an earlier spec is not restored',
    given: { catalog: catalog({ observed: 1, resolved: pinned }) },
    wanted: { kind: 'look' },
  },
  {
    name: 'stored content is kept over a restart, and no registry is asked',
    given: { stored, catalog: catalog({ observed: 2, resolved: pinned }) },
    wanted: { kind: 'keep', dueMs: undefined },
  },
  {
    name: 'stored content of an earlier spec is looked at',
    given: { stored, catalog: catalog({ observed: 1, resolved: pinned }) },
    wanted: { kind: 'look' },
  },
  {
    name: 'an image that could not be had is looked at again, whatever is stored',
    given: { stored, catalog: catalog({ observed: 2, resolved: pinned, reason: 'Retrying' }) },
    wanted: { kind: 'look' },
  },
  {
    name: 'content that was served while a new image was broken is restored',
    given: { catalog: catalog({ observed: 2, resolved: pinned, reason: 'Retrying' }) },
    wanted: { kind: 'restore', ref: pinned },
  },
  {
    name: 'a tag that is polled is looked at after a restart',
    given: { stored, catalog: catalog({ observed: 2, minutes: 5 }) },
    wanted: { kind: 'look' },
  },
  {
    name: 'a tag that was looked at is kept until it is due',
    given: { stored, look: { ...look, dueMs: 1001 } },
    wanted: { kind: 'keep', dueMs: 1001 },
  },
  {
    name: 'a tag that is due is looked at',
    given: { stored, look: { ...look, dueMs: 1000 } },
    wanted: { kind: 'look' },
  },
  {
    name: 'a look at another object counts nothing',
    given: { stored, look: { ...look, uid: 'v' } },
    wanted: { kind: 'look' },
  },
  {
    name: 'a look at an earlier spec counts nothing',
    given: { stored, look: { ...look, generation: 1 } },
    wanted: { kind: 'look' },
  },
  { name: 'a follower waits until something is decided', given: { isLeading: false }, wanted: { kind: 'nothing' } },
  {
    name: 'a follower takes what is decided',
    given: { isLeading: false, stored: { ...stored, ref: 'other' }, catalog: catalog({ resolved: pinned }) },
    wanted: { kind: 'restore', ref: pinned },
  },
  {
    name: 'a follower keeps what is decided',
    given: { isLeading: false, stored, catalog: catalog({ resolved: pinned }) },
    wanted: { kind: 'keep', dueMs: undefined },
  },
])('$name', ({ given, wanted }) => {
  expect(plan(given)).toEqual(wanted);
});

test('the next look comes after the interval and up to a hundredth more', () => {
  const minutes = 100;
  const dueMs = (random: number): number | undefined => lookOf(catalog({ minutes }), 0, () => random).dueMs;
  expect([dueMs(0), dueMs(1)]).toEqual([6_000_000, 6_060_000]);
  expect(lookOf(catalog(), 0)).toEqual({ uid: 'u', generation: 2, dueMs: undefined, atMs: 0 });
});

test('a source that nothing but another spec can mend is told', () => {
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
