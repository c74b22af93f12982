import { expect, test } from 'vitest';
import { mailAddressProblem, requestUriProblem } from './addresses.ts';

test.each([
  ['ada@tide.example', undefined],
  ['Ada <ada@tide.example>', undefined],
  ['"Ada, Countess" <ada@tide.example>', undefined],
  ['ada@tide.example (Ada)', undefined],
  ['ada', "missing '@' or angle-addr"],
  ['Ada Lovelace', 'no angle-addr'],
  ['Ada <ada@tide.example', 'unclosed angle-addr'],
  ['a@b.example, c@d.example', 'expected single address, got ", c@d.example"'],
  [' ', 'no address'],
])('for the address %j it reports %j', (text, problem) => {
  expect(mailAddressProblem(text)).toBe(problem);
});

test.each([
  ['https://tide.example/a?b=%zz#c', undefined],
  ['/docs', undefined],
  ['mailto:ada@tide.example', undefined],
  ['http://[::1]:8080/', undefined],
  ['foo', 'invalid URI for request'],
  ['www.tide.example/docs', 'invalid URI for request'],
  [':x', 'missing protocol scheme'],
  ['https://tide.example:port/', 'invalid port ":port" after host'],
  ['https://tide gauge/', 'invalid character " " in host name'],
  ['https://tide.example/%zz', 'invalid URL escape "%zz"'],
  ['https://tide.example/\n', 'net/url: invalid control character in URL'],
])('for the link %j it reports %j', (text, problem) => {
  expect(requestUriProblem(text)).toBe(problem);
});

test('hostile addresses cost no time', () => {
  expect(mailAddressProblem('a'.repeat(1_000_000))).toBe('longer than 1000 characters');
  expect(mailAddressProblem(`${'a. '.repeat(300)}<`)).toBe('no angle-addr');
  expect(mailAddressProblem(`${'"a" '.repeat(240)}`)).toBe('no angle-addr');
  expect(requestUriProblem(`https://${'@:x'.repeat(500_000)}`)).toContain('invalid');
});
