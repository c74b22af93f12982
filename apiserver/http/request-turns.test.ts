import { expect, test } from 'vitest';
import { RequestTurns } from './request-turns.ts';

test('of a connection with very many requests others do not wait for all', async () => {
  let nowMs = 0;
  const turns = new RequestTurns(() => nowMs);
  const answered: string[] = [];
  const ask = (connection: object, name: string): boolean =>
    turns.add(connection, () => {
      nowMs += 1;
      answered.push(name);
    });
  const [flood, other] = [{}, {}];
  for (let index = 0; index < 50; index += 1) ask(flood, 'flood');
  expect(answered).toHaveLength(10);
  // The slice is over, but each connection is answered once in a turn.
  ask(other, 'other');
  ask(other, 'other');
  expect(answered.slice(10)).toEqual(['other']);
  await new Promise(setImmediate);
  expect(answered.slice(11, 13)).toEqual(['flood', 'other']);
  while (answered.length < 52) await new Promise(setImmediate);
});

test('a connection on which too many requests wait gets no more', () => {
  let nowMs = 0;
  const turns = new RequestTurns(() => nowMs);
  const connection = {};
  const ask = (): boolean =>
    turns.add(connection, () => {
      nowMs += 10;
    });
  const taken = Array.from({ length: 1002 }, ask);
  expect(taken.lastIndexOf(true)).toBe(1000);
  expect(taken.indexOf(false)).toBe(1001);
});
