import { expect, test } from 'vitest';
import type { JsonObject } from '../../base/index.ts';
import { differenceOf } from './difference.ts';
import { type NodeConfig, readNodeConfig } from './node-config.ts';

const source = { source: 'https://example.org/more.ign' };

function config(ignition: JsonObject, more: JsonObject = {}): NodeConfig {
  const spec = { config: { ignition: { version: '3.4.0', ...ignition }, ...more } };
  return readNodeConfig({ metadata: { name: 'c' }, spec });
}

test.each([
  ['ignition.config', config({ config: { merge: [source] } })],
  ['ignition.config', config({ config: { replace: source } })],
  ['ignition.proxy', config({ proxy: { httpProxy: 'http://proxy.example.org' } })],
  ['kernelArguments', config({}, { kernelArguments: { shouldExist: ['nosmt'] } })],
  ['storage.links', config({}, { storage: { links: [{ path: '/etc/a', target: '/etc/b' }] } })],
])('a change of %s, which a running node does not read, is reported', (section, after) => {
  const expected = `ignition ${section} section contains changes, which are applied only when a node is installed`;
  expect(differenceOf(config({}), after, false).unreconcilable).toBe(expected);
  expect(differenceOf(after, after, false).unreconcilable).toBeUndefined();
});

test('empty sections, which other tools write, are no changes', () => {
  const after = config({ config: {}, security: { tls: {} }, timeouts: {} }, { passwd: {}, storage: { links: [] } });
  expect(differenceOf(config({}), after, false).unreconcilable).toBeUndefined();
});
