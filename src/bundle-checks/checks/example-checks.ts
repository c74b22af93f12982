import { errorMessage, isJsonObject, type JsonObject, objectAt, parseJson, textAt, valueAt } from '../../base/index.ts';
import type { BundleUnderCheck } from '../bundle.ts';
import type { Check, CheckContext, Hit } from '../check.ts';
import { apiServiceParts, apiText, crdParts, csvHit, csvPlace } from '../csv-parts.ts';
import { jsonFaultOffset } from '../json-fault.ts';
import { asCurrentDefinition } from '../old-definition.ts';

const csv = { suite: 'default', stage: 'csv', severity: 'error' } as const;
const warning = { ...csv, severity: 'warning' } as const;
const [key, oldKey] = ['alm-examples', 'olm.examples'] as const;
const maxShown = 1000;
const maxScanned = 1024 * 1024;
const maxProblems = 20;

function annotationsOf({ csv: object }: BundleUnderCheck): JsonObject {
  return objectAt(object?.object, 'metadata', 'annotations') ?? {};
}

interface Examples {
  readonly path: readonly string[];
  readonly text: string;
  readonly problem?: { readonly message: string };
  readonly list: readonly JsonObject[];
}

function faultMessage(text: string): string {
  const offset = jsonFaultOffset(text.slice(0, maxScanned));
  const shown = text.slice(Math.max(0, offset - maxShown), offset);
  return `Value invalid character at ${offset}\n ${shown}<--(see the invalid character): invalid example`;
}

function readExamples(text: string): Pick<Examples, 'problem' | 'list'> {
  if (text === '') return { list: [] };
  let value: unknown;
  try {
    value = parseJson(key, text);
  } catch (thrown) {
    const isSyntax = (thrown as { reason?: unknown }).reason === 'InvalidJson';
    return {
      list: [],
      problem: { message: isSyntax ? faultMessage(text) : `Value ${errorMessage(thrown)}: invalid example` },
    };
  }
  const decoding = 'error decoding example CustomResource';
  if (!Array.isArray(value)) {
    const found = isJsonObject(value) ? 'object' : typeof value;
    return {
      list: [],
      problem: { message: `Value json: cannot unmarshal ${found} into a list of objects: ${decoding}` },
    };
  }
  const odd = value.findIndex((item) => !isJsonObject(item));
  if (odd < 0) return { list: value as JsonObject[] };
  return { list: [], problem: { message: `Value item ${odd}: expected an object: ${decoding}` } };
}

function examplesOf(bundle: BundleUnderCheck): Examples | undefined {
  const annotations = annotationsOf(bundle);
  const used = [key, oldKey].find((one) => typeof annotations[one] === 'string');
  if (used === undefined) return undefined;
  const text = textAt(annotations, used);
  return { path: ['metadata', 'annotations', used], text, ...readExamples(text) };
}

function exampleHits(bundle: BundleUnderCheck, isSyntax: boolean): readonly Hit[] {
  const found = examplesOf(bundle);
  if (found?.problem === undefined) return [];
  const { message } = found.problem;
  return message.endsWith(': invalid example') === isSyntax ? [csvHit(bundle, found.path, message)] : [];
}

function keyOf(example: JsonObject): string {
  const [first = '', second] = textAt(example, 'apiVersion').split('/');
  const [group, version] = second === undefined ? ['', first] : [first, second];
  return apiText({ group, version, kind: textAt(example, 'kind') });
}

/** Owned APIs by key. CRDs whose name says no group are told by CSV8. */
function ownedKeys(bundle: BundleUnderCheck): readonly string[] {
  const crds = crdParts(bundle, 'owned').filter(({ name }) => name.includes('.'));
  return [...new Set([...crds, ...apiServiceParts(bundle, 'owned')].map((api) => api.key))];
}

function describe(example: JsonObject, index: number): string {
  const name = textAt(objectAt(example, 'metadata'), 'name');
  return `example[${index}] ${textAt(example, 'kind')}${name === '' ? '' : ` "${name}"`}`;
}

interface Judged {
  readonly what: string;
  readonly errors: readonly string[];
  readonly unknownFields: readonly string[];
}

/** Examples as the API server would take them: names may be left out, namespaces and status do not count. */
function judgeExamples(bundle: BundleUnderCheck, { rules }: CheckContext): readonly Judged[] {
  for (const crd of bundle.crds) rules.define(asCurrentDefinition(crd.object));
  return (examplesOf(bundle)?.list ?? []).map((example, index) => {
    const metadata = { name: 'example', ...objectAt(example, 'metadata') };
    const { errors, unknownFields } = rules.judge({ ...example, metadata });
    const said = errors.filter(({ message }) => !message.includes('some validation rules were not checked'));
    const texts = said.map(({ field, message }) => (field === '' ? message : `${field}: ${message}`));
    return {
      what: describe(example, index),
      errors: texts,
      unknownFields: unknownFields.filter((field) => !/^status\b/.test(field)),
    };
  });
}

function* judgedHits(
  bundle: BundleUnderCheck,
  context: CheckContext,
  texts: (judged: Judged) => readonly string[],
): Iterable<Hit> {
  const found = examplesOf(bundle);
  if (found === undefined || found.list.length === 0) return;
  for (const judged of judgeExamples(bundle, context)) {
    for (const text of texts(judged).slice(0, maxProblems)) {
      yield { message: `${judged.what}: ${text}`, place: csvPlace(bundle, found.path) };
    }
  }
}

/** The examples of custom resources. @see bundle-format.md, section 12.1 */
export const exampleChecks: readonly Check[] = [
  {
    ...warning,
    id: 'CSV4',
    title: 'there are no examples',
    whatToDo: 'Add an annotation alm-examples: a JSON list of one custom resource of each owned kind.',
    find: (bundle) => {
      const annotations = annotationsOf(bundle);
      if (Object.keys(annotations).length === 0) return [];
      if (valueAt(annotations, key) !== undefined || valueAt(annotations, oldKey) !== undefined) return [];
      return [csvHit(bundle, ['metadata', 'annotations'], 'example annotations not found')];
    },
  },
  {
    ...warning,
    id: 'CSV5',
    title: 'both names of the annotation with examples are used',
    whatToDo: 'Keep alm-examples.',
    find: (bundle) => {
      const annotations = annotationsOf(bundle);
      if (valueAt(annotations, key) === undefined || valueAt(annotations, oldKey) === undefined) return [];
      const text = 'both `alm-examples` and `olm.examples` are present. Checking only `alm-examples` ';
      return [csvHit(bundle, ['metadata', 'annotations', oldKey], text)];
    },
  },
  {
    ...csv,
    id: 'CSV6',
    title: 'the examples are no JSON',
    whatToDo: 'Mend the JSON where the arrow points.',
    find: (bundle) => exampleHits(bundle, true),
  },
  {
    ...csv,
    id: 'CSV7',
    title: 'the examples are no list of objects',
    whatToDo: 'Put the examples into a JSON list: [{…}, {…}].',
    find: (bundle) => exampleHits(bundle, false),
  },
  {
    ...csv,
    id: 'CSV8',
    title: 'the name of an owned CRD has no dot',
    whatToDo: 'Write the name of the CustomResourceDefinition: <plural>.<group>.',
    *find(bundle) {
      for (const { name, path } of crdParts(bundle, 'owned')) {
        if (name === '' || name.includes('.')) continue;
        yield csvHit(bundle, [...path, 'name'], `: couldn't parse plural.group from crd name: ${name}`);
      }
    },
  },
  {
    ...csv,
    id: 'CSV9',
    title: 'an example is of a kind or version that is not owned',
    whatToDo: 'Write the example for an owned kind and version, or own that one.',
    *find(bundle) {
      const found = examplesOf(bundle);
      const owned = new Set(ownedKeys(bundle));
      for (const example of found?.list ?? []) {
        if (owned.has(keyOf(example))) continue;
        yield csvHit(bundle, found?.path ?? [], `Value ${keyOf(example)}: example must have a provided API`);
      }
    },
  },
  {
    ...warning,
    id: 'CSV10',
    title: 'an owned kind has no example',
    whatToDo: 'Add an example of it to alm-examples.',
    *find(bundle) {
      const found = examplesOf(bundle);
      if (found === undefined || found.problem !== undefined) return;
      const shown = new Set(found.list.map(keyOf));
      for (const owned of ownedKeys(bundle)) {
        if (shown.has(owned)) continue;
        yield csvHit(bundle, found.path, `Value ${owned}: provided API should have an example annotation`);
      }
    },
  },
  {
    ...warning,
    id: 'CSV23',
    title: 'an example would be refused by the API server',
    whatToDo: 'Mend the example: users start from it.',
    find: (bundle, context) => judgedHits(bundle, context, ({ errors }) => errors),
  },
  {
    ...warning,
    id: 'CSV24',
    title: 'an example has a field that its CRD does not know',
    whatToDo: 'Remove the field, or add it to the schema: the API server drops it.',
    find: (bundle, context) =>
      judgedHits(bundle, context, ({ unknownFields }) => unknownFields.map((field) => `unknown field "${field}"`)),
  },
];
