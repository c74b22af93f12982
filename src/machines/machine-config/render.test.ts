import { expect, test } from 'vitest';
import { configObject, filesConfig, poolObject } from '../../../test/support/pool-cluster.ts';
import { parseMachineConfig, parseMachineConfigPool } from '../../api/index.ts';
import type { JsonObject } from '../../base/index.ts';
import { configurationOf, isIntact, renderConfig } from './render.ts';

const pool = parseMachineConfigPool({ ...poolObject('worker'), metadata: { name: 'worker', uid: 'u' } });
const versions = { controller: '1.0.0', release: '4.1.0' };
const config = (name: string, spec: JsonObject, role = 'worker') => parseMachineConfig(configObject(name, role, spec));
const render = (...configs: readonly ReturnType<typeof config>[]) => renderConfig(pool, configs, versions);

test('the name depends on the content alone', () => {
  const files = { config: filesConfig({ '/etc/a': 'x', '/etc/b': 'y' }) };
  const name = render(config('a', files)).metadata.name;
  expect(name).toMatch(/^rendered-worker-[0-9a-f]{32}$/);
  expect(render(config('other', files)).metadata.name).toBe(name);
  expect(render(config('a', { config: filesConfig({ '/etc/a': 'x', '/etc/b': 'z' }) })).metadata.name).not.toBe(name);
});

test('content that was changed is noticed', () => {
  const rendered = render(config('a', { kernelArguments: ['a'] }));
  expect(isIntact(parseMachineConfig(rendered))).toBe(true);
  const changed = { ...rendered, spec: { ...(rendered['spec'] as JsonObject), kernelArguments: ['b'] } };
  expect(isIntact(parseMachineConfig(changed))).toBe(false);
});

test('configurations of other roles win over those of workers, whatever their names', () => {
  const [worker, infra] = [config('99-w', { osImageURL: 'w' }), config('00-i', { osImageURL: 'i' }, 'infra')];
  expect(render(worker, infra)['spec']).toMatchObject({ osImageURL: 'i' });
  expect(configurationOf('r', [infra, worker])['source']).toMatchObject([{ name: '99-w' }, { name: '00-i' }]);
});

test('a configuration that is too large for an object is refused', () => {
  const half = 'x'.repeat(700_000);
  const configs = ['a', 'b'].map((name) => config(name, { config: filesConfig({ [`/etc/${name}`]: half }) }));
  expect(() => render(...configs)).toThrow(/^the merged configuration has \d+ bytes, at most 1048576 are possible/);
});

test('configurations of more files than a node can have are refused before they are merged', () => {
  const configs = Array.from({ length: 200 }, (_, index) =>
    config(`c${index}`, {
      config: filesConfig(Object.fromEntries(Array.from({ length: 500 }, (__, file) => [`/etc/${index}-${file}`, '']))),
    }),
  );
  expect(() => render(...configs)).toThrow('more than 10000 files and units');
});

test('thousands of configurations are merged in little time', () => {
  const configs = Array.from({ length: 2000 }, (_, index) =>
    config(`c${index}`, { config: filesConfig({ [`/etc/${index % 50}`]: String(index) }) }),
  );
  expect(render(...configs)['spec']).toMatchObject({ kernelType: 'default' });
});
