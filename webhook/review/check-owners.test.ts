import { expect, test } from 'vitest';
import { bundleDeploymentResource } from '../../src/api/index.ts';
import type { JsonObject } from '../../src/base/index.ts';
import { rules } from '../rules.ts';
import { checkOwnerReferences } from './check-owners.ts';
import type { ReviewRequest } from './request.ts';
import type { ReviewContext } from './webhook-definition.ts';

const gone = { apiVersion: 'v1', kind: 'Namespace', name: 'gone', uid: '1' };

/** Why a user who may delete the deployment, or not, may not change its owners; empty where that is allowed. */
async function denial(before: JsonObject[] | undefined, after: JsonObject[], mayDelete: boolean): Promise<string> {
  const asked: JsonObject[] = [];
  const request: ReviewRequest = {
    uid: '1',
    operation: before === undefined ? 'CREATE' : 'UPDATE',
    name: 'shop',
    namespace: '',
    object: { metadata: { ownerReferences: after } },
    oldObject: before && { metadata: { ownerReferences: before } },
    user: { username: 'member' },
    fieldManager: '',
    propagationPolicy: '',
  };
  const context = {
    facts: {
      mayDo: (_: JsonObject, attributes: JsonObject) => {
        asked.push(attributes);
        return Promise.resolve(mayDelete);
      },
    },
    rules: { evaluate: (_: string, ...input: Parameters<typeof ownerReferences>) => ownerReferences(...input) },
    signal: AbortSignal.timeout(60_000),
  };
  const { evaluate: ownerReferences } = rules['owner-references'];
  const { denials } = await checkOwnerReferences(
    request,
    context as unknown as ReviewContext,
    bundleDeploymentResource,
  );
  for (const one of asked) {
    expect(one).toEqual({ verb: 'delete', group: 'core.rukpak.io', resource: 'bundledeployments', name: 'shop' });
  }
  return denials.map(({ text }) => text).join();
}

const refusal = 'user "member" may not add Namespace "gone"';

test('a user adds owners, without which an object is deleted, only to what the user may delete', async () => {
  expect(await denial([], [gone], false)).toContain(refusal);
  expect(await denial([{ ...gone, name: 'present' }], [gone], false)).toContain(refusal);
  expect(await denial([], [gone], true)).toBe('');
});

test('owners that stay or are taken away, and those of a new object, are for every user who may write it', async () => {
  expect(await denial([gone], [{ ...gone, blockOwnerDeletion: true }], false)).toBe('');
  expect(await denial([gone], [], false)).toBe('');
  expect(await denial(undefined, [gone], false)).toBe('');
});
