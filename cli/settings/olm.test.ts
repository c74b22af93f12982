import { expect, test } from 'vitest';
import { parseOptions } from '../command/options.ts';
import { readConfig, upOptions } from './up.ts';

test.each<[readonly string[], boolean]>([
  [[], true],
  [['--no-olm'], false],
  [['--cluster', 'kubeconfig'], false],
  [['--cluster', 'kubeconfig', '--olm'], true],
])('whether up %j runs Operator Lifecycle Manager: %j', (args, isRun) => {
  const { olm } = readConfig(parseOptions(upOptions, args, {}).values);
  expect(olm !== undefined).toBe(isRun);
  if (isRun) expect(olm?.globalCatalogNamespace).toBe('olm');
});
