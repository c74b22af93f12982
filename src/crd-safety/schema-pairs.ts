import type { Schema } from '../schema/index.ts';
import { canonicalText } from './wording.ts';

/** The two sides of one place in a schema; `after` is undefined where the place was removed. */
export interface SchemaPair {
  /** `^` is the root: `^.spec.list.items`, `^.spec.labels.additionalProperties`, `^.spec.oneOf[0]`. */
  readonly path: string;
  readonly before: Schema;
  readonly after: Schema | undefined;
  /** A field, and not a branch of `allOf`, `anyOf`, `oneOf` or `not`. */
  readonly isField: boolean;
}

interface Place {
  readonly path: string;
  readonly isField: boolean;
  /** Whether unknown fields were preserved: then a new field constrains old values. */
  readonly isOpen: boolean;
}

const text: Schema = { type: 'string' };
const impliedMetadata: Schema = { type: 'object', properties: { name: text, generateName: text } };

/** Fields that every object has, whether or not its schema declares them. */
function withImplied(schema: Schema): Schema {
  const { metadata = {}, ...properties } = schema.properties ?? {};
  const known: Schema = { ...metadata, properties: { ...impliedMetadata.properties, ...metadata.properties } };
  return {
    ...schema,
    properties: { apiVersion: text, kind: text, ...properties, metadata: { ...impliedMetadata, ...known } },
  };
}

function isOpen(schema: Schema): boolean {
  const { additionalProperties = false } = schema;
  return schema['x-kubernetes-preserve-unknown-fields'] === true || additionalProperties !== false;
}

function mapValues({ additionalProperties }: Schema): Schema | undefined {
  return typeof additionalProperties === 'object' ? additionalProperties : undefined;
}

/** The schemas right below `schema`, by what is added to its path. */
function fieldsOf(schema: Schema): Map<string, Schema> {
  return new Map(Object.entries(schema.properties ?? {}).map(([name, field]) => [`.${name}`, field]));
}

function contentOf(schema: Schema): Map<string, Schema> {
  const content = new Map<string, Schema>();
  if (schema.items !== undefined) content.set('.items', schema.items);
  const values = mapValues(schema);
  if (values !== undefined) content.set('.additionalProperties', values);
  return content;
}

function branchesOf(schema: Schema): Map<string, Schema> {
  const branches = new Map<string, Schema>();
  for (const kind of ['allOf', 'anyOf', 'oneOf'] as const) {
    for (const [index, branch] of (schema[kind] ?? []).entries()) branches.set(`.${kind}[${index}]`, branch);
  }
  if (schema.not !== undefined) branches.set('.not', schema.not);
  return branches;
}

/** The branches of a schema as text, whatever order they are in. */
function branchTexts(schema: Schema): string {
  const texts = [...branchesOf(schema)].map(([step, branch]) => `${step.replace(/\d+/, '')} ${canonicalText(branch)}`);
  return texts.toSorted().join('\n');
}

type Children = ReadonlyMap<string, Schema>;

class Pairing {
  readonly pairs: SchemaPair[] = [];

  visit(before: Schema, after: Schema | undefined, place: Place): void {
    const isObject = place.path === '^' || before['x-kubernetes-embedded-resource'] === true;
    const [left, right] = isObject ? [withImplied(before), after && withImplied(after)] : [before, after];
    this.pairs.push({ path: place.path, before: left, after: right, isField: place.isField });
    const isPreserved = place.isOpen || isOpen(left);
    const now = right ?? {};
    this.#descend(fieldsOf(left), fieldsOf(now), { ...place, isOpen: isPreserved });
    this.#descend(contentOf(left), contentOf(now), { ...place, isOpen: isPreserved });
    if (branchTexts(left) === branchTexts(now)) return;
    this.#descend(branchesOf(left), branchesOf(now), { ...place, isField: false, isOpen: false });
  }

  #descend(before: Children, after: Children, { path, isField, isOpen: isPreserved }: Place): void {
    for (const [step, child] of before) {
      this.visit(child, after.get(step), { path: `${path}${step}`, isField, isOpen: false });
    }
    if (!isPreserved) return;
    for (const [step, child] of after) {
      if (!before.has(step)) this.visit({}, child, { path: `${path}${step}`, isField, isOpen: true });
    }
  }
}

/** Every place of the old schema paired with that of the new one. Places that are new are left out, but for those where
 *  values were preserved before without validation: these are paired with an empty schema. */
export function pairSchemas(before: Schema, after: Schema): readonly SchemaPair[] {
  const pairing = new Pairing();
  pairing.visit(before, after, { path: '^', isField: true, isOpen: false });
  return pairing.pairs;
}
