import { expect, test } from 'vitest';
import { requestHeaders, responseHeaders, userHeaders } from './forwarded-headers.ts';

const jane = {
  username: 'jane',
  uid: '7',
  groups: ['a', 'b'],
  extra: { 'example.com/Scopes': ['x', 'y'], reason: [''] },
};

test('the user is in the headers that kube-apiserver uses', () => {
  expect(userHeaders(jane)).toEqual({
    'X-Remote-User': 'jane',
    'X-Remote-Uid': '7',
    'X-Remote-Group': ['a', 'b'],
    'X-Remote-Extra-example.com%2Fscopes': ['x', 'y'],
    'X-Remote-Extra-reason': [''],
  });
});

test('text outside of latin-1 is sent as UTF-8, and a line break starts no header', () => {
  const { 'X-Remote-User': user } = userHeaders({ username: 'zoë ✓\r\nX-Remote-Group: system:masters', groups: [] });
  expect(Buffer.from(String(user as string), 'latin1').toString()).toBe('zoë ✓  X-Remote-Group: system:masters');
});

test('credentials, forged identities and headers of the connection are withheld', () => {
  const headers = requestHeaders(
    {
      ':method': 'GET',
      accept: 'application/json',
      authorization: 'Bearer secret',
      cookie: 'session=secret',
      connection: 'x-hop, Upgrade',
      'x-hop': '1',
      host: 'api',
      te: 'trailers',
      'impersonate-user': 'eve',
      'impersonate-extra-a': 'b',
      'proxy-authorization': 'Basic secret',
      'x-remote-user': 'eve',
      'x-remote-group': 'system:masters',
      'x-remote-uid': '0',
      'x-remote-extra-a': 'b',
      'sec-websocket-protocol': 'base64url.bearer.authorization.k8s.io.c2VjcmV0, v4.channel.k8s.io',
      'x-own': 'kept',
    },
    { username: 'jane', groups: [] },
  );
  expect(headers).toEqual({
    accept: 'application/json',
    'sec-websocket-protocol': 'v4.channel.k8s.io',
    'x-own': 'kept',
    'X-Remote-User': 'jane',
  });
});

test('an answer keeps its headers but those of the connection', () => {
  const received = { connection: 'x-hop', 'x-hop': '1', 'transfer-encoding': 'chunked', 'set-cookie': ['a', 'b'] };
  expect(responseHeaders({ ...received, warning: '299 - "old"' })).toEqual({
    'set-cookie': ['a', 'b'],
    warning: '299 - "old"',
  });
});
