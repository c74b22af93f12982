import { type JsonObject, type JsonValue, nearest, objectsAt } from '../../base/index.ts';
import { readDependencies, readRequiredProperties } from '../../constraints/index.ts';
import { type DecodedMeta, type DecodedProperty, documentShapes, entryShape, type KnownSchema } from './decode.ts';
import type { CatalogRule } from './finding.ts';
import { fieldNames, unknownKeys } from './go-shape.ts';
import { iconFault } from './icon.ts';
import { propertyFault } from './property-shapes.ts';

/** Something about one document that is legal and yet probably a mistake. */
export interface DocumentWarning {
  readonly rule: CatalogRule;
  readonly message: string;
  readonly advice?: string;
}

const knownTypes = [
  'olm.package',
  'olm.gvk',
  'olm.package.required',
  'olm.gvk.required',
  'olm.constraint',
  'olm.bundle.object',
  'olm.csv.metadata',
  'olm.label',
  'olm.label.required',
  'olm.deprecated',
  'olm.channel',
  'olm.maxOpenShiftVersion',
  'olm.substitutesFor',
];
/** Known names that are no property: what they are instead. */
const elsewhere: ReadonlyMap<string, string> = new Map([
  ['olm.skiprange', 'a range is the field skipRange of an entry of a channel'],
  ['olm.deprecations', 'deprecations are a document of their own'],
  ['olm.bundle', 'a bundle is a document of its own'],
]);

function typeWarning(type: string): DocumentWarning | undefined {
  if (!/^olm\./i.test(type) || knownTypes.includes(type)) return undefined;
  const place = elsewhere.get(type.toLowerCase());
  const message = `property type ${JSON.stringify(type)} means nothing to anyone`;
  if (place !== undefined) return { rule: 'typo', message, advice: place };
  const meant = knownTypes.find((known) => known.toLowerCase() === type.toLowerCase()) ?? nearest(type, knownTypes);
  return meant === undefined ? undefined : { rule: 'typo', message, advice: `did you mean ${meant}?` };
}

/** Without the place that the reader puts first. */
function bare(problems: readonly string[]): string | undefined {
  return problems[0]?.replace(/^\[0\]: /, '');
}

/** Reports what is wrong with a value that decodes. */
type ValueRule = (value: JsonValue) => string | undefined;

const required =
  (type: string): ValueRule =>
  (value) =>
    bare(readRequiredProperties('', [{ type, value }]).problems);
const label: ValueRule = (value) => bare(readDependencies('', [{ type: 'olm.label', value }]).problems);

const valueRules: ReadonlyMap<string, ValueRule> = new Map([
  ['olm.gvk', required('olm.gvk.required')],
  ['olm.gvk.required', required('olm.gvk.required')],
  ['olm.package.required', required('olm.package.required')],
  ['olm.constraint', required('olm.constraint')],
  ['olm.label', label],
  ['olm.label.required', label],
]);

function propertyProblem(property: DecodedProperty): string | undefined {
  if (property.type === '') return 'type must be set';
  const rule = valueRules.get(property.type);
  // What does not even decode, or is not there, is an error already.
  if (rule === undefined || propertyFault(property) !== undefined) return undefined;
  return rule(property.value ?? null);
}

/** The rest of a document is not validated: the first problems are enough to fix it. */
const maxChecked = 1_000;
const maxUnknownFields = 20;

const atMostOne = ['olm.csv.metadata', 'olm.deprecated'];

function* propertyWarnings(properties: readonly DecodedProperty[]): Iterable<DocumentWarning> {
  for (const [index, property] of properties.slice(0, maxChecked).entries()) {
    const typo = typeWarning(property.type);
    if (typo !== undefined) yield typo;
    const problem = propertyProblem(property);
    if (problem === undefined) continue;
    const type = JSON.stringify(property.type);
    yield { rule: 'property', message: `property[${index}] of type ${type}: ${problem}` };
  }
  for (const type of atMostOne) {
    const found = properties.filter((property) => property.type === type).length;
    if (found < 2) continue;
    yield { rule: 'property', message: `expected at most 1 property of type ${JSON.stringify(type)}, found ${found}` };
  }
}

function* fieldWarnings(schema: KnownSchema, value: JsonObject): Iterable<DocumentWarning> {
  const parts = [{ shape: documentShapes[schema], object: value, where: '' }];
  if (schema === 'olm.channel') {
    for (const [index, object] of objectsAt(value, 'entries').slice(0, maxChecked).entries()) {
      parts.push({ shape: entryShape, object, where: `entries[${index}].` });
    }
  }
  for (const { shape, object, where } of parts) {
    for (const key of unknownKeys(shape, object).slice(0, maxUnknownFields)) {
      const meant = nearest(key, fieldNames(shape));
      yield {
        rule: 'typo',
        message: `${schema} has no field ${JSON.stringify(`${where}${key}`)}: it is left out`,
        ...(meant === undefined ? {} : { advice: `did you mean ${meant}?` }),
      };
    }
  }
}

/** What is probably a mistake in a document of a known schema. */
export function* documentWarnings(document: DecodedMeta, value: JsonObject): Iterable<DocumentWarning> {
  yield* fieldWarnings(document.schema, value);
  if (document.schema === 'olm.deprecations') return;
  yield* propertyWarnings(document.properties);
  if (document.schema !== 'olm.package' || document.icon === undefined) return;
  const fault = iconFault(document.icon);
  if (fault !== undefined) yield { rule: 'icon', message: fault };
}

const knownSchemas: readonly KnownSchema[] = ['olm.package', 'olm.channel', 'olm.bundle', 'olm.deprecations'];

/** An unknown schema, spelled almost like a known one. */
export function schemaWarning(schema: string): DocumentWarning | undefined {
  if (!/^olm[.]?/i.test(schema)) return undefined;
  const meant = nearest(schema.toLowerCase(), knownSchemas);
  if (meant === undefined) return undefined;
  const message = `schema ${JSON.stringify(schema)} is unknown: the document is retained and ignored`;
  return { rule: 'typo', message, advice: `did you mean ${meant}?` };
}
