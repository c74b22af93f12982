import { catalogNameLabel } from '../../src/api/index.ts';
import { type JsonObject, objectAt, textAt } from '../../src/base/index.ts';
import { type AdmissionResult, allowed } from './rule.ts';

function escaped(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}

/** A ClusterCatalog has its name as a label, for selectors; any other value is replaced. */
export function catalogNameLabelled(catalog: JsonObject): AdmissionResult {
  const metadata = objectAt(catalog, 'metadata');
  const name = textAt(metadata, 'name');
  const labels = objectAt(metadata, 'labels');
  // A name that the API server makes is made after this; the finalizer comes by an update.
  if (name === '' || textAt(labels, catalogNameLabel) === name) return allowed;
  const change =
    labels === undefined
      ? { op: 'add', path: '/metadata/labels', value: { [catalogNameLabel]: name } }
      : { op: 'add', path: `/metadata/labels/${escaped(catalogNameLabel)}`, value: name };
  return { ...allowed, patch: [change] };
}
