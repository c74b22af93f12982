import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { parsePlatformOperator } from '../../src/api/index.ts';
import { type JsonObject, silentLogger } from '../../src/base/index.ts';
import type { FactsReader } from '../review/facts.ts';
import { buildWebhook } from '../server/app.ts';

function operator(name: string, packageName: string, upgradePolicy = 'None'): JsonObject {
  return {
    apiVersion: 'platform.openshift.io/v1alpha1',
    kind: 'PlatformOperator',
    metadata: { name },
    spec: { package: { name: packageName }, upgradePolicy },
  };
}

const reader: FactsReader = {
  readConfigMap: () => Promise.resolve(undefined),
  readObjects: () => Readable.from([]),
  hasDependencies: () => Promise.resolve(false),
  listBundles: () => Readable.from([]),
  listDeployments: () => Readable.from([]),
  listPlatformOperators: () => Promise.resolve([parsePlatformOperator(operator('first', 'tide'))]),
  offersFor: () => [],
  mayDo: () => Promise.resolve(true),
  isAbsent: () => Promise.resolve(false),
  servesApi: () => Promise.resolve(false),
};

async function denialOf(request: JsonObject, may = true): Promise<string> {
  await using app = buildWebhook({
    facts: { ...reader, mayDo: () => Promise.resolve(may) },
    systemNamespace: 'rukpak-system',
    log: silentLogger(),
  });
  const payload = { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', request: { uid: 'u', ...request } };
  const url = '/validate-platform-openshift-io-v1alpha1-platformoperator';
  const reply = await app.inject({ method: 'POST', url, payload });
  const { response } = reply.json<{ response: { allowed: boolean; status?: { message: string } } }>();
  return response.allowed ? 'allowed' : (response.status?.message ?? '');
}

const create = (object: JsonObject): JsonObject => ({ operation: 'CREATE', object, oldObject: null });

test.each([
  ['one for another package', operator('second', 'gauge'), 'allowed'],
  [
    'one more for the same package',
    operator('second', 'tide'),
    'package "tide" is already installed by platformoperator "first"',
  ],
  [
    'a package that only holds a name',
    operator('second', '../gauge!'),
    'platformoperator.spec.package.name "../gauge!" must consist of lower case letters, digits and "-", and begin and end with a letter or digit',
  ],
  [
    'a name that no label can have',
    operator('a.b', 'gauge'),
    'platformoperator name "a.b" must consist of at most 45 lower case letters, digits and "-", and begin and end with a letter or digit: the bundledeployment has the same name',
  ],
  [
    'a name that is too long',
    operator('a'.repeat(46), 'gauge'),
    `platformoperator name "${'a'.repeat(46)}" must consist`,
  ],
])('a new PlatformOperator: %s', async (_what, object, answer) => {
  expect((await denialOf(create(object))).slice(0, answer.length)).toBe(answer);
});

test('the package of a PlatformOperator stays, its policy may change', async () => {
  const oldObject = operator('first', 'tide');
  const update = (object: JsonObject): Promise<string> => denialOf({ operation: 'UPDATE', object, oldObject });
  expect(await update(operator('first', 'tide', 'Automatic'))).toBe('allowed');
  expect(await update(operator('first', 'gauge'))).toBe(
    'platformoperator.spec.package.name is immutable: it is "tide"; delete the platformoperator and create one for package "gauge"',
  );
});

test('a user who may not delete a PlatformOperator adds no owner to it', async () => {
  const oldObject = operator('first', 'tide');
  const gone = { apiVersion: 'v1', kind: 'Namespace', name: 'gone', uid: '1' };
  const object = { ...oldObject, metadata: { name: 'first', ownerReferences: [gone] } };
  const request = { operation: 'UPDATE', name: 'first', object, oldObject, userInfo: { username: 'member' } };
  expect(await denialOf(request)).toBe('allowed');
  expect(await denialOf(request, false)).toContain('user "member" may not add Namespace "gone"');
});
