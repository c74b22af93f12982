import { describe, expect, test } from 'vitest';
import { matchesFields, matchesLabelSelector, parseFieldSelector, parseLabelSelector } from '../index.ts';

describe('parseLabelSelector', () => {
  test.each([
    ['', {}, true],
    ['a', { a: '' }, true],
    ['!a', { a: '' }, false],
    ['a=b', { a: 'b' }, true],
    ['a == b , c', { a: 'b', c: 'd' }, true],
    ['a!=b', {}, true],
    ['a!=b', { a: 'b' }, false],
    ['a in (b, c)', { a: 'c' }, true],
    ['a notin (b,c)', {}, true],
    ['a in (,b)', { a: '' }, true],
    ['a in ()', { a: '' }, true],
    ['in in (in,notin)', { in: 'notin' }, true],
    ['a>5', { a: '6' }, true],
    ['a<5', { a: '6' }, false],
    ['a<5', { a: 'x' }, false],
    ['constructor', {}, false],
    ['a=', { a: '' }, true],
    ['a=,b', { a: '', b: '' }, true],
  ])('%j over %j is %j', (text, labels, expected) => {
    expect(parseLabelSelector(text).matches(labels)).toBe(expected);
  });

  test.each([
    ['a,,b', "found ',', expected: identifier after ','"],
    [',a', "found ',', expected: !, identifier, or 'end of string'"],
    ['a b', "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"],
    ['a in x', "unable to parse requirement: found 'x' expected: '('"],
    ['a in (', "unable to parse requirement: found '', expected: ',', ')' or identifier"],
    ['a in (b c)', "unable to parse requirement: found 'c', expected: ',' or ')'"],
    ['a in ((', "unable to parse requirement: found '(', expected: ',', ')' or identifier"],
    ['!', "unable to parse requirement: found '', expected: identifier"],
    ['!a=b', "found '=', expected: ',' or 'end of string'"],
    ['a=b c', "found 'c', expected: ',' or 'end of string'"],
    ['a=(', "unable to parse requirement: found '(', expected: identifier"],
    [
      'a>b',
      `unable to parse requirement: values[0]: Invalid value: "b": for 'Gt', 'Lt' operators, the value must be an integer`,
    ],
    ['/a', 'unable to parse requirement: <nil>: Invalid value: "/a": prefix part must be non-empty'],
    ['a,', "found '', expected: identifier after ','"],
    ['a in (b', "unable to parse requirement: found '', expected: ',' or ')'"],
    ['=', "found '=', expected: !, identifier, or 'end of string'"],
  ])('refuses %j as kube-apiserver does', (text, message) => {
    expect(() => parseLabelSelector(text)).toThrow(expect.objectContaining({ message }));
  });

  test('reads a selector of a megabyte in linear time', () => {
    expect(parseLabelSelector(`a in (${'b,'.repeat(500_000)}c)`).requirements[0]?.values).toEqual(['b', 'c']);
  });
});

describe('matchesLabelSelector', () => {
  test.each([
    [undefined, { a: 'b' }, false],
    [{}, {}, true],
    [{ matchLabels: { a: 'b' } }, { a: 'b', c: 'd' }, true],
    [{ matchLabels: { a: 'b' } }, undefined, false],
    [{ matchExpressions: [{ key: 'a', operator: 'NotIn', values: ['b'] }] }, {}, true],
    [{ matchExpressions: [{ key: 'a', operator: 'Exists' }] }, { a: '' }, true],
    [{ matchExpressions: [{ key: 'a', operator: 'DoesNotExist' }] }, { a: '' }, false],
    [{ matchExpressions: [{ key: 'a', operator: 'constructor' }] }, { a: '' }, false],
    [{ matchExpressions: ['x'] }, { a: '' }, false],
  ])('%j over %j is %j', (selector, labels, expected) => {
    expect(matchesLabelSelector(selector, labels)).toBe(expected);
  });
});

describe('parseFieldSelector', () => {
  test('reads terms with escapes, sorted', () => {
    expect(parseFieldSelector('metadata.name=a,,a!=x\\,y\\=z\\\\,b==c')).toEqual([
      { field: 'a', operator: '!=', value: 'x,y=z\\' },
      { field: 'b', operator: '=', value: 'c' },
      { field: 'metadata.name', operator: '=', value: 'a' },
    ]);
  });

  test.each([
    ['x', "invalid selector: 'x'; can't understand 'x'"],
    ['a=b=c', 'invalid field selector: unescaped character in value: 61'],
    ['a=\\b', 'invalid field selector: invalid escape sequence: \\b'],
    ['a=b\\', 'invalid field selector: invalid escape sequence: \\'],
  ])('refuses %j', (text, message) => {
    expect(() => parseFieldSelector(text)).toThrow(expect.objectContaining({ message }));
  });

  test('selects by the values that a kind offers', () => {
    const requirements = parseFieldSelector('status.phase!=Running,metadata.name=a');
    const valueOf = (field: string): string => (field === 'metadata.name' ? 'a' : 'Pending');
    expect(matchesFields(requirements, valueOf)).toBe(true);
    expect(matchesFields(parseFieldSelector('metadata.name!=a'), valueOf)).toBe(false);
  });
});
