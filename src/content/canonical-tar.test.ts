import { posix } from 'node:path';
import { Header, Pax } from 'tar';
import { expect, test, vi } from 'vitest';
import { header } from './canonical-tar.ts';

const file = { sizeBytes: 7, isExecutable: false };

/** What the library makes of the whole path. */
function unshortened(path: string): Buffer {
  const block = Buffer.alloc(512);
  const needsPax = new Header({ path, type: 'File', mode: 0o644, size: 7, uid: 0, gid: 0 }).encode(block);
  return needsPax ? Buffer.concat([new Pax({ path, size: 7 }).encode(), block]) : block;
}

const name = (count: number): string => 'n'.repeat(count);

test.each([
  'a',
  `${name(155)}/${name(100)}`,
  `${name(155)}/${name(101)}`,
  `${name(156)}/${name(100)}`,
  `${name(300)}/a`,
  `${name(300)}/${name(300)}/a`,
  name(99),
  name(300),
  'a/'.repeat(500),
  `${'ab/'.repeat(51)}${name(300)}`,
  `${'ab/'.repeat(52)}a/${name(300)}/b`,
  `a/${'é'.repeat(200)}/${'é'.repeat(80)}`,
  `${'é/'.repeat(52)}${'日'.repeat(120)}/b`,
  `${'😀'.repeat(38)}/${'😀'.repeat(99)}`,
])('the digest of content is what it always was: %s', (text) => {
  const path = text.replace(/\/$/, '/z');
  expect(header(path, file)).toEqual(unshortened(path));
});

test('of a long path not each slash is tried', () => {
  const path = `${'a/'.repeat(2000)}z`;
  const dirname = vi.spyOn(posix, 'dirname');
  header(path, file);
  const { length: tries } = dirname.mock.calls;
  dirname.mockRestore();
  expect(tries).toBeGreaterThan(0);
  expect(tries).toBeLessThan(200);
});
