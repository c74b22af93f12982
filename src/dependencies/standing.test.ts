import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { JsonValue } from '../base/index.ts';
import { readDependencies } from '../constraints/index.ts';
import { involvedWith, meetsAlone, neededApis, type Participant, type Survey, unmetOf, usersOf } from './standing.ts';

type Entry = { readonly type: string; readonly value: JsonValue };

const packaged = (packageName: string, version = '>=1.0.0'): Entry => ({
  type: 'olm.package',
  value: { packageName, version },
});
const api = { group: 'tide.example', version: 'v1', kind: 'Harbour' };

function participant(name: string, needs: readonly Entry[] = [], version = '1.0.0'): Participant {
  const { dependencies, problems } = readDependencies('dependencies', needs as unknown as JsonValue);
  expect(problems).toEqual([]);
  return { name, properties: [{ type: 'olm.package', value: { packageName: name, version } }], dependencies };
}

function survey(parts: Partial<Survey> = {}): Survey {
  return { active: [], pending: [], servesApi: () => false, ...parts };
}

const texts = (subject: Participant, around: Survey): readonly string[] =>
  unmetOf(subject, around).map(({ text }) => text);

test('a package is met by an active bundle at a version in range, and by no other', () => {
  const subject = participant('a', [packaged('b', '>=1.2.0')]);
  expect(texts(subject, survey())).toEqual(['package b >=1.2.0']);
  expect(texts(subject, survey({ active: [participant('b', [], '1.1.0')] }))).toEqual(['package b >=1.2.0']);
  expect(texts(subject, survey({ active: [participant('b', [], 'v1.2')] }))).toEqual([]);
});

test('an API is met by what the cluster serves, or by the bundle itself', () => {
  const subject = participant('a', [{ type: 'olm.gvk', value: api }]);
  expect(texts(subject, survey())).toEqual(['API Harbour.v1.tide.example']);
  expect(texts(subject, survey({ servesApi: () => true }))).toEqual([]);
  const own = { ...subject, properties: [{ type: 'olm.gvk', value: api }] };
  expect(texts(own, survey())).toEqual([]);
  const claims = { ...participant('b'), properties: [{ type: 'olm.gvk', value: api }] };
  expect(texts(subject, survey({ active: [claims] }))).toHaveLength(1);
  expect(neededApis([subject, own])).toEqual([api]);
});

test('those that only need each other go together, and those that need something else wait', () => {
  const a = participant('a', [packaged('b')]);
  const b = participant('b', [packaged('c')]);
  const c = participant('c', [packaged('a')]);
  expect(texts(a, survey({ pending: [b, c] }))).toEqual([]);
  expect(texts(a, survey({ pending: [b] }))).toEqual(['package b >=1.0.0']);
  const other = participant('c', [packaged('a'), packaged('x')]);
  expect(texts(a, survey({ pending: [b, other] }))).toEqual(['package b >=1.0.0']);
  expect(texts(a, survey({ pending: [b, other], active: [participant('x')] }))).toEqual([]);
});

test('a dependency that can be installed alone is waited for', () => {
  const a = participant('a', [packaged('b')]);
  const b = participant('b', [packaged('c')]);
  expect(texts(a, survey({ pending: [b], active: [participant('c')] }))).toEqual(['package b >=1.0.0']);
});

test('a constraint that fails is not met, and the bundle that could meet a part of one is known', () => {
  const value = { any: { constraints: [{ cel: { rule: 'properties[7].type == "x"' } }, { gvk: api }] } };
  const subject = participant('a', [{ type: 'olm.constraint', value }]);
  expect(texts(subject, survey())).toHaveLength(1);
  const [dependency] = subject.dependencies;
  if (dependency?.type !== 'constraint') throw new Error('expected a constraint');
  expect(meetsAlone(dependency.constraint, [{ type: 'olm.gvk', value: api }])).toBe(true);
  expect(meetsAlone(dependency.constraint, [])).toBe(false);
});

test('a rule that runs long ends as not met', () => {
  const loop =
    'properties.all(a, properties.all(b, properties.all(c, properties.all(d, properties.all(e, a != b || c != d)))))';
  const subject = participant('a', [{ type: 'olm.constraint', value: { cel: { rule: loop } } }]);
  const properties = Array.from({ length: 300 }, (_, index) => ({ type: 't', value: index }));
  expect(texts(subject, survey({ active: [{ ...participant('b'), properties }] }))).toHaveLength(1);
});

test('for any dependencies, installing what is ready ends with everything installable, and never with an unmet one', () => {
  const edges = fc.array(fc.tuple(fc.nat(7), fc.nat(9)), { maxLength: 20 });
  fc.assert(
    fc.property(edges, (pairs) => {
      const all = Array.from({ length: 8 }, (_, index) => {
        const needs = pairs.filter(([from]) => from === index).map(([, to]) => packaged(`p${to}`));
        return participant(`p${index}`, needs);
      });
      let active: readonly Participant[] = [];
      for (;;) {
        const open = all.filter((one) => !active.includes(one));
        const ready = open.filter(
          (one) => unmetOf(one, survey({ active, pending: open.filter((other) => other !== one) })).length === 0,
        );
        if (ready.length === 0) break;
        active = [...active, ...ready];
      }
      const names = new Set(active.map(({ name }) => name));
      let possible = new Set(all.map(({ name }) => name));
      for (let size = -1; size !== possible.size; ) {
        size = possible.size;
        const before = possible;
        possible = new Set(
          [...before].filter((name) => pairs.every(([from, to]) => `p${from}` !== name || before.has(`p${to}`))),
        );
      }
      expect(names).toEqual(possible);
    }),
    { numRuns: 200 },
  );
});

test('dependents of a package are named when it is removed or gets too old, but not if another bundle provides it', () => {
  const base = participant('base');
  const user = participant('user', [packaged('base')]);
  const broken = participant('broken', [packaged('absent')]);
  const active = [base, user, broken];
  const around = survey({ active });
  expect(usersOf({ name: 'base', next: undefined }, around)).toEqual(['user']);
  expect(usersOf({ name: 'base', next: participant('base', [], '0.9.0').properties }, around)).toEqual(['user']);
  expect(usersOf({ name: 'base', next: participant('base', [], '1.1.0').properties }, around)).toEqual([]);
  expect(usersOf({ name: 'user', next: undefined }, around)).toEqual([]);
  const twin = { ...base, name: 'twin' };
  expect(usersOf({ name: 'base', next: undefined }, survey({ active: [...active, twin] }))).toEqual([]);
});

test('dependents of an API are named when the bundle that provides it is removed', () => {
  const base = { ...participant('base'), properties: [{ type: 'olm.gvk', value: api }] };
  const user = participant('user', [{ type: 'olm.gvk', value: api }]);
  const around = survey({ active: [base, user], servesApi: () => true });
  expect(usersOf({ name: 'base', next: undefined }, around)).toEqual(['user']);
  expect(usersOf({ name: 'base', next: base.properties }, around)).toEqual([]);
  expect(usersOf({ name: 'user', next: undefined }, around)).toEqual([]);
});

const digits = '[0,1,2,3,4,5,6,7,8,9]';
const costly = {
  type: 'olm.constraint',
  value: {
    cel: {
      rule: `${digits}.exists(a,${digits}.exists(b,${digits}.exists(c,${digits}.exists(d,semver_compare('1.0.0','2.0.0')>0))))`,
    },
  },
};
const tooCostly = 'what the bundle needs takes too long to evaluate';

test('of rules that take long only some are evaluated, and the rest counts as one that is not met', () => {
  const subject = participant(
    'a',
    Array.from({ length: 200 }, () => costly),
  );
  const around = survey({ active: Array.from({ length: 100 }, (_, index) => participant(`p${index}`)) });
  const found = texts(subject, around);
  expect(found.length).toBeLessThan(10);
  expect(found.at(-1)).toBe(tooCostly);
});

test('so it is with packages that are looked for among very many of the same name', () => {
  const properties = Array.from({ length: 1_000 }, () => ({
    type: 'olm.package',
    value: { packageName: 'b', version: '1.0.0' },
  }));
  const active = Array.from({ length: 300 }, (_, index) => ({ ...participant(`p${index}`), properties }));
  expect(texts(participant('a', [packaged('b', '>=2.0.0')]), survey({ active }))).toEqual([tooCostly]);
});

test('a bundle whose rules take long holds up neither the removal of others, nor those that need each other', () => {
  const slow = participant('slow', [packaged('base'), ...Array.from({ length: 199 }, () => costly)]);
  const active = [participant('base'), slow, participant('user', [packaged('base')])];
  expect(usersOf({ name: 'base', next: undefined }, survey({ active }))).toEqual(['user']);
  const [a, b] = [participant('a', [packaged('b')]), participant('b', [packaged('a')])];
  expect(texts(a, survey({ active, pending: [slow, b] }))).toEqual([]);
});

test('what others need is read only of those that the bundle needs', () => {
  const a = participant('a', [packaged('b')]);
  const b = participant('b', [packaged('a')]);
  const other = {
    ...participant('c'),
    get dependencies(): Participant['dependencies'] {
      throw new Error('it is read');
    },
  };
  expect(involvedWith(a, [other, b]).map(({ name }) => name)).toEqual(['b']);
  expect(texts(a, survey({ pending: [other, b] }))).toEqual([]);
});

test('very many that need each other are not installed together', () => {
  const ring = (size: number): readonly Participant[] =>
    Array.from({ length: size }, (_, index) => participant(`p${index}`, [packaged(`p${(index + 1) % size}`)]));
  const [first, ...others] = ring(12);
  if (first === undefined) throw new Error('expected a ring');
  expect(texts(first, survey({ pending: others }))).toEqual([]);
  expect(involvedWith(first, ring(40).slice(1))).toEqual([]);
});
