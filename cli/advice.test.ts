import { expect, test } from 'vitest';
import { TerminalError } from '../src/base/index.ts';
import { KubeUnavailable, NoKindMatch } from '../src/kube/index.ts';
import { adviceFor } from './advice.ts';

test.each([
  { status: 0, advice: 'is that of the cluster' },
  { status: 401, advice: 'have not expired' },
  { status: 403, advice: 'with that permission' },
])('a response with status $status is followed by advice, however it is wrapped', ({ status, advice }) => {
  const cause = new KubeUnavailable({ status, reason: 'X', message: 'x', causes: [], isStatus: true });
  expect(adviceFor(cause)).toContain(advice);
  expect(adviceFor(new TerminalError('ApplyFailed', 'x', { cause }))).toContain(advice);
});

test('without Longshore the advice is to install it', () => {
  expect(adviceFor(new NoKindMatch('core.rukpak.io/v1alpha1', 'Bundle'))).toContain('"longshore install"');
  expect(adviceFor(new NoKindMatch('apps/v1', 'Bundle'))).toBeUndefined();
  const message = 'namespaces "rukpak-system" not found';
  const failure = { status: 404, reason: 'NotFound', message, causes: [], isStatus: true };
  expect(adviceFor(new KubeUnavailable(failure))).toContain('"longshore install"');
});

test('errors that are not from the API server have no advice', () => {
  expect(adviceFor(new Error('x'))).toBeUndefined();
  expect(adviceFor('x')).toBeUndefined();
});
