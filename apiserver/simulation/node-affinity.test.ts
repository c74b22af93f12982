import { expect, test } from 'vitest';
import type { JsonObject } from '../../src/base/index.ts';
import { type SelectableNode, selectsNode, toleratesCordon } from './node-affinity.ts';

const node: SelectableNode = { name: 'n1', labels: { zone: 'a', cores: '8', ssd: '' } };

const affinity = (...nodeSelectorTerms: JsonObject[]): JsonObject => ({
  affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } },
});
const label = (key: string, operator: string, ...values: string[]): JsonObject => ({ key, operator, values });
const byLabels = (...matchExpressions: JsonObject[]): JsonObject => affinity({ matchExpressions });
const byName = (operator: string, name: string): JsonObject => ({
  matchFields: [{ key: 'metadata.name', operator, values: [name] }],
});

test.each<{ name: string; spec: JsonObject; isSelected: boolean }>([
  { name: 'nothing', spec: {}, isSelected: true },
  { name: 'a node selector with the labels', spec: { nodeSelector: { zone: 'a', ssd: '' } }, isSelected: true },
  { name: 'a node selector with another value', spec: { nodeSelector: { zone: 'b' } }, isSelected: false },
  { name: 'a node selector named like a member', spec: { nodeSelector: { constructor: '' } }, isSelected: false },
  { name: 'In', spec: byLabels(label('zone', 'In', 'b', 'a')), isSelected: true },
  { name: 'In of other values', spec: byLabels(label('zone', 'In', 'b')), isSelected: false },
  { name: 'In of a label that the node lacks', spec: byLabels(label('rack', 'In', 'a')), isSelected: false },
  { name: 'NotIn', spec: byLabels(label('zone', 'NotIn', 'b')), isSelected: true },
  { name: 'NotIn of its value', spec: byLabels(label('zone', 'NotIn', 'a')), isSelected: false },
  { name: 'NotIn of a label that the node lacks', spec: byLabels(label('rack', 'NotIn', 'a')), isSelected: true },
  { name: 'Exists', spec: byLabels(label('ssd', 'Exists')), isSelected: true },
  { name: 'Exists of a label that the node lacks', spec: byLabels(label('rack', 'Exists')), isSelected: false },
  { name: 'DoesNotExist', spec: byLabels(label('rack', 'DoesNotExist')), isSelected: true },
  { name: 'DoesNotExist of its label', spec: byLabels(label('zone', 'DoesNotExist')), isSelected: false },
  { name: 'Gt', spec: byLabels(label('cores', 'Gt', '7')), isSelected: true },
  { name: 'Gt of the same number', spec: byLabels(label('cores', 'Gt', '8')), isSelected: false },
  { name: 'Lt', spec: byLabels(label('cores', 'Lt', '10')), isSelected: true },
  { name: 'Lt of a smaller number', spec: byLabels(label('cores', 'Lt', '4')), isSelected: false },
  { name: 'Gt of a label that is no number', spec: byLabels(label('zone', 'Gt', '1')), isSelected: false },
  { name: 'Gt of no number', spec: byLabels(label('cores', 'Gt', 'few')), isSelected: false },
  { name: 'an unknown operator', spec: byLabels(label('zone', 'Like', 'a')), isSelected: false },
  { name: 'its name', spec: affinity(byName('In', 'n1')), isSelected: true },
  { name: 'another name', spec: affinity(byName('In', 'n2')), isSelected: false },
  { name: 'not its name', spec: affinity(byName('NotIn', 'n1')), isSelected: false },
  {
    name: 'expressions of which one fails',
    spec: byLabels(label('zone', 'In', 'a'), label('cores', 'Gt', '8')),
    isSelected: false,
  },
  {
    name: 'a name and an expression that fails',
    spec: affinity({ ...byName('In', 'n1'), matchExpressions: [label('zone', 'In', 'b')] }),
    isSelected: false,
  },
  { name: 'terms of which one matches', spec: affinity(byName('In', 'n2'), byName('In', 'n1')), isSelected: true },
  { name: 'a term without requirements', spec: affinity({}), isSelected: false },
  { name: 'no terms', spec: affinity(), isSelected: false },
  {
    name: 'a node selector and an affinity that fails',
    spec: { nodeSelector: { zone: 'a' }, ...byLabels(label('ssd', 'DoesNotExist')) },
    isSelected: false,
  },
  {
    name: 'a preference alone',
    spec: {
      affinity: {
        nodeAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, preference: byName('In', 'n2') }],
        },
      },
    },
    isSelected: true,
  },
])('a pod with $name: $isSelected', ({ spec, isSelected }) => {
  expect(selectsNode(spec, node)).toBe(isSelected);
});

const cordoned = 'node.kubernetes.io/unschedulable';

test.each<{ name: string; toleration: JsonObject; isTolerated: boolean }>([
  { name: 'of the taint', toleration: { key: cordoned, operator: 'Exists', effect: 'NoSchedule' }, isTolerated: true },
  { name: 'of all effects', toleration: { key: cordoned, operator: 'Exists' }, isTolerated: true },
  { name: 'of everything', toleration: { operator: 'Exists' }, isTolerated: true },
  { name: 'of its empty value', toleration: { key: cordoned, effect: 'NoSchedule' }, isTolerated: true },
  { name: 'of another value', toleration: { key: cordoned, value: 'yes' }, isTolerated: false },
  { name: 'of another effect', toleration: { operator: 'Exists', effect: 'NoExecute' }, isTolerated: false },
  { name: 'of another taint', toleration: { key: 'gpu', operator: 'Exists' }, isTolerated: false },
])('a pod with a toleration $name goes to a cordoned Node: $isTolerated', ({ toleration, isTolerated }) => {
  expect(toleratesCordon({ tolerations: [toleration] })).toBe(isTolerated);
});
