import { afterAll, beforeAll, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/base/index.ts';
import { type ApiServer, startApiServer } from '../../index.ts';

let server: ApiServer;
beforeAll(async () => {
  server = await startApiServer({ simulation: false });
});
afterAll(() => server[Symbol.asyncDispose]());

function definition(properties: JsonObject, rules: readonly string[] = []): JsonObject {
  const validations = rules.map((rule) => ({ rule }));
  const spec = { type: 'object', properties, 'x-kubernetes-validations': validations };
  const openAPIV3Schema = { type: 'object', properties: { spec } };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'things.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'things', singular: 'thing', kind: 'Thing', listKind: 'ThingList' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema } }],
    },
  };
}

const ofPattern = (pattern: string): JsonObject => ({ type: 'string', maxLength: 10, pattern });
const large = (end: string): string => `${'a{0,1000}'.repeat(300)}${end}`;
/** Two of them are too large together. */
const half = (end: string): string => `${'a{1000}'.repeat(30)}${end}`;

async function refusal(object: JsonObject): Promise<string> {
  try {
    await server.client.create(object as never, { dryRun: true } as never);
    return 'none';
  } catch (thrown) {
    return (thrown as Error).message;
  }
}

test('a definition with a pattern that is too large is refused at its field', async () => {
  const properties = Object.fromEntries(['p', 'q'].map((name) => [name, ofPattern(large(name))]));
  const message = await refusal(definition(properties));
  expect(message).toContain('spec.validation.openAPIV3Schema.properties[spec].properties[p].pattern: Invalid value: ');
  expect(message).toContain(
    "must be a valid regular expression, but isn't: error parsing regexp: expression too large: about 600602 instructions",
  );
});

test.each<readonly [string, JsonObject, readonly string[]]>([
  ['patterns', { p: ofPattern(half('p')), q: { type: 'array', items: ofPattern(half('q')) } }, []],
  ['branches', { p: { type: 'string', anyOf: [{ pattern: half('p') }, { not: { pattern: half('q') } }] } }, []],
  ['a pattern and a rule', { p: ofPattern(half('p')) }, [`self.p.matches('${half('q')}')`]],
  ['rules', { p: { type: 'string', maxLength: 10 } }, ['p', 'q'].map((end) => `self.p.find('${half(end)}') == ''`)],
  ['one rule', { p: { type: 'string', maxLength: 10 } }, [`self.p.findAll('${large('')}').size() == 0`]],
])('what is too large together is refused: %s', async (_, properties, rules) => {
  expect(await refusal(definition(properties, rules))).toContain('error parsing regexp: expression too large');
});

test('one of them, also if it is repeated, is accepted', async () => {
  const properties = { p: ofPattern(half('')), q: ofPattern(half('')) };
  expect(await refusal(definition(properties, [`self.p.matches('${half('')}')`]))).toBe('none');
});

test('the expressions of a policy count together', async () => {
  const policy = {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicy',
    metadata: { name: 'large' },
    spec: {
      matchConstraints: {
        resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['*'], resources: ['pods'] }],
      },
      validations: ['p', 'q'].map((end) => ({ expression: `object.metadata.name.matches('${half(end)}')` })),
    },
  };
  const message = await refusal(policy as unknown as JsonObject);
  expect(message).toContain('spec.validations[1].expression');
  expect(message).not.toContain('spec.validations[0].expression');
  expect(message).toContain('expression too large');
});

test('the match conditions of all webhooks of a configuration count together', async () => {
  const webhook = (end: string) => ({
    name: `${end}.example.com`,
    clientConfig: { url: 'https://127.0.0.1:1/' },
    admissionReviewVersions: ['v1'],
    sideEffects: 'None',
    matchConditions: [{ name: end, expression: `object.metadata.name.matches('${half(end)}')` }],
  });
  const configuration = {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingWebhookConfiguration',
    metadata: { name: 'large' },
    webhooks: [webhook('p'), webhook('q')],
  };
  const message = await refusal(configuration);
  expect(message).toContain('webhooks[1].matchConditions[0].expression');
  expect(message).not.toContain('webhooks[0].matchConditions[0].expression');
  expect(message).toContain('expression too large');
  expect(await refusal({ ...configuration, webhooks: [webhook('p')] })).toBe('none');
});
