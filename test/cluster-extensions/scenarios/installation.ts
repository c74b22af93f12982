import { bundle, catalogOf, configMap, extension, settled } from '../objects.ts';
import type { Scenario } from '../scenario.ts';

export const scenarios: readonly Scenario[] = [
  {
    id: 'I01',
    title: 'a package is installed at the highest version of its catalog',
    bundles: { '1.0.0': bundle('1.0.0'), '1.1.0': bundle('1.1.0', { extra: [configMap('settings', { a: '1' })] }) },
    actions: [
      { publish: 'shop', catalog: catalogOf({ channels: { stable: ['1.0.0', { version: '1.1.0', replaces: '1.0.0' }] } }) },
      { apply: extension() },
      { rest: 'installed', until: settled },
    ],
  },
];
