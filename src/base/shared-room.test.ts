import { expect, test } from 'vitest';
import { type RoomShare, SharedRoom } from './shared-room.ts';

const endedError = (heldBytes: number): Error => new Error(`ended with ${heldBytes}`);

/** A share of the room, which notes its name when it has to end. */
function open(room: SharedRoom, name: string, ended: string[]): RoomShare {
  return room.share(({ message }) => ended.push(`${name} ${message}`));
}

test('of the work that takes an equal part or more the one that began first makes room, and what is small goes on', () => {
  const room = new SharedRoom({ maxBytes: 100, endedError });
  const ended: string[] = [];
  const small = open(room, 'small', ended);
  small.take(5);
  const [first, second, third] = ['first', 'second', 'third'].map((name) => open(room, name, ended));
  first?.take(40);
  second?.take(40);
  third?.take(40);
  small.take(5);
  expect(ended).toEqual(['first ended with 40']);
  expect(() => first?.take(1)).toThrow('ended with 40');
  second?.take(10);
});

test('what has ended leaves its room to others', () => {
  const room = new SharedRoom({ maxBytes: 100, endedError });
  const ended: string[] = [];
  for (let round = 0; round < 3; round += 1) {
    using one = open(room, 'one', ended);
    using other = open(room, 'other', ended);
    one.take(50);
    other.take(50);
  }
  expect(ended).toEqual([]);
});

test('work that is alone takes what its own limits allow', () => {
  const room = new SharedRoom({ maxBytes: 100, endedError });
  const ended: string[] = [];
  using alone = open(room, 'alone', ended);
  alone.take(1000);
  expect(ended).toEqual([]);
});
