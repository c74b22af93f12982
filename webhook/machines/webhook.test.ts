import { expect, test } from 'vitest';
import { type JsonObject, silentLogger } from '../../src/base/index.ts';
import type { FactsReader } from '../review/facts.ts';
import { buildWebhook } from '../server/app.ts';
import { webhookConfigurations } from '../server/registration.ts';

const hook = (name: string, owner = 'backup-controller'): JsonObject => ({ name, owner });

function machine(lifecycleHooks: JsonObject | undefined, deletionTimestamp?: string): JsonObject {
  return {
    apiVersion: 'machine.openshift.io/v1beta1',
    kind: 'Machine',
    metadata: { namespace: 'machines', name: 'a', ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }) },
    spec: { providerSpec: { value: {} }, ...(lifecycleHooks === undefined ? {} : { lifecycleHooks }) },
  };
}

const now = '2030-01-01T00:00:00Z';

/** The message of the refusal; empty where the change is allowed. */
async function refusalOf(before: JsonObject | undefined, after: JsonObject | undefined, deleted?: string) {
  await using app = buildWebhook({ facts: {} as FactsReader, systemNamespace: 'rukpak-system', log: silentLogger() });
  const request = {
    uid: 'u',
    operation: 'UPDATE',
    object: machine(after, deleted),
    oldObject: machine(before, deleted),
  };
  const payload = { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', request };
  const reply = await app.inject({ method: 'POST', url: '/validate-machine-openshift-io-v1beta1-machine', payload });
  const { response } = reply.json<{ response: { allowed: boolean; status?: { message: string; code: number } } }>();
  if (!response.allowed) expect(response.status?.code).toBe(403);
  return response.status?.message ?? '';
}

const before = { preDrain: [hook('One'), hook('Two')], preTerminate: [hook('End')] };

test.each([
  ['removed', { preDrain: [hook('One')] }],
  ['in another order', { preDrain: [hook('Two'), hook('One')], preTerminate: [hook('End')] }],
  ['all removed', undefined],
])('ML-29: hooks of a machine that is being deleted may be %s', async (_what, after) => {
  expect(await refusalOf(before, after, now)).toBe('');
});

test('ML-29: hooks of a machine that is being deleted may not be added or get another owner', async () => {
  const immutable = 'hooks are immutable when machine is marked for deletion: the following hooks are new or changed:';
  const after = { preDrain: [...before.preDrain, hook('New')], preTerminate: [hook('End', 'other')] };
  expect(await refusalOf(before, after, now)).toBe(
    `spec.lifecycleHooks.preDrain: Forbidden: pre-drain ${immutable} [{Name:New Owner:backup-controller}]; ` +
      `spec.lifecycleHooks.preTerminate: Forbidden: pre-terminate ${immutable} [{Name:End Owner:other}]`,
  );
  expect(await refusalOf(undefined, { preDrain: [hook('New')] }, now)).toContain('{Name:New Owner:backup-controller}');
});

test('hooks of other machines are free', async () => {
  expect(await refusalOf(before, { preDrain: [hook('New')] })).toBe('');
});

test('it is registered only where Machines are reviewed', () => {
  const registration = { address: { origin: 'https://127.0.0.1:9443' }, systemNamespace: 'rukpak-system' };
  const names = (hasMachines: boolean) =>
    webhookConfigurations({ ...registration, hasMachines }).map(({ metadata }) => metadata.name);
  expect(names(false)).not.toContain('longshore-machine-webhook-configuration');
  expect(names(true)).toContain('longshore-machine-webhook-configuration');
});
