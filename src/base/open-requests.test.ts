import { expect, test } from 'vitest';
import { OpenRequests } from './open-requests.ts';

interface Client {
  readonly name: string;
}

const kibibyte = 1024;
const request = (headerBytes: number, isOfUser = false): { rawHeaders: string[]; isOfUser: boolean } => ({
  rawHeaders: ['x', 'x'.repeat(headerBytes - 1)],
  isOfUser,
});

function openRequests(maxBytes: number): {
  readonly closed: string[];
  readonly requests: OpenRequests<Client, ReturnType<typeof request>>;
} {
  const closed: string[] = [];
  const requests = new OpenRequests<Client, ReturnType<typeof request>>({
    maxBytes,
    windowBytes: 64 * kibibyte,
    isOfUser: (_client, { isOfUser }) => isOfUser,
    close: ({ name }) => closed.push(name),
  });
  return { closed, requests };
}

test('where requests without end take too much memory, the connection with the most is closed', () => {
  const { closed, requests } = openRequests(200 * kibibyte);
  const [flood, other] = [{ name: 'flood' }, { name: 'other' }];
  for (let index = 0; index < 5; index += 1) requests.begin(flood, request(16 * kibibyte), false);
  requests.begin(other, request(1), false);
  expect(closed).toEqual([]);
  requests.begin(other, request(1), false);
  requests.begin(other, request(1), false);
  expect(closed).toEqual(['flood']);
});

test('connections of users are closed after those of anybody', () => {
  const { closed, requests } = openRequests(100 * kibibyte);
  const user = { name: 'user' };
  for (let index = 0; index < 5; index += 1) requests.begin(user, request(kibibyte, true), false);
  requests.begin({ name: 'anybody' }, request(kibibyte), false);
  expect(closed).toEqual(['anybody']);
  requests.begin(user, request(kibibyte), false);
  requests.begin({ name: 'another user' }, request(kibibyte, true), false);
  expect(closed).toEqual(['anybody', 'user']);
});

test('a request with a body counts with what may have arrived of it, until it is over', () => {
  const { closed, requests } = openRequests(100 * kibibyte);
  const client = { name: 'client' };
  for (let index = 0; index < 10; index += 1) requests.begin(client, request(kibibyte), true)();
  expect(closed).toEqual([]);
  requests.begin(client, request(kibibyte), true);
  requests.begin(client, request(kibibyte), true);
  expect(closed).toEqual(['client']);
});
