import { expect, test } from 'vitest';
import { redactUrl } from './redact.ts';

test.each([
  ['https://me:secret@host:8443/a?token=t&x=y', 'https://redacted@host:8443/a?token=redacted&x=redacted'],
  ['ssh://me@host/a', 'ssh://redacted@host/a'],
  ['https://me:secret@ho st/a', 'https://redacted@ho st/a'],
  ['http://me:sec/ret@host:3128', 'http://redacted@host:3128'],
  ['ssh://me:sec/r@et@host/a?b', 'ssh://redacted@host/a?redacted'],
  ['localhost:5000/catalog:v1', 'localhost:5000/catalog:v1'],
  ['localhost:5000/catalog:v1@sha256:0a', 'localhost:5000/catalog:v1@sha256:0a'],
  ['host:8080/a?token=t&x=y', 'host:8080/a?token=redacted&x=redacted'],
  ['https://host/a?secret', 'https://host/a?redacted'],
  ['host:8080/a?secret', 'host:8080/a?redacted'],
  ['./catalog', './catalog'],
  [`https://host/${'a'.repeat(32_000)}`, `https://host/${'a'.repeat(487)}…`],
])('%s is shown as %s', (text, shown) => {
  expect(redactUrl(text)).toBe(shown);
});
