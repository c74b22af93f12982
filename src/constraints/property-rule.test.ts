import { expect, test } from 'vitest';
import { readDependencies, readRequiredProperties } from './dependency.ts';
import { compilePropertyRule } from './property-rule.ts';

const matching = (pattern: string): string => `properties.all(p, p.type.matches('${pattern}'))`;

test('a rule with a regular expression that is too large is not compiled', () => {
  expect(() => compilePropertyRule(matching('a{0,1000}'.repeat(300)))).toThrow('expression too large');
  expect(() => compilePropertyRule(matching('a{1000}'.repeat(10)))).toThrow('at most 5000 are allowed');
});

test('a rule with an ordinary regular expression is true or false', () => {
  const rule = compilePropertyRule(matching('^olm[.][a-z]{1,63}$'));
  expect(rule.isTrueOf([{ type: 'olm.gvk', value: {} }])).toBe(true);
  expect(rule.isTrueOf([{ type: 'other', value: {} }])).toBe(false);
});

test('the regular expressions of all constraints of a bundle are limited together', () => {
  const cel = (end: string) => ({ cel: { rule: matching(`${'a{990}'.repeat(3)}${end}`) } });
  const inOne = [{ type: 'olm.constraint', value: { all: { constraints: [cel('p'), cel('q')] } } }];
  const inTwo = ['p', 'q'].map((end) => ({ type: 'olm.constraint', value: cel(end) }));
  for (const list of [inOne, inTwo]) {
    expect(readDependencies('dependencies', list).problems).toMatchObject([
      expect.stringContaining('expression too large') as string,
    ]);
    expect(readRequiredProperties('properties', list).problems).toHaveLength(1);
  }
  const [first = {}] = inTwo;
  expect(readDependencies('dependencies', [first, first])).toMatchObject({ problems: [], dependencies: [{}, {}] });
});
