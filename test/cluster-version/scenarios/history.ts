import type { JsonObject } from '../../../src/base/index.ts';
import { quickRelease, signedSecond, updateToSecond } from '../objects.ts';
import { digestOf, pullSpecOf } from '../payloads.ts';
import type { Scenario } from '../scenario.ts';

function entryOf(index: number, version: string, state: 'Completed' | 'Partial'): JsonObject {
  const hour = `2025-01-${String(28 - Math.floor(index / 24)).padStart(2, '0')}T${String(23 - (index % 24)).padStart(2, '0')}`;
  return {
    state,
    version,
    image: `registry.example.com/release@${digestOf(version)}`,
    startedTime: `${hour}:00:00Z`,
    completionTime: `${hour}:30:00Z`,
    verified: true,
  };
}

/** A hundred entries, the newest first: the release that is installed, and many before it. */
const hundred = [
  { ...entryOf(0, '4.22.0', 'Completed'), image: pullSpecOf('first', {}) },
  ...Array.from({ length: 99 }, (_, index) => {
    const patch = 99 - index;
    const isPartial = patch % 3 === 0;
    return entryOf(index + 1, `4.${12 + Math.floor(patch / 10)}.${patch % 10}`, isPartial ? 'Partial' : 'Completed');
  }),
];

const status: JsonObject = {
  desired: { version: '4.22.0', image: pullSpecOf('first', {}) },
  observedGeneration: 1,
  versionHash: '',
  availableUpdates: null,
  history: hundred,
};

/** What the history keeps. */
export const scenarios: readonly Scenario[] = [
  {
    id: 'history-pruned',
    title: 'a hundred entries, and one more',
    rows: ['CV-66'],
    payloads: { first: quickRelease('4.22.0'), second: quickRelease('4.22.1') },
    objects: [signedSecond],
    status,
    actions: [
      { rest: 'a hundred', until: { condition: 'Available', is: 'True' } },
      updateToSecond(),
      { rest: 'one more', until: { history: 'Completed 4.22.1' } },
    ],
  },
  {
    id: 'history-partial',
    title: 'the newest entry is partial when the engine starts',
    payloads: { first: quickRelease('4.22.0') },
    status: { ...status, history: [{ ...hundred[0], state: 'Partial', completionTime: null }, ...hundred.slice(1, 3)] },
    actions: [{ rest: 'completed', until: { history: 'Completed 4.22.0' } }],
  },
  {
    id: 'history-other-image',
    title: 'the newest entry has the version and another image',
    payloads: { first: quickRelease('4.22.0') },
    status: {
      ...status,
      history: [{ ...hundred[0], image: 'registry.example.com/other@sha256:00' }, ...hundred.slice(1, 3)],
    },
    actions: [{ rest: 'completed', until: { history: 'Completed 4.22.0' } }],
  },
  {
    id: 'history-no-version',
    title: 'the newest entry has an image alone',
    rows: ['CV-67'],
    payloads: { first: quickRelease('4.22.0') },
    status: { ...status, history: [{ ...hundred[0], version: '' }] },
    actions: [{ rest: 'completed', until: { history: 'Completed 4.22.0' } }],
  },
];
