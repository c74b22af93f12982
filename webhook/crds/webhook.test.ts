import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { type JsonObject, silentLogger, TransientError } from '../../src/base/index.ts';
import type { ReadObjects } from '../../src/crd-safety/index.ts';
import { sampleCrd } from '../../test/support/index.ts';
import { buildWebhook } from '../server/app.ts';

const optional: JsonObject = { type: 'object', properties: { spec: { type: 'object' } } };
const strict: JsonObject = { ...optional, required: ['spec'] };

function crd(schema: JsonObject, annotations: JsonObject = {}): JsonObject {
  return sampleCrd([{ name: 'v1', schema }], { metadata: { annotations } });
}

const oneObject: ReadObjects = async function* pages() {
  yield await Promise.resolve([{ apiVersion: 'samples.example.com/v1', kind: 'Sample', metadata: { name: 'one' } }]);
};

async function ask(request: JsonObject, readObjects: ReadObjects = oneObject): Promise<JsonObject> {
  const facts = {
    readObjects,
    readConfigMap: () => Promise.resolve(undefined),
    hasDependencies: () => Promise.resolve(false),
    listBundles: () => Readable.from([]),
    listDeployments: () => Readable.from([]),
    listPlatformOperators: () => Promise.resolve([]),
    offersFor: () => [],
    mayDo: () => Promise.resolve(true),
    isAbsent: () => Promise.resolve(false),
    servesApi: () => Promise.resolve(false),
  };
  await using app = buildWebhook({ facts, systemNamespace: 'rukpak-system', log: silentLogger() });
  const payload = { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', request: { uid: 'u1', ...request } };
  const reply = await app.inject({ method: 'POST', url: '/validate-crd', payload });
  expect(reply.statusCode).toBe(200);
  return reply.json<{ response: JsonObject }>().response;
}

const update = (oldObject: JsonObject, object: JsonObject): JsonObject => ({ operation: 'UPDATE', object, oldObject });
const passed = { uid: 'u1', allowed: true };

test('a CRD that is created, deleted, or keeps its spec passes', async () => {
  expect(await ask({ operation: 'CREATE', object: crd(strict), oldObject: null })).toEqual(passed);
  expect(await ask({ operation: 'DELETE', object: null, oldObject: crd(strict) })).toEqual(passed);
  expect(await ask(update(crd(strict), crd(strict, { a: 'b' })))).toEqual(passed);
});

test('a change that makes an object invalid is denied with one text, which kubectl shows once', async () => {
  expect(await ask(update(crd(optional), crd(strict)))).toEqual({
    uid: 'u1',
    allowed: false,
    status: {
      code: 403,
      reason: 'Forbidden',
      message:
        'failed to validate safety of UPDATE for CRD "samples.samples.example.com" (NOTE: to disable this validation, set the ' +
        '"core.rukpak.io/safe-crd-upgrade-validation" annotation to "false"): error validating existing CRs against new CRD\'s schema for ' +
        '"samples.samples.example.com": existing custom object /one failed validation for new schema version v1: spec: Required value\n' +
        'validating upgrade for CRD "samples.samples.example.com": v1: ^: required: new required fields: [spec]\n' +
        'to ignore this check, annotate the CustomResourceDefinition with core.rukpak.io/crd-safety-ignore: existingObjects,required',
    },
  });
});

test('changes by the provisioners were validated before and pass; those by others are validated', async () => {
  const by = (fieldManager: string): JsonObject => ({
    ...update(crd(optional), crd(strict)),
    options: { kind: 'PatchOptions', fieldManager, force: true },
  });
  expect(await ask(by('longshore'))).toEqual(passed);
  expect(await ask(by('kubectl'))).toMatchObject({ allowed: false });
});

test('objects that cannot be read deny the change, and the response reports it', async () => {
  const failing: ReadObjects = () => {
    throw new TransientError('Overloaded', 'the server is overloaded');
  };
  const { allowed, status } = await ask(update(crd(optional), crd(strict)), failing);
  expect([allowed, (status as { message: string }).message]).toEqual([
    false,
    expect.stringContaining(
      'error listing objects for samples.example.com/v1, Kind=Sample: the server is overloaded',
    ) as string,
  ]);
});

test('an unknown check in the annotation gets a warning, whether the change is allowed or denied', async () => {
  const ignoring = { 'core.rukpak.io/crd-safety-ignore': 'existing,required,existingObjects' };
  expect(await ask(update(crd(optional), crd(strict, ignoring)))).toMatchObject({
    allowed: true,
    warnings: [
      'annotation core.rukpak.io/crd-safety-ignore: there is no check "existing"',
      expect.stringMatching(/^the checks are storedVersionRemoval, .*, unhandled$/) as string,
    ],
  });
});

test('an object that is not a CRD is denied with 400', async () => {
  const { allowed, status } = await ask(update(crd(optional), { metadata: { name: 'x' }, spec: 'none' }));
  expect([allowed, status]).toEqual([
    false,
    {
      code: 400,
      reason: 'BadRequest',
      message: 'failed to decode CRD "x": expected an object with a spec',
    },
  ]);
});
