import { expect, test } from 'vitest';
import { failureOfTask } from '../../src/cluster-version/failures/api-failure.ts';
import { summaryOf } from '../../src/cluster-version/failures/summary.ts';
import {
  combineFailures,
  type FailureEffect,
  UpdateFailure,
} from '../../src/cluster-version/failures/update-failure.ts';
import { updateConditions } from '../../src/cluster-version/status/conditions.ts';
import { mergeHistory } from '../../src/cluster-version/status/history.ts';
import { expectedDurationMs } from '../../src/cluster-version/status/timing.ts';
import { KubeUnavailable } from '../../src/kube/index.ts';
import { manifestOf } from '../../src/release/index.ts';
import { apiFailures, progress, sameReleases, summaries } from './tables.ts';

const minuteMs = 60_000;
const nowMs = Date.parse('2030-01-01T12:00:00Z');
const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x', namespace: 'y' } };
const manifest = manifestOf({ directory: 'release-manifests', name: '0000_10_a_x.yaml' }, object, '');
const task = { index: 3, total: 90, manifest };

test.each(apiFailures)('$reason of the API server is $becomes', ({ reason, status, becomes, cause, summary }) => {
  const failure = failureOfTask(
    task,
    new KubeUnavailable({ reason, status, message: 'detail', causes: [], isStatus: true }),
  );
  expect(failure.reason).toBe(becomes);
  const text = ['Could not update configmap "y/x" (3 of 90)', cause, 'detail'].filter((part) => part !== '');
  expect(failure.message).toBe(text.join(': '));
  expect(summaryOf(failure)).toBe(summary);
});

test.each(Object.entries(summaries))('the summary of %s', (reason, [named, nameless]) => {
  expect(summaryOf(new UpdateFailure(reason, '', { names: ['x'] }))).toBe(named);
  expect(summaryOf(new UpdateFailure(reason, ''))).toBe(nameless);
});

const findings: Readonly<Record<string, string>> = {
  Degraded: 'degraded',
  NotAvailable: 'not available',
  Updating: 'updating versions',
};

function failureFrom(text: string): UpdateFailure {
  const [effect = '', kind = '', name = ''] = text.split(' ');
  return new UpdateFailure(`ClusterOperator${kind}`, `Cluster operator ${name} is ${findings[kind]}`, {
    effect: effect as FailureEffect,
    names: [name],
    plural: {
      reason: `ClusterOperators${kind}`,
      message: (names) => `Cluster operators ${names} are ${findings[kind]}`,
    },
  });
}

test.each(progress)('$failures after $minutes', ({ failures, minutes = {}, isReconciling = false, ...expected }) => {
  const conditions = updateConditions({
    version: '1.1.0',
    isReconciling,
    isCompleted: false,
    done: 2,
    total: 3,
    failure: combineFailures(failures.map(failureFrom)),
    isInvalid: false,
    nowMs,
    waits: {
      sinceMs: (name) => (minutes[name] === undefined ? undefined : nowMs - minutes[name] * minuteMs),
      expectedMs: (name) => expectedDurationMs(name, ''),
    },
  });
  const textOf = (type: string): string => {
    const { status, reason, message } = conditions.find((one) => one.type === type) ?? {};
    return [status, reason, message].filter((part) => part !== '').join(' ');
  };
  expect({ failing: textOf('Failing'), progressing: textOf('Progressing') }).toEqual(expected);
});

const releaseFrom = (text: string): { readonly version: string; readonly image: string } => {
  const [version = '', image = ''] = text.split(' ').map((part) => (part === '-' ? '' : part));
  return { version, image };
};

test.each(sameReleases)('$desired after $entry', ({ entry, desired, merged }) => {
  const newest = {
    state: 'Partial',
    startedTime: '',
    completionTime: null,
    verified: false,
    ...releaseFrom(entry),
  } as const;
  const facts = { isCompleted: false, isVerified: false, acceptedRisks: undefined, now: '2030-01-01T12:00:00Z' };
  const history = mergeHistory([newest], { ...facts, desired: releaseFrom(desired) });
  expect(history).toHaveLength(merged === undefined ? 2 : 1);
  expect(history[0]).toMatchObject(releaseFrom(merged ?? desired));
});
