import { expect, test } from 'vitest';
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
