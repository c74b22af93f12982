import { expect, test } from 'vitest';
import { PatternBudget, type Schema } from '../../src/schema/index.ts';
import { MemoryCluster } from '../../test/support/memory-cluster.ts';
import type { KubeObject } from '../core/index.ts';
import { checkPolicyTypes, createRuleValidator, validationRuleErrors } from './index.ts';
import { admissionEnvironment } from './policies/admission-environment.ts';

const width = 500;
const depth = 50;
const rules = { 'x-kubernetes-validations': [{ rule: 'true' }] };

/** A schema with a rule on every level, and many fields in the last of them. */
function deepSchema(onRead: () => void): Schema {
  const properties = {};
  for (let index = 0; index < width; index += 1) {
    const get = (): Schema => {
      onRead();
      return { type: 'boolean' };
    };
    Object.defineProperty(properties, `p${index}`, { enumerable: true, get });
  }
  let schema: Schema = { type: 'object', properties, ...rules };
  for (let level = 0; level < depth; level += 1) schema = { type: 'object', properties: { a: schema }, ...rules };
  return schema;
}

test.each<readonly [string, (schema: Schema) => unknown]>([
  ['checked', (schema) => expect(validationRuleErrors(schema as never, 'schema', new PatternBudget())).toEqual([])],
  ['made ready', (schema) => expect(createRuleValidator(schema)).toBeDefined()],
])('rules on every level of a deep schema are %s without all that is below each of them', (_name, act) => {
  let reads = 0;
  const schema = deepSchema(() => {
    reads += 1;
  });
  act(schema);
  expect(reads).toBeLessThan(10 * width);
});

test('each of many variables of a policy is compiled without a copy of those before it', () => {
  const variables = new Map();
  const { structs } = admissionEnvironment({ hasParams: false, hasAuthorizer: true, variables });
  expect(structs.get('kubernetes.variables')).toBe(variables);
});

test('the expressions of a policy are checked one by one, and as many warnings are kept as fit into its status', () => {
  const cluster = new MemoryCluster();
  const rule = { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps', 'pods'] };
  const validations = Array.from({ length: 3000 }, () => ({ expression: `object.${'a'.repeat(400)}` }));
  const policy = {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicy',
    metadata: { name: 'p' },
    spec: { matchConstraints: { resourceRules: [rule] }, validations },
  } as unknown as KubeObject;
  const check = checkPolicyTypes(policy, cluster);
  let steps = 0;
  let step = check.next();
  for (; step.done !== true; step = check.next()) steps += 1;
  const [first] = step.value;
  expect(first).toMatchObject({ fieldRef: 'spec.validations[0].expression' });
  expect(first?.warning).toContain('v1, Kind=ConfigMap');
  expect(step.value.length).toBeLessThan(3000);
  expect(JSON.stringify(step.value).length).toBeLessThan(1_200_000);
  expect(steps).toBeGreaterThan(step.value.length);
});
