import { catalogNameLabel as labelKey } from '../../src/api/index.ts';
import { type JsonObject, objectAt, textAt } from '../../src/base/index.ts';
import { type AdmissionResult, allowed } from '../review/result.ts';

/** As a part of a JSON pointer. */
function escaped(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}

/** A ClusterCatalog has its name as a label, for selectors; any other value is replaced. */
export function catalogNameLabel(catalog: JsonObject): AdmissionResult {
  const metadata = objectAt(catalog, 'metadata');
  const name = textAt(metadata, 'name');
  const labels = objectAt(metadata, 'labels');
  // The API server generates a name after this; the label then comes with the update that sets the finalizer.
  if (name === '' || textAt(labels, labelKey) === name) return allowed;
  const change =
    labels === undefined
      ? { op: 'add', path: '/metadata/labels', value: { [labelKey]: name } }
      : { op: 'add', path: `/metadata/labels/${escaped(labelKey)}`, value: name };
  return { ...allowed, patch: [change] };
}
