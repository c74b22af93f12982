import { expect, test } from 'vitest';
import { combineFailures, type FailureEffect, UpdateFailure } from '../failures/update-failure.ts';
import { type UpdateState, updateConditions } from './conditions.ts';
import { expectedDurationMs, type OperatorWaits } from './timing.ts';

const minuteMs = 60_000;
const nowMs = Date.parse('2030-01-01T12:00:00Z');

const waitsOf = (minutes: Readonly<Record<string, number>>): OperatorWaits => ({
  sinceMs: (name) => (minutes[name] === undefined ? undefined : nowMs - minutes[name] * minuteMs),
  expectedMs: (name) => expectedDurationMs(name, ''),
});

const operatorFailure = (
  name: string,
  kind: 'Degraded' | 'NotAvailable' | 'Updating',
  effect: FailureEffect,
): UpdateFailure => {
  const says = { Degraded: 'degraded', NotAvailable: 'not available', Updating: 'updating versions' }[kind];
  return new UpdateFailure(`ClusterOperator${kind}`, `Cluster operator ${name} is ${says}`, {
    effect,
    names: [name],
    plural: { reason: `ClusterOperators${kind}`, message: (names) => `Cluster operators ${names} are ${says}` },
  });
};
const updatingOne = (name: string): UpdateFailure => operatorFailure(name, 'Updating', 'None');
const degraded = (name: string): UpdateFailure => operatorFailure(name, 'Degraded', 'FailAfterInterval');
const conflict = new UpdateFailure('UpdatePayloadResourceConflict', 'Could not update x: someone else');

function texts(change: Partial<UpdateState>): Record<string, string> {
  const state: UpdateState = {
    version: '1.1.0',
    isReconciling: false,
    isCompleted: false,
    done: 2,
    total: 3,
    failure: undefined,
    isInvalid: false,
    waits: waitsOf({}),
    nowMs,
    ...change,
  };
  return Object.fromEntries(
    updateConditions(state).map(({ type, status, reason, message }) => [
      type,
      [status, reason, message].filter((part) => part !== '').join(' '),
    ]),
  );
}

test('CV-36: an operator of the old version is waited for, and nothing fails', () => {
  expect(texts({ failure: updatingOne('dns'), waits: waitsOf({ dns: 1 }) })).toEqual({
    Failing: 'False',
    Progressing: 'True ClusterOperatorUpdating Working towards 1.1.0: 2 of 3 done (66% complete), waiting on dns',
  });
});

test('CV-37: an operator that is not available fails the update', () => {
  expect(texts({ failure: operatorFailure('dns', 'NotAvailable', 'Fail') })).toEqual({
    Failing: 'True ClusterOperatorNotAvailable Cluster operator dns is not available',
    Progressing: 'True ClusterOperatorNotAvailable Unable to apply 1.1.0: the cluster operator dns is not available',
  });
});

test('CV-38: a degraded operator is waited for, but not more than 40 minutes', () => {
  expect(texts({ failure: degraded('dns'), waits: waitsOf({ dns: 39 }) })).toEqual({
    Failing: 'False',
    Progressing:
      'True ClusterOperatorDegraded Working towards 1.1.0: 2 of 3 done (66% complete), waiting up to 40 minutes on dns',
  });
  expect(texts({ failure: degraded('dns'), waits: waitsOf({ dns: 41 }) })).toEqual({
    Failing: 'True ClusterOperatorDegraded Cluster operator dns is degraded',
    Progressing:
      'True ClusterOperatorDegraded Unable to apply 1.1.0: wait has exceeded 40 minutes for these operators: dns',
  });
});

test('CV-53: while reconciling, a failure is reported and nothing progresses', () => {
  expect(texts({ isReconciling: true, isCompleted: true, failure: conflict })).toEqual({
    Available: 'True Done applying 1.1.0',
    Failing: 'True UpdatePayloadResourceConflict Could not update x: someone else',
    Progressing:
      'False UpdatePayloadResourceConflict Error while reconciling 1.1.0: some resources could not be updated',
  });
  expect(texts({ isReconciling: true, isCompleted: true })).toEqual({
    Available: 'True Done applying 1.1.0',
    Failing: 'False',
    Progressing: 'False Cluster version is 1.1.0',
  });
});

test('CV-54: failing operators are one line, sorted, and nothing is there twice', () => {
  const failure = combineFailures([degraded('b'), conflict, degraded('a'), conflict, degraded('b')]);
  expect(failure?.reason).toBe('MultipleErrors');
  expect(failure?.message).toBe(
    'Multiple errors are preventing progress:\n* Cluster operators a, b are degraded\n* Could not update x: someone else',
  );
});

test('CV-55: Failing shows only what fails, not what is waited for', () => {
  const failure = combineFailures([updatingOne('a'), operatorFailure('b', 'NotAvailable', 'Fail')]);
  expect(texts({ failure })).toEqual({
    Failing: 'True ClusterOperatorNotAvailable Cluster operator b is not available',
    Progressing: 'True MultipleErrors Unable to apply 1.1.0: an unknown error has occurred: MultipleErrors',
  });
});

test.each([
  { waits: { a: 31, b: 32 }, text: 'waiting on a, b over 30 minutes which is longer than expected' },
  {
    waits: { a: 31, 'machine-config': 91 },
    text: 'waiting on a over 30 minutes and machine-config over 90 minutes which is longer than expected',
  },
  {
    waits: { 'machine-config': 91 },
    text: 'waiting on machine-config over 90 minutes which is longer than expected',
  },
])('CV-56: $text', ({ waits, text }) => {
  const failure = combineFailures(Object.keys(waits).map(updatingOne));
  const { Failing, Progressing } = texts({ failure, waits: waitsOf(waits) });
  expect(Failing).toBe(`Unknown SlowClusterOperator ${text}`);
  expect(Progressing).toContain(`2 of 3 done (66% complete), ${text}`);
});

test('CV-56: machine-config has 90 minutes, and an annotation may state another time', () => {
  const failure = updatingOne('machine-config');
  expect(texts({ failure, waits: waitsOf({ 'machine-config': 89 }) })['Failing']).toBe('False');
  expect(expectedDurationMs('a', '2h')).toBe(120 * minuteMs);
  expect(expectedDurationMs('a', 'soon')).toBe(30 * minuteMs);
});

test('an invalid ClusterVersion is reported by Progressing', () => {
  expect(texts({ isInvalid: true })['Progressing']).toBe(
    'True InvalidClusterVersion Reconciling 1.1.0: the cluster version is invalid',
  );
  expect(texts({ isInvalid: true, isReconciling: true })['Progressing']).toBe(
    'False InvalidClusterVersion Stopped at 1.1.0: the cluster version is invalid',
  );
});
