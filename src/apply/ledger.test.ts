import { beforeEach, expect, test } from 'vitest';
import type { JsonObject } from '../base/index.ts';
import type { KubeObject } from '../kube/index.ts';
import { installedObject } from './kind-watches.ts';
import { Ledger } from './ledger.ts';
import { ownedBy } from './ownership.ts';

const owner = { name: 'combo', uid: 'u1' };

/** A Service as the server shows it: at a version, with the fields that are still as we applied them. */
function service(version: string, rest: JsonObject = {}, fields = ['f:ports', 'f:selector']): KubeObject {
  const base = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'web' }, spec: { ports: [] }, ...rest };
  const owned = ownedBy(base as unknown as KubeObject, owner, 'ns');
  const fieldsV1 = { 'f:spec': Object.fromEntries(fields.map((field) => [field, {}])) };
  const managedFields = [{ manager: 'longshore', operation: 'Apply', fieldsV1 }];
  return { ...owned, ...rest, metadata: { ...owned.metadata, uid: 's1', resourceVersion: version, managedFields } };
}

const applied = installedObject(service('5'));
let ledger: Ledger;

beforeEach(() => {
  ledger = new Ledger();
  ledger.record(owner, 'one', { applied: [service('5')] });
});

const drifted = (): number | undefined => ledger.drifted(owner, 'one')?.size;

test.each([
  { name: 'U29 the creation of an object that was applied', change: { before: undefined, after: applied } },
  {
    name: 'U29 the creation of an object that was not',
    change: { before: undefined, after: { ...applied, ref: { ...applied.ref, name: 'other' } } },
  },
  { name: 'U31 an event about nothing', change: { before: undefined, after: undefined } },
  { name: 'U32 an update that changes nothing', change: { before: applied, after: applied } },
  {
    name: 'U33 an update of the status alone',
    change: { before: applied, after: installedObject(service('6', { status: { loadBalancer: { ingress: [] } } })) },
  },
  {
    name: 'an update from before it was applied',
    change: { before: applied, after: installedObject(service('4', {}, [])) },
  },
])('$name is no drift', ({ change }) => {
  expect(ledger.observe(change)).toBe(false);
  expect(drifted()).toBe(0);
});

test.each([
  { name: 'U30 a deletion', change: { before: applied, after: undefined } },
  {
    name: 'U34 an update of a field that was applied',
    change: { before: applied, after: installedObject(service('6', {}, ['f:ports'])) },
  },
  {
    name: 'the annotation to be retained, with which it has no owner reference',
    change: { before: applied, after: { ...applied, resourceVersion: '7', isRetained: true } },
  },
  {
    name: 'U30 a replacement under the same name',
    change: { before: applied, after: { ...applied, uid: 's2', resourceVersion: '7', fingerprint: 'another' } },
  },
])('$name is drift', ({ change }) => {
  expect(ledger.observe(change)).toBe(true);
  expect(drifted()).toBe(1);
});

test('what was written in the same words and is still that version stands; any other is written again', () => {
  const manifest = service('');
  ledger.claim([manifest], owner);
  ledger.wrote(owner, manifest, service('5'));
  expect(ledger.standing(owner, manifest, applied)).toEqual(applied);
  expect(ledger.standing(owner, service('', { spec: { ports: [1] } }), applied)).toBeUndefined();
  expect(ledger.standing(owner, manifest, installedObject(service('6')))).toBeUndefined();
  expect(ledger.standing(owner, manifest, { ...applied, uid: 's2' })).toBeUndefined();
  expect(ledger.standing(owner, manifest, { ...applied, isDeleting: true })).toBeUndefined();
  expect(ledger.standing(owner, manifest, undefined)).toBeUndefined();
  expect(ledger.standing({ ...owner, uid: 'u2' }, manifest, applied)).toBeUndefined();
});

test('a write without an answer leaves nothing that could stand', () => {
  const manifest = service('');
  ledger.claim([manifest], owner);
  ledger.wrote(owner, manifest, service('5'));
  ledger.willWrite(manifest);
  expect(ledger.standing(owner, manifest, applied)).toBeUndefined();
});

test('what the own last write has left is no drift, before that is recorded; what another one writes then is', () => {
  const manifest = service('');
  const corrected = { ...applied, resourceVersion: '6', fingerprint: 'corrected' };
  ledger.claim([manifest], owner);
  const answer = service('6');
  ledger.wrote(owner, manifest, answer);
  expect(ledger.observe({ before: applied, after: corrected })).toBe(false);
  expect(ledger.observe({ before: corrected, after: { ...corrected, resourceVersion: '7' } })).toBe(true);
});

test('another owner of the same name has nothing of it', () => {
  const next = { ...owner, uid: 'u2' };
  expect([ledger.knows(owner), ledger.knows(next)]).toEqual([true, false]);
  expect([ledger.revisionOf(next), ledger.drifted(next, 'one')]).toEqual([undefined, undefined]);
  expect(ledger.objectsOf(next)).toEqual([]);
});
