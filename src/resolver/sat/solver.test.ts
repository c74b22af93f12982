import fc from 'fast-check';
import { expect, test } from 'vitest';
import { addAtMost } from './at-most.ts';
import { smallestCore } from './core.ts';
import { type Literal, SatSolver } from './solver.ts';
import { Steps } from './steps.ts';

type Clauses = readonly (readonly Literal[])[];

const patient = (): Steps => new Steps({ maxSteps: 10_000_000 });

function solverOf(count: number, clauses: Clauses): SatSolver {
  const solver = new SatSolver(patient());
  for (let index = 0; index < count; index += 1) solver.newVariable();
  for (const clause of clauses) solver.addClause(clause);
  return solver;
}

function holds(clauses: Clauses, isTrue: (literal: Literal) => boolean): boolean {
  return clauses.every((clause) => clause.some(isTrue));
}

const maskIsTrue =
  (mask: number) =>
  (literal: Literal): boolean =>
    ((mask >> (Math.abs(literal) - 1)) & 1) === (literal > 0 ? 1 : 0);

/** Tries all values. */
function canHold(count: number, clauses: Clauses): boolean {
  for (let mask = 0; mask < 2 ** count; mask += 1) if (holds(clauses, maskIsTrue(mask))) return true;
  return false;
}

const variableCount = 12;
const literals = fc.integer({ min: 1, max: variableCount }).chain((variable) => fc.constantFrom(variable, -variable));
const clauses = fc.array(fc.array(literals, { minLength: 1, maxLength: 4 }), { maxLength: 60 });
const units = (list: readonly Literal[]): Clauses => list.map((literal) => [literal]);

test('answers as trying all values does, with values that hold', () => {
  fc.assert(
    fc.property(clauses, (list) => {
      const solver = solverOf(variableCount, list);
      const { isSatisfiable } = solver.solve();
      expect(isSatisfiable).toBe(canHold(variableCount, list));
      if (isSatisfiable) expect(holds(list, (literal) => solver.isTrue(literal))).toBe(true);
    }),
    { numRuns: 200 },
  );
});

test('answers under assumptions, names ones that contradict, and forgets them again', () => {
  const questions = fc.array(fc.uniqueArray(literals, { maxLength: 6 }), { minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(clauses, questions, (list, several) => {
      const solver = solverOf(variableCount, list);
      for (const assumptions of several) {
        const answer = solver.solve(assumptions);
        expect(answer.isSatisfiable).toBe(canHold(variableCount, [...list, ...units(assumptions)]));
        if (answer.isSatisfiable) {
          expect(holds([...list, ...units(assumptions)], (literal) => solver.isTrue(literal))).toBe(true);
        } else {
          expect(assumptions).toEqual(expect.arrayContaining([...answer.core]));
          expect(canHold(variableCount, [...list, ...units(answer.core)])).toBe(false);
        }
      }
    }),
    { numRuns: 150 },
  );
});

test('takes clauses between questions', () => {
  fc.assert(
    fc.property(clauses, clauses, (first, second) => {
      const solver = solverOf(variableCount, first);
      solver.solve();
      for (const clause of second) solver.addClause(clause);
      expect(solver.solve().isSatisfiable).toBe(canHold(variableCount, [...first, ...second]));
    }),
    { numRuns: 150 },
  );
});

test('honors a limit on true variables', () => {
  const cases = fc.record({
    count: fc.integer({ min: 0, max: 4 }),
    size: fc.integer({ min: 1, max: 8 }),
    mask: fc.nat({ max: 255 }),
  });
  fc.assert(
    fc.property(cases, ({ count, size, mask }) => {
      const solver = solverOf(size, []);
      const all = Array.from({ length: size }, (_, index) => index + 1);
      addAtMost(solver, { count, literals: all });
      const chosen = all.map((variable) => (maskIsTrue(mask)(variable) ? variable : -variable));
      const isWithin = chosen.filter((literal) => literal > 0).length <= count;
      expect(solver.solve(chosen).isSatisfiable).toBe(isWithin);
    }),
  );
});

function subsetsBySize(list: readonly Literal[]): readonly (readonly Literal[])[] {
  const masks = Array.from({ length: 2 ** list.length }, (_, mask) => mask);
  const subsets = masks.map((mask) => list.filter((_, index) => ((mask >> index) & 1) === 1));
  return subsets.sort((a, b) => a.length - b.length);
}

test('finds a smallest contradiction', () => {
  const count = 8;
  const small = fc.integer({ min: 1, max: count }).chain((variable) => fc.constantFrom(variable, -variable));
  const cases = fc.record({
    list: fc.array(fc.array(small, { minLength: 1, maxLength: 3 }), { maxLength: 25 }),
    assumptions: fc.uniqueArray(small, { maxLength: 8 }),
  });
  fc.assert(
    fc.property(cases, ({ list, assumptions }) => {
      const steps = patient();
      const found = smallestCore(solverOf(count, list), assumptions, steps);
      const expected = subsetsBySize(assumptions).find((one) => !canHold(count, [...list, ...units(one)]));
      expect(found?.length).toBe(expected?.length);
      if (found !== undefined) expect(canHold(count, [...list, ...units(found)])).toBe(false);
    }),
    { numRuns: 100 },
  );
});

/** More pigeons than holes: short to state, long to refute. */
function pigeons(count: number): SatSolver {
  const solver = new SatSolver(new Steps({ maxSteps: 20_000 }));
  const holes = count - 1;
  const inHole = Array.from({ length: count }, () => Array.from({ length: holes }, () => solver.newVariable()));
  for (const row of inHole) solver.addClause(row);
  for (let hole = 0; hole < holes; hole += 1) {
    const column = inHole.map((row) => row[hole] ?? 0);
    for (const [index, one] of column.entries()) {
      for (const other of column.slice(index + 1)) solver.addClause([-one, -other]);
    }
  }
  return solver;
}

test('refutes what needs many conflicts', () => {
  expect(pigeons(6).solve()).toEqual({ isSatisfiable: false, core: [] });
});

test('stops at the limit of steps', () => {
  expect(() => pigeons(30).solve()).toThrow('cancelled before a solution could be found: more than 20000 steps');
});

test('stops when it is cancelled', () => {
  const solver = new SatSolver(new Steps({ maxSteps: 10, isCancelled: () => true }));
  expect(() => solver.solve()).toThrow(/^cancelled before a solution could be found$/);
});
