import type { BundleSource } from '../../api/index.ts';
import { type ConfigMapFacts, denyAsRukPak, noInputs, type SourceDefinition, type SourceRule } from './definition.ts';
import { leavesRoot } from './leaves-root.ts';

type Entry = NonNullable<BundleSource['configMaps']>[number];

function problemsOf(entry: Entry, index: number, facts: ConfigMapFacts): string[] {
  const place = `bundle.spec.source.configmaps[${index}]`;
  const { path = '', configMap } = entry;
  const ofPath = leavesRoot(path) ? [`${place}.path is invalid: "${path}" is outside bundle root`] : [];
  const name = configMap.name ?? '';
  if (facts.configMaps.get(name) !== false) return ofPath;
  return [...ofPath, `${place}.configmap.name is invalid: configmap "${name}" is not immutable`];
}

/** Each entry stays inside the bundle and names a ConfigMap that cannot change; one that does not exist yet is accepted. */
const configMapEntries: SourceRule = ({ configMaps = [] }, facts) => {
  const texts = [...new Set(configMaps.flatMap((entry, index) => problemsOf(entry, index, facts)))];
  if (texts.length === 0) return [];
  return denyAsRukPak(texts.length === 1 ? texts.join('') : `[${texts.join(', ')}]`);
};

/** The list of ConfigMaps is not empty. */
const member: SourceRule = ({ configMaps }) => {
  if (Array.isArray(configMaps) && configMaps.length > 0) return [];
  return denyAsRukPak('bundle.spec.source.configmaps must be set for source type "configmaps"');
};

export const configMapsDefinition: SourceDefinition<'configMaps'> = {
  type: 'configMaps',
  address: () => undefined,
  inputs: {
    ...noInputs,
    configMapNames: ({ configMaps = [] }) => [...new Set(configMaps.map(({ configMap }) => configMap.name ?? ''))],
  },
  // The ConfigMaps are immutable.
  pin: (source) => source,
  describe: ({ configMaps = [] }) => ({
    source: `configMaps ${configMaps.map(({ configMap }) => configMap.name).join(', ')}`,
  }),
  rules: { 'source-member': member, 'config-map-entries': configMapEntries },
};
