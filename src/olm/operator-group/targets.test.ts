import { describe, expect, test } from 'vitest';
import type { OperatorGroup } from '../../api/index.ts';
import type { KubeObject } from '../../kube/index.ts';
import { resolveTargets } from './targets.ts';

function namespaceOf(name: string, labels: Record<string, string>): KubeObject {
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels } };
}

const all = [namespaceOf('b', { of: 'x' }), namespaceOf('a', { of: 'x', also: 'y' }), namespaceOf('c', {})];
const namespaces = {
  values: () => all,
  labelled: (label: string, value: string) => all.filter(({ metadata }) => metadata.labels?.[label] === value),
};

function groupWith(spec: OperatorGroup['spec']): OperatorGroup {
  return {
    apiVersion: 'operators.coreos.com/v1',
    kind: 'OperatorGroup',
    metadata: { name: 'group' },
    spec: spec ?? {},
  };
}

describe('targets', () => {
  test.each([
    { name: 'nothing', spec: {}, expected: [''] },
    { name: 'an empty selector', spec: { selector: {} }, expected: [''] },
    {
      name: 'a selector without conditions',
      spec: { selector: { matchLabels: {}, matchExpressions: [] } },
      expected: [''],
    },
    { name: 'a label', spec: { selector: { matchLabels: { of: 'x' } } }, expected: ['a', 'b'] },
    { name: 'a label that no Namespace has', spec: { selector: { matchLabels: { of: 'z' } } }, expected: [] },
    {
      name: 'an expression',
      spec: { selector: { matchExpressions: [{ key: 'also', operator: 'DoesNotExist' }] } },
      expected: ['b', 'c'],
    },
    { name: 'names twice', spec: { targetNamespaces: ['z', 'a', 'z'] }, expected: ['a', 'z'] },
    {
      name: 'names and a label',
      spec: { targetNamespaces: ['c'], selector: { matchLabels: { of: 'x' } } },
      expected: ['c'],
    },
  ])('of $name', ({ spec, expected }) => {
    expect(resolveTargets(groupWith(spec), namespaces)).toEqual({ namespaces: expected });
  });

  test('NamespaceAll among names is refused, and nothing is targeted', () => {
    const { namespaces: found, problem } = resolveTargets(groupWith({ targetNamespaces: ['a', ''] }), namespaces);
    expect(found).toEqual([]);
    expect(problem?.message).toContain('TargetNamespaces cannot contain NamespaceAll: ["a" ""]');
  });

  test('a selector that is not valid is refused also if no Namespace has its labels', () => {
    const matchExpressions = [{ key: 'a', operator: 'In', values: [] }];
    const spec = { selector: { matchLabels: { none: 'none' }, matchExpressions } };
    expect(resolveTargets(groupWith(spec), namespaces).problem?.reason).toBe('InvalidSelector');
  });
});

test('a selector of very many requirements selects no namespace, and reports it', () => {
  const expressions = (count: number) =>
    Array.from({ length: count }, (_, index) => ({ key: `key-${index}`, operator: 'DoesNotExist' }));
  const targetsOf = (count: number) =>
    resolveTargets(groupWith({ selector: { matchExpressions: expressions(count) } }), namespaces);
  expect(targetsOf(1_000).problem).toBeUndefined();
  expect(targetsOf(1_001)).toMatchObject({
    namespaces: [],
    problem: {
      reason: 'InvalidSelector',
      message: expect.stringContaining('a selector has at most 1000 requirements, found 1001') as string,
    },
  });
});
