import {
  errorMessage,
  type FieldPath,
  isJsonObject,
  type JsonObject,
  objectAt,
  parseJson,
  type TextPosition,
  textAt,
  valueAt,
  YamlPositions,
} from '../../base/index.ts';
import { asCurrentDefinition } from '../../formats/index.ts';
import type { BundleUnderCheck } from '../bundle.ts';
import type { Check, CheckContext, Hit } from '../check.ts';
import { apiServiceParts, apiText, crdParts, csvHit, placeIn } from '../csv-parts.ts';
import { parseField } from '../field-path.ts';
import { jsonFaultOffset } from '../json-fault.ts';

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
  readonly problem?: { readonly message: string; readonly position?: TextPosition };
  readonly list: readonly JsonObject[];
}

function syntaxProblem(text: string): NonNullable<Examples['problem']> {
  const offset = jsonFaultOffset(text.slice(0, maxScanned));
  const shown = text.slice(Math.max(0, offset - maxShown), offset);
  // The offset counts the character that is wrong.
  const lines = text.slice(0, Math.max(0, offset - 1)).split('\n');
  return {
    message: `Value invalid character at ${offset}\n ${shown}<--(see the invalid character): invalid example`,
    position: { line: lines.length, column: (lines.at(-1) ?? '').length + 1 },
  };
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
      problem: isSyntax ? syntaxProblem(text) : { message: `Value ${errorMessage(thrown)}: invalid example` },
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

/** A hit at a place in the JSON of the examples: line for line where the annotation is written as a block, else at the annotation. */
function textHit(bundle: BundleUnderCheck, { path }: Examples, hit: Located): Hit {
  const { message, position } = hit;
  if (bundle.csv === undefined) return { message };
  const { file, document, path: root } = bundle.csv;
  const found = position && file.positions.findInBlock(document, [...root, ...path], position);
  return { message, place: { ...placeIn(bundle.csv, path), ...found } };
}

interface Located {
  readonly message: string;
  readonly position?: TextPosition | undefined;
}

function exampleHits(bundle: BundleUnderCheck, isSyntax: boolean): readonly Hit[] {
  const found = examplesOf(bundle);
  if (found?.problem === undefined) return [];
  const { problem } = found;
  return problem.message.endsWith(': invalid example') === isSyntax ? [textHit(bundle, found, problem)] : [];
}

function keyOf(example: JsonObject): string {
  const [first = '', second] = textAt(example, 'apiVersion').split('/');
  const [group, version] = second === undefined ? ['', first] : [first, second];
  return apiText({ group, version, kind: textAt(example, 'kind') });
}

/** Owned APIs by key. CRDs whose name has no group are reported by CSV8. @see docs/spec/bundle-format.md#csv8 */
function ownedKeys(bundle: BundleUnderCheck): readonly string[] {
  const crds = crdParts(bundle, 'owned').filter(({ name }) => name.includes('.'));
  return [...new Set([...crds, ...apiServiceParts(bundle, 'owned')].map((api) => api.key))];
}

function describe(example: JsonObject, index: number): string {
  const name = textAt(objectAt(example, 'metadata'), 'name');
  return `example[${index}] ${textAt(example, 'kind')}${name === '' ? '' : ` "${name}"`}`;
}

/** Findings about an example. */
interface ExampleProblem {
  readonly text: string;
  /** From the list of examples on. */
  readonly path: FieldPath;
}

interface ValidatedExample {
  readonly what: string;
  readonly errors: readonly ExampleProblem[];
  readonly unknownFields: readonly ExampleProblem[];
}

/** Validates examples like an API server; names may be missing, namespaces and status do not count. */
function validateExamples(bundle: BundleUnderCheck, { rules }: CheckContext): readonly ValidatedExample[] {
  for (const crd of bundle.crds) rules.define(asCurrentDefinition(crd.object));
  return (examplesOf(bundle)?.list ?? []).map((example, index) => {
    const metadata = { name: 'example', ...objectAt(example, 'metadata') };
    const { errors, unknownFields } = rules.validate({ ...example, metadata });
    const reported = errors.filter(({ message }) => !message.includes('some validation rules were not checked'));
    const at = (field: string): FieldPath => [index, ...parseField(field)];
    return {
      what: describe(example, index),
      errors: reported.map(({ field, message }) => ({
        text: field === '' ? message : `${field}: ${message}`,
        path: at(field),
      })),
      unknownFields: unknownFields
        .filter((field) => !/^status\b/.test(field))
        .map((field) => ({ text: `unknown field "${field}"`, path: at(field) })),
    };
  });
}

function* validationHits(
  bundle: BundleUnderCheck,
  context: CheckContext,
  pick: (example: ValidatedExample) => readonly ExampleProblem[],
): Iterable<Hit> {
  const found = examplesOf(bundle);
  if (found === undefined || found.list.length === 0) return;
  const positions = new YamlPositions(found.text);
  for (const example of validateExamples(bundle, context)) {
    for (const { text, path } of pick(example).slice(0, maxProblems)) {
      yield textHit(bundle, found, { message: `${example.what}: ${text}`, position: positions.find(0, path) });
    }
  }
}

/** The examples of custom resources. @see docs/spec/bundle-format.md#csv */
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
    title: 'both annotations for examples are set',
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
    title: 'the examples are not JSON',
    whatToDo: 'Fix the JSON where the arrow points.',
    find: (bundle) => exampleHits(bundle, true),
  },
  {
    ...csv,
    id: 'CSV7',
    title: 'the examples are not a list of objects',
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
      if (found === undefined) return;
      const positions = new YamlPositions(found.text);
      for (const [index, example] of found.list.entries()) {
        if (owned.has(keyOf(example))) continue;
        const message = `Value ${keyOf(example)}: example must have a provided API`;
        yield textHit(bundle, found, { message, position: positions.find(0, [index, 'kind']) });
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
    whatToDo: 'Fix the example: users start from it.',
    find: (bundle, context) => validationHits(bundle, context, ({ errors }) => errors),
  },
  {
    ...warning,
    id: 'CSV24',
    title: 'an example has a field that its CRD does not know',
    whatToDo: 'Remove the field, or add it to the schema: the API server drops it.',
    find: (bundle, context) => validationHits(bundle, context, ({ unknownFields }) => unknownFields),
  },
];
