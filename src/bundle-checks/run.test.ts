import { expect, test } from 'vitest';
import { shownFinding, testBundle, tideFiles, validateBundle } from '../../test/support/checked-bundle.ts';
import { selectChecks } from './select.ts';
import { checks } from './table.ts';

const broken = testBundle({
  ...tideFiles,
  'manifests/b.yaml': 'a: [',
  'manifests/a.yaml': 'x: 1\n---\ny: 2\n',
  'metadata/annotations.yaml': 'annotations: {}\n',
});

function idsOf(select: readonly string[], ignore: readonly string[] = []): readonly string[] {
  return validateBundle(broken, { select, ignore }).map(({ id }) => id);
}

test('findings come by stage, then file, then place', () => {
  expect(validateBundle(broken, { select: ['F6', 'L5', 'F5'] }).map((one) => shownFinding(one).slice(0, 40))).toEqual([
    'metadata/annotations.yaml:1:1 error F5 E',
    'metadata/annotations.yaml:1:1 error F6 E',
    'manifests/a.yaml:1:1 error L5 unable to ',
    'manifests/a.yaml:3:1 error L5 unable to ',
    'manifests/b.yaml:2:1 error L5 unable to ',
  ]);
});

test('checks are selected and left out by id and by suite', () => {
  expect(new Set(idsOf(['L5']))).toEqual(new Set(['L5']));
  expect(idsOf([], ['default'])).not.toContain('L5');
  expect(idsOf(['default'], ['L5', 'F4'])).not.toContain('L5');
  expect(new Set(idsOf(['L5'], ['default']))).toEqual(new Set(['L5']));
});

test('a word that is neither id nor suite is refused', () => {
  expect(() => selectChecks(checks, { select: ['L5', 'nope'], ignore: [] })).toThrow(
    '"nope": expected the id of a check, or a suite: default',
  );
});

test('a selection that leaves no check is refused', () => {
  expect(() => selectChecks(checks, { select: ['default'], ignore: ['default'] })).toThrow(
    'no check is left of the selection: default, not default',
  );
});

test('every check has an id of its own', () => {
  expect(new Set(checks.map(({ id }) => id)).size).toBe(checks.length);
});

test('the first hundred findings of each check are reported, and the number of others', () => {
  const many = testBundle({ 'manifests/many.yaml': 'x: 1\n---\n'.repeat(250) });
  const found = validateBundle(many, { select: ['L5'] });
  expect(found).toHaveLength(101);
  expect(found.map(({ message }) => message)).toContain('and 150 more of these');
});
