import { expect, test } from 'vitest';
import { RequestTurns } from './request-turns.ts';

test('of a connection with very many requests others do not wait for all', async () => {
  let nowMs = 0;
  const turns = new RequestTurns(() => nowMs);
  const answered: string[] = [];
  const ask = (connection: object, name: string): boolean =>
    turns.add(
      connection,
      () => {
        nowMs += 1;
        answered.push(name);
      },
      () => false,
    );
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

test.each([
  { whose: 'a user', isOfUser: true, most: 1000 },
  { whose: 'a client without valid credentials', isOfUser: false, most: 100 },
])('a connection of $whose on which too many requests wait gets no more', ({ isOfUser, most }) => {
  let nowMs = 0;
  const turns = new RequestTurns(() => nowMs);
  const connection = {};
  const answer = (): void => {
    nowMs += 10;
  };
  const ask = (): boolean => turns.add(connection, answer, () => isOfUser);
  const taken = Array.from({ length: most + 2 }, ask);
  expect(taken.lastIndexOf(true)).toBe(most);
  expect(taken.indexOf(false)).toBe(most + 1);
});
