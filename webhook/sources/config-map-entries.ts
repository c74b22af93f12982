import type { BundleSource } from '../../src/api/index.ts';
import { type AdmissionResult, allowed, denyAsRukPak } from '../review/result.ts';
import type { SourceFacts } from './facts.ts';
import { leavesRoot } from './path.ts';

type Entry = NonNullable<BundleSource['configMaps']>[number];

function problemsOf(entry: Entry, index: number, facts: SourceFacts): string[] {
  const place = `bundle.spec.source.configmaps[${index}]`;
  const { path = '', configMap } = entry;
  const ofPath = leavesRoot(path) ? [`${place}.path is invalid: "${path}" is outside bundle root`] : [];
  const name = configMap.name ?? '';
  if (facts.configMaps.get(name) !== false) return ofPath;
  return [...ofPath, `${place}.configmap.name is invalid: configmap "${name}" is not immutable`];
}

/** Each entry stays inside the bundle and names a ConfigMap that cannot change; one that is not there yet is accepted. */
export function configMapEntries(source: BundleSource, facts: SourceFacts): AdmissionResult {
  if (source.type !== 'configMaps') return allowed;
  const problems = new Set((source.configMaps ?? []).flatMap((entry, index) => problemsOf(entry, index, facts)));
  if (problems.size === 0) return allowed;
  const texts = [...problems];
  return denyAsRukPak(texts.length === 1 ? texts.join('') : `[${texts.join(', ')}]`);
}
