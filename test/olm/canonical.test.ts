import { expect, test } from 'vitest';
import { Canonical } from './canonical.ts';

const uid = '0b0e1f7c-1111-2222-3333-444455556666';

test('what differs between two runs has no part in the canonical form', () => {
  const canonical = new Canonical('case-c004');
  const metadata = { name: 'install-x7k2p', namespace: 'case-c004-a', uid, resourceVersion: '7', generation: 2 };
  const status = { at: '2026-01-02T03:04:05Z', conditions: [{ message: 'of case-c004-a' }] };
  expect(canonical.object({ kind: 'InstallPlan', metadata, status })).toEqual({
    kind: 'InstallPlan',
    metadata: { name: 'install-<1>', namespace: '$id-a' },
    status: { at: '<time>', conditions: [{ message: 'of $id-a' }] },
  });
});

test('names of plans keep their identity, hashes and uids give way to their role', () => {
  const canonical = new Canonical('case-c004');
  expect(canonical.text('install-aaaaa, install-bbbbb, install-aaaaa')).toBe('install-<1>, install-<2>, install-<1>');
  expect(canonical.text(`olm.operatorgroup.uid/${uid}`)).toBe('olm.operatorgroup.uid/<uid>');
  expect(canonical.text('boat.v0.1.0-2K7xJq8Zb3LmN4pQ')).toBe('boat.v0.1.0-<hash>');
  expect(canonical.text('case-c0041-a')).toBe('case-c0041-a');
});

test('a name that the API server generated is recorded by its prefix', () => {
  const generated = { kind: 'Webhook', metadata: { generateName: 'w.example.com-', name: 'w.example.com-4k2tr' } };
  expect(new Canonical('case-x').key(generated)).toBe('Webhook w.example.com-…');
  expect(new Canonical('case-x').object(generated)['metadata']).toEqual({ generateName: 'w.example.com-' });
});

test('of a Secret only the names of its entries are recorded', () => {
  const secret = { kind: 'Secret', metadata: { name: 's' }, data: { 'tls.key': 'eA==', 'tls.crt': 'eA==' } };
  expect(new Canonical('case-x').object(secret)).toMatchObject({ data: ['tls.crt', 'tls.key'] });
});

test('conditions by type have one order, the history of a ClusterServiceVersion keeps its own', () => {
  const canonical = new Canonical('case-x');
  const typed = { kind: 'Subscription', status: { conditions: [{ type: 'B' }, { type: 'A' }] } };
  expect(canonical.object(typed)).toMatchObject({ status: { conditions: [{ type: 'A' }, { type: 'B' }] } });
  const history = {
    kind: 'ClusterServiceVersion',
    status: { conditions: [{ phase: 'Pending' }, { phase: 'Failed' }] },
  };
  expect(canonical.object(history)).toEqual(history);
});
