import { expect, test } from 'vitest';
import { systemClock } from '../../src/base/index.ts';
import { type StatusHolder, StatusWriter, type StatusWriterOptions } from '../../src/controller/index.ts';
import { type Condition, conditionsOf } from '../../src/kube/index.ts';
import { withMissing } from './conditions.ts';
import { type Standing, transitionEvents } from './events.ts';

type Brief = readonly [type: string, status: 'True' | 'False' | 'Unknown', reason: string, message?: string];

function standing(activeBundle: string, ...briefs: readonly Brief[]): Standing {
  const conditions = briefs.map(([type, status, reason, message = `${reason}!`]): Condition => {
    return { type, status, reason, message, lastTransitionTime: '2026-01-01T00:00:00Z' };
  });
  return { conditions, activeBundle };
}

const installed: Brief = ['Installed', 'True', 'InstallationSucceeded'];
const failed = (why: string): Brief => ['Installed', 'False', 'UpgradeFailed', why];
const healthy: Brief = ['Healthy', 'True', 'Healthy'];
const ill: Brief = ['Healthy', 'False', 'Unhealthy'];
const pending: Brief = ['HasValidBundle', 'True', 'UnpackPending'];
const running: Brief = ['Paused', 'False', 'NotPaused'];
const paused: Brief = ['Paused', 'True', 'Paused'];

test.each([
  {
    name: 'the first installation',
    before: standing(''),
    after: standing('a', installed, healthy),
    event: 'Normal InstallationSucceeded: InstallationSucceeded!',
  },
  {
    name: 'a pivot',
    before: standing('a', installed, healthy),
    after: standing('b', installed, ill),
    event: 'Normal Upgraded: Upgraded from bundle a to bundle b',
  },
  {
    name: 'a failure',
    before: standing('a', installed),
    after: standing('a', failed('no')),
    event: 'Warning UpgradeFailed: no',
  },
  {
    name: 'another cause of the same failure',
    before: standing('a', failed('no')),
    after: standing('a', failed('never')),
    event: 'Warning UpgradeFailed: never',
  },
  {
    name: 'the end of a failure',
    before: standing('a', failed('no')),
    after: standing('a', installed),
    event: 'Normal InstallationSucceeded: InstallationSucceeded!',
  },
  {
    name: 'content that cannot be had',
    before: standing('a', installed, pending),
    after: standing('a', installed, [
      'HasValidBundle',
      'False',
      'UnpackFailed',
      'gone (next try at 2026-01-01T00:00:00Z)',
    ]),
    event: 'Warning UnpackFailed: gone',
  },
  {
    name: 'a Bundle that cannot be made',
    before: standing(''),
    after: standing('', ['HasValidBundle', 'Unknown', 'ReconcileFailed', 'taken']),
    event: 'Warning ReconcileFailed: taken',
  },
  {
    name: 'an object that falls ill',
    before: standing('a', installed, healthy),
    after: standing('a', installed, ill),
    event: 'Warning Unhealthy: Unhealthy!',
  },
  {
    name: 'objects that have come up',
    before: standing('a', installed, ill),
    after: standing('a', installed, healthy),
    event: 'Normal Healthy: Healthy!',
  },
  { name: 'a pause', before: standing('a', running), after: standing('a', paused), event: 'Normal Paused: Paused!' },
  {
    name: 'the end of a pause',
    before: standing('a', paused),
    after: standing('a', running),
    event: 'Normal Resumed: No longer paused',
  },
])('Q30 $name is reported', ({ before, after, event }) => {
  expect(transitionEvents(before, after).map(({ type, reason, message }) => `${type} ${reason}: ${message}`)).toEqual([
    event,
  ]);
});

test.each([
  { name: 'nothing new', before: standing('a', installed, healthy), after: standing('a', installed, healthy) },
  {
    name: 'a Bundle that is waited for',
    before: standing(''),
    after: standing('', pending, ['Installed', 'Unknown', 'InstallPending'], running),
  },
  {
    name: 'other counts of what is ill already',
    before: standing('a', ill),
    after: standing('a', ['Healthy', 'False', 'Unhealthy', 'Ready: 1/2']),
  },
  {
    name: 'health that is unknown',
    before: standing('a', healthy),
    after: standing('a', ['Healthy', 'False', 'InstallationStatusFalse']),
  },
  {
    name: 'another time of the next try',
    before: standing('a', ['HasValidBundle', 'False', 'UnpackFailed', 'gone (next try at 2026-01-01T00:00:00Z)']),
    after: standing('a', ['HasValidBundle', 'False', 'UnpackFailed', 'gone (next try at 2026-01-01T00:05:00Z)']),
  },
  {
    name: 'a condition of another controller',
    before: standing('a'),
    after: standing('a', ['Theirs', 'False', 'Odd']),
  },
])('$name is not reported', ({ before, after }) => {
  expect(transitionEvents(before, after)).toEqual([]);
});

test('Q11 every condition is there after the first report and speaks of its generation', () => {
  const change = { type: 'HasValidBundle', status: 'True', reason: 'UnpackPending', message: 'wait' } as const;
  const object = { apiVersion: 'v1', kind: 'Any', metadata: { name: 'a', generation: 3 } };
  const options = { clock: systemClock, fieldManager: 'test' } as unknown as StatusWriterOptions<StatusHolder>;
  const writer = new StatusWriter(object, options);
  const holder: StatusHolder = { object };
  writer.set(holder, withMissing([], [change]));
  const conditions = conditionsOf(holder.object);
  const brief = conditions.map(({ type, status, reason }) => `${type} ${status} ${reason}`);
  expect(brief).toEqual([
    'HasValidBundle True UnpackPending',
    'Installed Unknown InstallPending',
    'Healthy Unknown InstallationStatusUnknown',
    'Paused False NotPaused',
    'ObjectsKept False NothingKept',
    'Removing False NotRemoved',
  ]);
  expect(new Set(conditions.map(({ observedGeneration }) => observedGeneration))).toEqual(new Set([3]));
  expect(withMissing(conditions, [])).toEqual([]);
});
