import { expect, test } from 'vitest';
import { combineRules, HeldRules, type PolicyRule } from './index.ts';

const rule = (verbs: string[], resources: string[], more: PolicyRule = {}): PolicyRule => ({
  verbs,
  apiGroups: [''],
  resources,
  ...more,
});

test.each([
  { name: 'the same', own: [rule(['get'], ['pods'])], missing: [] },
  { name: 'every verb', own: [rule(['*'], ['pods'])], missing: [] },
  { name: 'everything', own: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }], missing: [] },
  {
    name: 'another group',
    own: [{ ...rule(['get'], ['pods']), apiGroups: ['apps'] }],
    missing: [rule(['get'], ['pods'])],
  },
  {
    name: 'another name',
    own: [rule(['get'], ['pods'], { resourceNames: ['x'] })],
    missing: [rule(['get'], ['pods'])],
  },
  { name: 'nothing', own: [], missing: [rule(['get'], ['pods'])] },
])('who has $name lacks what is left of it', ({ own, missing }) => {
  expect(new HeldRules(own).missing([rule(['get'], ['pods'])])).toEqual(missing);
});

test('verbs on one resource and name stay together, paths stay apart', () => {
  const required = [
    rule(['get', 'list'], ['pods', 'pods/log'], { resourceNames: ['a', 'b'] }),
    { verbs: ['get'], nonResourceURLs: ['/metrics', '/healthz/x'] },
  ];
  const own = [rule(['list'], ['pods']), { verbs: ['get'], nonResourceURLs: ['/healthz/*'] }];
  expect(new HeldRules(own).missing(required)).toEqual([
    { verbs: ['get'], nonResourceURLs: ['/metrics'] },
    rule(['get'], ['pods'], { resourceNames: ['a'] }),
    rule(['get'], ['pods'], { resourceNames: ['b'] }),
    rule(['get', 'list'], ['pods/log'], { resourceNames: ['a'] }),
    rule(['get', 'list'], ['pods/log'], { resourceNames: ['b'] }),
  ]);
});

test('rules that multiply without end are held against others as a whole', () => {
  const many = Array.from({ length: 300 }, (_, index) => `x${index}`);
  const required: PolicyRule = { verbs: many, apiGroups: many, resources: many, resourceNames: many };
  expect(new HeldRules([rule(['get'], ['pods'])]).missing([required])).toEqual([required]);
  expect(new HeldRules([{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }]).missing([required])).toEqual([]);
});

test.each([
  { own: { verbs: ['*'], apiGroups: [''], resources: ['pods/log'], resourceNames: ['a'] }, isHeld: true },
  { own: { verbs: ['get'], apiGroups: ['*'], resources: ['pods/log'], resourceNames: ['a'] }, isHeld: true },
  { own: { verbs: ['get'], apiGroups: [''], resources: ['*'] }, isHeld: true },
  { own: { verbs: ['get'], apiGroups: [''], resources: ['*/log'] }, isHeld: true },
  { own: { verbs: ['get'], apiGroups: [''], resources: ['pods'] }, isHeld: false },
  { own: { verbs: ['get'], apiGroups: [''], resources: ['*/exec'] }, isHeld: false },
  { own: { verbs: ['get'], apiGroups: [''], resources: ['pods/log'], resourceNames: ['b'] }, isHeld: false },
])('$own: whether it holds one verb on a subresource of one name', ({ own, isHeld }) => {
  const required = rule(['get'], ['pods/log'], { resourceNames: ['a'] });
  expect(new HeldRules([own]).missing([required])).toEqual(isHeld ? [] : [required]);
});

test('rules are put together without giving more or less', () => {
  const names = { resourceNames: ['a'] };
  const rules = [
    rule(['get'], ['pods']),
    rule(['list'], ['pods']),
    rule(['get', 'list'], ['services']),
    rule(['delete'], ['pods'], names),
    rule(['delete'], ['pods'], { resourceNames: ['b'] }),
  ];
  const combined = combineRules(rules);
  expect(combined).toEqual([
    rule(['get', 'list'], ['pods', 'services']),
    rule(['delete'], ['pods'], { resourceNames: ['a', 'b'] }),
  ]);
  expect(new HeldRules(combined).missing(rules)).toEqual([]);
  expect(new HeldRules(rules).missing(combined)).toEqual([]);
});

test('repetitions in a rule are not counted, however often they multiply', () => {
  const often = (text: string): string[] => Array.from({ length: 1000 }, () => text);
  const required = { verbs: often('get'), apiGroups: often(''), resources: often('pods'), resourceNames: often('a') };
  expect(new HeldRules([]).missing([required])).toEqual([rule(['get'], ['pods'], { resourceNames: ['a'] })]);
  expect(new HeldRules([required]).missing([rule(['get'], ['pods'], { resourceNames: ['a'] })])).toEqual([]);
});

test('what takes too long to compare counts as not held, whatever else is asked', () => {
  const pods = rule(['get'], ['pods']);
  const paths = (folder: string, count: number): PolicyRule => ({
    verbs: ['get'],
    nonResourceURLs: Array.from({ length: count }, (_, index) => `/${folder}/${index}`),
  });
  const held = new HeldRules([pods, paths('held', 1_000)]);
  expect(held.missing([pods, paths('held', 10)])).toEqual([]);
  held.missing([paths('other', 2_000)]);
  expect(held.missing([pods])).toEqual([pods]);
});
