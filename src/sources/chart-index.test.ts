import { expect, test } from 'vitest';
import { longestShare } from '../../test/support/longest-share.ts';
import { findInIndex, indexAddress, readChartFragment } from './chart-index.ts';

const digest = 'a'.repeat(64);
const index = `apiVersion: v1
entries:
  ahoy:
    - {version: 1.2.0, urls: [ahoy-1.2.0.tgz], digest: ${digest}}
    - {version: v1.10.1, urls: ["https://files.example.com/ahoy-1.10.1.tgz"]}
    - {version: 2.0.0-rc.1, urls: [/ahoy-2.0.0-rc.1.tgz]}
    - {version: broken, urls: [x]}
  odd:
    - {version: 1.0.0, urls: ["file:///etc/passwd"]}
`;
const address = 'https://charts.example.com/stable/index.yaml';

async function find(fragment: string): ReturnType<typeof findInIndex> {
  const choice = readChartFragment(fragment);
  if (choice === undefined) throw new Error('no choice');
  return await findInIndex({ address, content: index }, choice);
}

test.each([
  { fragment: '#chart=ahoy', url: 'https://files.example.com/ahoy-1.10.1.tgz' },
  { fragment: '#chart=ahoy&version=~1.2', url: 'https://charts.example.com/stable/ahoy-1.2.0.tgz' },
  { fragment: '#chart=ahoy&version=%3E%3D1.0%2C%20%3C1.5', url: 'https://charts.example.com/stable/ahoy-1.2.0.tgz' },
  { fragment: '#chart=ahoy&version=2.0.0-rc.1', url: 'https://charts.example.com/ahoy-2.0.0-rc.1.tgz' },
])('$fragment is $url', async ({ fragment, url }) => {
  expect((await find(fragment)).url).toBe(url);
});

test('the digest of the index is that of the archive', async () => {
  expect(await find('#chart=ahoy&version=1.2.0')).toMatchObject({ digest: `sha256:${digest}`, version: '1.2.0' });
});

test.each([
  {
    fragment: '#chart=none',
    text: 'chart "none": expected a version that is no pre-release, found no chart of that name',
  },
  { fragment: '#chart=ahoy&version=3.x', text: 'expected 3.x, found the versions 2.0.0-rc.1, v1.10.1, 1.2.0' },
  { fragment: '#chart=odd', text: 'expected https:// or http://' },
  { fragment: '#chart=ahoy&version=many', text: 'expected a version after &version=' },
  { fragment: '#chart=__proto__', text: 'no choice' },
])('$fragment is refused: $text', async ({ fragment, text }) => {
  await expect(find(fragment)).rejects.toThrow(text);
});

test('long versions, very many of them, leave turns to other work', async () => {
  const choice = { name: 'long', versions: undefined };
  const prefix = '1.'.repeat(480);
  const versions = Array.from({ length: 1_500 }, (_, at) => ({ version: `1.0.0-${prefix}${at}`, urls: ['x'] }));
  const content = JSON.stringify({ entries: { long: versions } });
  const work = findInIndex({ address, content }, choice).catch(String);
  expect(await longestShare(work)).toBeLessThan(0.5);
  expect(await work).toContain(`found the versions 1.0.0-${prefix}1499, 1.0.0-${prefix}1498, `);
});

test('a repository is named by its folder or its index', () => {
  expect(indexAddress('https://charts.example.com/')).toBe('https://charts.example.com/index.yaml');
  expect(indexAddress('https://charts.example.com/stable')).toBe('https://charts.example.com/stable/index.yaml');
  expect(indexAddress(address)).toBe(address);
});
