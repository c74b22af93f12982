import {
  goQuote,
  isJsonEqual,
  isTrueAt,
  type JsonObject,
  objectAt,
  objectsAt,
  textAt,
  valueAt,
} from '../../../src/base/index.ts';
import {
  dns1035LabelProblems,
  duplicateField,
  type FieldError,
  invalidField,
  type PatternBudget,
  PlainText,
  requiredField,
  tooManyField,
} from '../../../src/schema/index.ts';
import { followFieldPath } from './field-path.ts';
import { schemaErrors, schemaOf } from './schema-rules.ts';
import { structureProblem } from './structural.ts';

const columnTypes = ['boolean', 'date', 'integer', 'number', 'string'];
const columnFormats = 'byte,date,date-time,double,float,int32,int64,password';
const maxSelectable = 8;

function pathErrors(path: string, field: string): FieldError[] {
  return path.startsWith('.') ? [] : [invalidField(field, path, 'must be a simple json path starting with .')];
}

function columnErrors(column: JsonObject, field: string): FieldError[] {
  const errors: FieldError[] = [];
  const [type, format, path] = [textAt(column, 'type'), textAt(column, 'format'), textAt(column, 'jsonPath')];
  if (textAt(column, 'name') === '') errors.push(requiredField(`${field}.name`));
  const rule = `must be one of ${columnTypes.join(',')}`;
  if (type === '') errors.push(requiredField(`${field}.type`, rule));
  else if (!columnTypes.includes(type)) errors.push(invalidField(`${field}.type`, type, rule));
  if (format !== '' && !columnFormats.split(',').includes(format)) {
    errors.push(invalidField(`${field}.format`, format, `must be one of ${columnFormats}`));
  }
  if (path === '') return [...errors, requiredField(`${field}.JSONPath`)];
  return [...errors, ...pathErrors(path, `${field}.JSONPath`)];
}

function replicasPathErrors(path: string, field: string, root: '.spec' | '.status'): FieldError[] {
  if (path === '') return [requiredField(field)];
  if (!path.startsWith('.')) return pathErrors(path, field);
  return path.startsWith(`${root}.`) ? [] : [invalidField(field, path, `should be a json path under ${root}`)];
}

function scaleErrors(scale: JsonObject | undefined, field: string): FieldError[] {
  if (scale === undefined) return [];
  const errors = [
    ...replicasPathErrors(textAt(scale, 'specReplicasPath'), `${field}.specReplicasPath`, '.spec'),
    ...replicasPathErrors(textAt(scale, 'statusReplicasPath'), `${field}.statusReplicasPath`, '.status'),
  ];
  const selector = textAt(scale, 'labelSelectorPath');
  const selectorField = `${field}.labelSelectorPath`;
  if (selector === '' || selector.startsWith('.spec.') || selector.startsWith('.status.')) return errors;
  if (!selector.startsWith('.')) return [...errors, ...pathErrors(selector, selectorField)];
  return [...errors, invalidField(selectorField, selector, 'should be a json path under either .spec or .status')];
}

function selectableErrors(fields: readonly JsonObject[], schema: JsonObject, field: string): FieldError[] {
  const seen = new Set<string>();
  const errors = fields.flatMap((selectable, index) => {
    const path = textAt(selectable, 'jsonPath');
    const at = `${field}[${index}].jsonPath`;
    if (path === '') return [requiredField(at)];
    const found = followFieldPath(path, schema, { hasBrackets: false });
    if ('problem' in found) return [invalidField(at, path, `is an invalid path: ${found.problem}`)];
    return selectablePathErrors({ path, at, ...found }, seen);
  });
  return seen.size > maxSelectable ? [...errors, tooManyField(field, seen.size, maxSelectable)] : errors;
}

function selectablePathErrors(
  { path, at, names, node }: { path: string; at: string; names: readonly string[]; node: JsonObject },
  seen: Set<string>,
): FieldError[] {
  const errors: FieldError[] = [];
  if (names[0] === 'metadata') errors.push(invalidField(at, path, 'must not point to fields in metadata'));
  if (!['string', 'boolean', 'integer'].includes(textAt(node, 'type'))) {
    const rule =
      'must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.';
    errors.push(invalidField(at, path, rule));
  }
  const key = names.join('.');
  if (seen.has(key)) errors.push(duplicateField(at, path));
  seen.add(key);
  return errors;
}

function warningProblems(version: JsonObject): string[] {
  const warning = valueAt(version, 'deprecationWarning');
  if (typeof warning !== 'string') return [];
  if (!isTrueAt(version, 'deprecated')) return ['can only be set for deprecated versions'];
  const problems: string[] = [];
  if (Buffer.byteLength(warning) > 256) problems.push('must be <= 256 characters long');
  if (warning === '') problems.push('must not be an empty string');
  const odd = /[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/u.exec(warning);
  if (odd !== null) {
    const index = Buffer.byteLength(warning.slice(0, odd.index));
    problems.push(`must only contain printable UTF-8 characters; non-printable character found at index ${index}`);
  }
  return problems;
}

const parts = ['schema', 'subresources', 'additionalPrinterColumns', 'selectableFields'] as const;
type Part = (typeof parts)[number];

/** The parts that all versions have alike: kube-apiserver speaks of them as if they stood at the top. */
function sharedParts(versions: readonly JsonObject[]): ReadonlySet<Part> {
  const isShared = (part: Part): boolean =>
    versions.every((version) => isJsonEqual(valueAt(version, part) ?? null, valueAt(versions[0], part) ?? null));
  return new Set(parts.filter(isShared));
}

interface Level {
  readonly path: string;
  readonly schemaPath: string;
  readonly hasStatus: boolean;
  readonly patterns: PatternBudget;
}

function partErrors(
  version: JsonObject,
  has: (part: Part) => boolean,
  { path, schemaPath, hasStatus, patterns }: Level,
): FieldError[] {
  const errors: FieldError[] = [];
  const schema = schemaOf(version);
  if (has('schema') && schema !== undefined) {
    errors.push(...schemaErrors(schema, { path: `${schemaPath}.openAPIV3Schema`, hasStatus, patterns }));
  }
  const scale = has('subresources') ? objectAt(version, 'subresources', 'scale') : undefined;
  errors.push(...scaleErrors(scale, `${path}.subresources.scale`));
  const columns = has('additionalPrinterColumns') ? objectsAt(version, 'additionalPrinterColumns') : [];
  columns.forEach((column, index) =>
    errors.push(...columnErrors(column, `${path}.additionalPrinterColumns[${index}]`)),
  );
  const selectable = has('selectableFields') ? objectsAt(version, 'selectableFields') : [];
  return selectable.length === 0 ? errors : [...errors, ...selectableSetErrors(version, selectable, { path, has })];
}

function selectableSetErrors(
  version: JsonObject,
  selectable: readonly JsonObject[],
  { path, has }: { readonly path: string; readonly has: (part: Part) => boolean },
): FieldError[] {
  const field = `${path}.selectableFields`;
  const schema = has('schema') ? schemaOf(version) : undefined;
  if (schema === undefined) {
    const rule =
      path === 'spec'
        ? 'selectableFields may only be set when validations.schema is included'
        : 'selectableFields may only be set when version.schema.openAPIV3Schema is not included';
    return [invalidField(field, '', rule)];
  }
  const problem = structureProblem(schema);
  if (problem !== undefined) return [invalidField(`${path}.schema.openAPIV3Schema`, '', problem)];
  return selectableErrors(selectable, schema, field);
}

function hasStatus(version: JsonObject): boolean {
  return objectAt(version, 'subresources', 'status') !== undefined;
}

/** Errors of each version by itself: name, deprecation, and the parts in which it differs from others. */
export function ownVersionErrors(versions: readonly JsonObject[], patterns: PatternBudget): FieldError[] {
  const shared = sharedParts(versions);
  return versions.flatMap((version, index) => {
    const path = `spec.versions[${index}]`;
    const name = textAt(version, 'name');
    const problems = dns1035LabelProblems(name);
    const level = {
      path,
      schemaPath: `${path}.schema`,
      hasStatus: hasStatus(shared.has('subresources') ? (versions[0] ?? {}) : version),
      patterns,
    };
    return [
      ...(problems.length === 0 ? [] : [invalidField(`${path}.name`, name, problems.join(','))]),
      ...warningProblems(version).map((problem) =>
        invalidField(`${path}.deprecationWarning`, textAt(version, 'deprecationWarning'), problem),
      ),
      ...partErrors(version, (part) => !shared.has(part), level),
    ];
  });
}

/** Errors of the parts that all versions have alike. */
export function sharedVersionErrors(versions: readonly JsonObject[], patterns: PatternBudget): FieldError[] {
  const [first] = versions;
  if (first === undefined) return [];
  const shared = sharedParts(versions);
  const level = { path: 'spec', schemaPath: 'spec.validation', hasStatus: versions.some(hasStatus), patterns };
  return partErrors(first, (part) => shared.has(part), level);
}

/** kube-apiserver prints its own structs here. */
function shown(versions: readonly JsonObject[]): PlainText {
  return new PlainText(
    `[]apiextensions.CustomResourceDefinitionVersion{${versions.map((version) => `apiextensions.CustomResourceDefinitionVersion{Name:${goQuote(textAt(version, 'name'))}}`).join(', ')}}`,
  );
}

/** Errors of the versions as a set. */
export function versionSetErrors(versions: readonly JsonObject[]): FieldError[] {
  const errors: FieldError[] = [];
  const names = versions.map((version) => textAt(version, 'name'));
  const field = 'spec.versions';
  if (new Set(names).size < names.length) {
    errors.push(invalidField(field, shown(versions), 'must contain unique version names'));
  }
  if (versions.filter((version) => isTrueAt(version, 'storage')).length !== 1) {
    errors.push(invalidField(field, shown(versions), 'must have exactly one version marked as storage version'));
  }
  const [first = ''] = names;
  const problems = first === '' ? [] : dns1035LabelProblems(first);
  return problems.length === 0 ? errors : [...errors, invalidField('spec.version', first, problems.join(','))];
}
