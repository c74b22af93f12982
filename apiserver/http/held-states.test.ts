import { expect, test } from 'vitest';
import { Store } from '../storage/index.ts';
import { HeldStates } from './held-states.ts';
import { TransferLimits } from './transfer-limits.ts';

function write(store: Store, name: string, characters: number): void {
  const replaces = store.get('things', `/${name}`);
  const object = { apiVersion: 'v1', kind: 'Thing', metadata: { name }, value: 'x'.repeat(characters) };
  store.commit({ storageKey: 'things', key: `/${name}`, replaces, object });
}

test('states that are being sent end, the oldest first, when too much of them was replaced meanwhile', () => {
  const store = new Store();
  const states = new HeldStates(store, new TransferLimits(), 3000);
  const cut: string[] = [];
  write(store, 'a', 1000);
  using _first = states.begin(store.list('things'), () => cut.push('first'));
  write(store, 'b', 5000);
  write(store, 'a', 1000);
  write(store, 'a', 1000);
  using _second = states.begin(store.list('things'), () => cut.push('second'));
  expect(cut).toEqual([]);
  write(store, 'a', 1000);
  expect(cut).toEqual(['first']);
  write(store, 'a', 1000);
  write(store, 'a', 1000);
  expect(cut).toEqual(['first', 'second']);
});

test('one that has been sent does not count any more', () => {
  const store = new Store();
  const states = new HeldStates(store, new TransferLimits(), 3000);
  const cut: string[] = [];
  write(store, 'a', 4000);
  states.begin(store.list('things'), () => cut.push('sent'))[Symbol.dispose]();
  write(store, 'a', 1);
  expect(cut).toEqual([]);
});

test('the entries of states count together with other transfers: the oldest is cut off', () => {
  const store = new Store();
  const states = new HeldStates(store, new TransferLimits({ maxBytes: 20 }));
  const cut: string[] = [];
  write(store, 'a', 1);
  const entries = store.list('things');
  for (const name of ['first', 'second', 'third']) states.begin(entries, () => cut.push(name));
  expect(cut).toEqual(['first']);
});
