import { expect, test } from 'vitest';
import { installationLines } from './installation-lines.ts';
import { RecentLines } from './recent-lines.ts';

const time = '2026-01-01T00:00:00.000Z';

function line(fields: Readonly<Record<string, unknown>>): string {
  return `${JSON.stringify({ level: 30, time, ...fields })}\n`;
}

const lines = [
  line({ controller: 'bundledeployment', object: 'tide', reconcileId: 'a', digest: 'sha256:1', msg: 'installed' }),
  line({ level: 40, controller: 'bundle', object: 'tide-5f7', message: 'two words', msg: 'reconcile failed' }),
  line({ controller: 'bundledeployment', object: 'tide-table', msg: 'of another deployment' }),
  line({ controller: 'bundle', object: 'tide-table-5f7', msg: 'of a Bundle of another deployment' }),
  line({ controller: 'subscription', object: 'operators/tide', msg: 'resolved' }),
  line({ controller: 'installplan', object: 'operators/install-1', msg: 'plan applied' }),
  line({ controller: 'installplan', object: 'others/install-2', msg: 'of another namespace' }),
  'tide: no JSON\n',
  '{"tide": \n',
];

test('lines about a deployment and its Bundles are found, with their facts', () => {
  const about = { kind: 'BundleDeployment', namespace: '', name: 'tide' };
  expect(installationLines(lines, about, 'core-0')).toEqual([
    {
      time,
      level: 'info',
      message: 'installed',
      facts: 'controller=bundledeployment object=tide digest=sha256:1',
      pod: 'core-0',
    },
    {
      time,
      level: 'warn',
      message: 'reconcile failed',
      facts: 'controller=bundle object=tide-5f7 message="two words"',
      pod: 'core-0',
    },
  ]);
});

test('lines about a Subscription are those of its namespace', () => {
  const about = { kind: 'Subscription', namespace: 'operators', name: 'tide' };
  expect(installationLines(lines, about, '').map(({ message }) => message)).toEqual(['resolved', 'plan applied']);
});

test('the latest lines are kept, and none that is very long', () => {
  const recent = new RecentLines();
  recent.add('x'.repeat(20_000));
  for (let count = 0; count < 6_000; count++) recent.add(String(count));
  expect([recent.lines().length, recent.lines()[0], recent.lines().at(-1)]).toEqual([5_000, '1000', '5999']);
});
