import { objectAt, textAt, valueAt } from '../../base/index.ts';
import type { ManifestObject } from '../bundle.ts';
import type { Check, CheckContext, Hit } from '../check.ts';
import { ofCsv, placeIn } from './csv-view.ts';

const levels = ['Basic Install', 'Seamless Upgrades', 'Full Lifecycle', 'Deep Insights', 'Auto Pilot'];

const standardCategories = [
  'AI/Machine Learning',
  'Application Runtime',
  'Big Data',
  'Cloud Provider',
  'Developer Tools',
  'Database',
  'Integration & Delivery',
  'Logging & Tracing',
  'Monitoring',
  'Modernization & Migration',
  'Networking',
  'Observability',
  'OpenShift Optional',
  'Security',
  'Storage',
  'Streaming & Messaging',
];

/** Undefined when absent. */
function annotation({ object }: ManifestObject, key: string): string | undefined {
  const annotations = objectAt(object, 'metadata', 'annotations');
  return valueAt(annotations, key) === undefined ? undefined : textAt(annotations, key);
}

function* capabilities(csv: ManifestObject): Iterable<Hit> {
  const level = annotation(csv, 'capabilities');
  if (level === undefined || levels.includes(level)) return;
  yield {
    message: `csv.Metadata.Annotations.Capabilities ${JSON.stringify(level)} is not a valid capabilities level`,
    place: placeIn(csv, 'metadata', 'annotations', 'capabilities'),
  };
}

function* categories(csv: ManifestObject, own: readonly string[] | undefined): Iterable<Hit> {
  const known = own ?? standardCategories;
  for (const category of annotation(csv, 'categories')?.split(',') ?? []) {
    if (known.includes(category.trim())) continue;
    const set = own === undefined ? 'standard' : 'custom';
    yield {
      message: `csv.Metadata.Annotations["categories"] value ${JSON.stringify(category)} is not in the set of ${set} categories`,
      place: placeIn(csv, 'metadata', 'annotations', 'categories'),
      ...(own === undefined ? {} : { whatToDo: `Use one of ${own.join(', ')}.` }),
    };
  }
}

/** Words that catalogues sort operators by. @see docs/spec/bundle-format.md#capabilities, docs/spec/bundle-format.md#categories */
export const catalogWordChecks: readonly Check[] = [
  {
    id: 'CAP1',
    suite: 'capabilities',
    stage: 'optional',
    severity: 'error',
    title: 'the annotation capabilities does not name a level',
    whatToDo: `Use one of ${levels.join(', ')}.`,
    find: ofCsv(({ csv }) => capabilities(csv)),
  },
  {
    id: 'CAT1',
    suite: 'categories',
    stage: 'optional',
    severity: 'error',
    title: 'the annotation categories names an unknown category',
    whatToDo: `Use one of ${standardCategories.join(', ')}.`,
    find: (bundle, context: CheckContext) => ofCsv(({ csv }) => categories(csv, context.categories))(bundle),
  },
];
