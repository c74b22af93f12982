import type { JsonObject } from '../../../src/base/index.ts';
import { bundle, catalogOf, extension, packageDocuments, settled } from '../objects.ts';
import type { Scenario } from '../scenario.ts';

const provided = { group: 'base.example', version: 'v1', kind: 'Base' };
const baseFiles = Object.fromEntries(
  Object.entries(bundle('1.0.0', { packageName: 'base' })).map(([path, text]) => [
    path,
    text.replaceAll('acme-widget', 'acme-base'),
  ]),
);
const bundles = { '1.0.0': bundle('1.0.0'), base: baseFiles };
const base = packageDocuments({
  name: 'base',
  channels: { stable: ['1.0.0'] },
  images: { '1.0.0': 'base' },
  properties: { '1.0.0': [{ type: 'olm.gvk', value: provided }] },
});

function needing(id: string, title: string, property: JsonObject): Scenario {
  const tide = packageDocuments({ channels: { stable: ['1.0.0'] }, properties: { '1.0.0': [property] } });
  return {
    id,
    title,
    bundles,
    actions: [
      { publish: 'shop', catalog: { documents: [...tide, ...base] } },
      { apply: extension() },
      { rest: 'asked', until: ['Progressing'] },
    ],
  };
}

export const scenarios: readonly Scenario[] = [
  needing('N01', 'a bundle requires a package', {
    type: 'olm.package.required',
    value: { packageName: 'base', versionRange: '>=1.0.0' },
  }),
  needing('N02', 'a bundle requires an API', { type: 'olm.gvk.required', value: provided }),
  needing('N03', 'a bundle has a constraint', {
    type: 'olm.constraint',
    value: { failureMessage: 'base is needed', package: { packageName: 'base', versionRange: '>=1.0.0' } },
  }),
  needing('N04', 'a bundle requires a package that no catalog has', {
    type: 'olm.package.required',
    value: { packageName: 'nowhere', versionRange: '>=1.0.0' },
  }),
  {
    id: 'N05',
    title: 'a bundle with properties that are no requirements',
    bundles,
    actions: [
      {
        publish: 'shop',
        catalog: catalogOf({
          channels: { stable: ['1.0.0'] },
          properties: {
            '1.0.0': [
              { type: 'olm.gvk', value: provided },
              { type: 'olm.maxOpenShiftVersion', value: '4.8' },
            ],
          },
        }),
      },
      { apply: extension() },
      { rest: 'asked', until: settled },
    ],
  },
];
