import { expect, test } from 'vitest';
import type { StatusError } from '../core/index.ts';
import { loadBuiltinSchemas } from '../schema/index.ts';
import { applyConflict } from './apply-conflict.ts';
import { FieldSet } from './field-set.ts';
import { schemaProblem } from './schema-errors.ts';

test('of very many fields below a long path the first are named', () => {
  const parents = Array.from({ length: 50 }, () => `f:${'a'.repeat(100)}`);
  const leaves = new FieldSet(Array.from({ length: 5000 }, (_, index) => `f:${index}`));
  const fields = parents.reduce((below, parent) => new FieldSet([], [[parent, below]]), leaves);
  const entry = {
    manager: 'm',
    operation: 'Apply' as const,
    apiVersion: 'v1',
    subresource: '',
    time: undefined,
    fields,
  };
  const { failure }: StatusError = applyConflict([{ entry, fields }]);
  expect(failure.message).toMatch(/^Apply failed with \d+ conflicts: conflicts with "m":/);
  expect(JSON.stringify(failure).length).toBeLessThan(3_000_000);
});

test('of many problems below a long path the first are named', () => {
  const env = Array.from({ length: 100 }, (_, index) => ({ name: `e${index}`, value: 1 }));
  const pod = { spec: { containers: [{ name: 'a'.repeat(100_000), env }] } };
  const problem = schemaProblem(pod, loadBuiltinSchemas().kind('', 'v1', 'Pod')) ?? '';
  expect(problem).toContain('.env[name="e0"].value: expected string');
  expect(problem.length).toBeLessThan(1_500_000);
});
