import { expect, test } from 'vitest';
import { parseVersion } from './version.ts';
import { isChosen, parseVersionChoice } from './version-choice.ts';

const versions = [
  '0.0.1',
  '0.0.2',
  '0.2.3',
  '0.3.0',
  '1.0.0',
  '1.1.0-rc.1',
  '1.1.0',
  '1.1.4',
  '1.2.0',
  '2.0.0-rc.1',
  '2.0.0',
  '2.1.0',
];

function chosen(text: string): string {
  const choice = parseVersionChoice(text);
  return versions.filter((version) => isChosen(parseVersion(version), choice)).join(' ');
}

test.each([
  ['1.x', '1.0.0 1.1.0 1.1.4 1.2.0'],
  ['1', '1.0.0 1.1.0 1.1.4 1.2.0'],
  ['=1.1', '1.1.0 1.1.4'],
  ['v1.1.0', '1.1.0'],
  ['1.1.0+build', '1.1.0'],
  ['*', '0.0.1 0.0.2 0.2.3 0.3.0 1.0.0 1.1.0 1.1.4 1.2.0 2.0.0 2.1.0'],
  ['>1', '2.0.0 2.1.0'],
  ['>1.1', '1.2.0 2.0.0 2.1.0'],
  ['>=1.2', '1.2.0 2.0.0 2.1.0'],
  ['=>1.2', '1.2.0 2.0.0 2.1.0'],
  ['<1', '0.0.1 0.0.2 0.2.3 0.3.0'],
  ['<=1', '0.0.1 0.0.2 0.2.3 0.3.0 1.0.0 1.1.0 1.1.4 1.2.0'],
  ['=<1.1', '0.0.1 0.0.2 0.2.3 0.3.0 1.0.0 1.1.0 1.1.4'],
  ['!=1.x, >=0.3', '0.3.0 2.0.0 2.1.0'],
  ['~1', '1.0.0 1.1.0 1.1.4 1.2.0'],
  ['~1.1', '1.1.0 1.1.4'],
  ['~>1.1.2', '1.1.4'],
  ['^1.1', '1.1.0 1.1.4 1.2.0'],
  ['^0.2', '0.2.3'],
  ['^0.0.1', '0.0.1'],
  ['^0', '0.0.1 0.0.2 0.2.3 0.3.0'],
  ['1.0 - 1.1.0', '1.0.0 1.1.0'],
  ['>= 1.1 < 2', '1.1.0 1.1.4 1.2.0'],
  ['>=1.1,<1.2||2.1', '1.1.0 1.1.4 2.1.0'],
  ['>=1.1.0-0', '1.1.0-rc.1 1.1.0 1.1.4 1.2.0 2.0.0-rc.1 2.0.0 2.1.0'],
  ['>=1.1-0 <2', '1.1.0 1.1.4 1.2.0'],
  ['>=1.1-0 <2-0', '1.1.0-rc.1 1.1.0 1.1.4 1.2.0'],
])('the choice %s means %s', (text, expected) => {
  expect(chosen(text)).toBe(expected);
});

test.each([
  ['abc', 'improper constraint: abc'],
  ['', 'improper constraint: '],
  ['1.0 ||', 'improper constraint: '],
  ['>>1', 'improper constraint: >>1'],
  ['1.0,', 'improper constraint: 1.0,'],
  ['1.2.3.4', 'improper constraint: 1.2.3.4'],
  ['01.2', 'improper constraint: 01.2'],
  ['1'.repeat(5000), 'longer than 4096 characters'],
])('the choice %s is refused', (text, expected) => {
  expect(() => parseVersionChoice(text)).toThrow(expected);
});

test('a long hostile choice is read in a moment', () => {
  expect(() => parseVersionChoice(`${'1 '.repeat(2000)}!`)).toThrow('improper constraint');
  expect(() => parseVersionChoice(`1-${'a.'.repeat(2000)}`)).toThrow('improper constraint');
});
