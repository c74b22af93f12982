import type { SvgDocument, SvgElement } from './svg-elements.ts';

/** Elements by their ids: a browser takes the first one of an id, unless that changes. */
export type Ids = ReadonlyMap<string, readonly SvgElement[]>;

/** What a property or an attribute refers to. */
export interface Reference {
  readonly id: string;
  /** Whether it counts for everything within an element. */
  readonly isInherited: boolean;
}

/** Characters of style sheets that are compared with elements. */
const maxStyleWork = 16_000_000;
/** What takes more than one look at an element, or hides what it means. */
const costlyStyle = /\\|@import|data:|:(?:has|is|where|not|nth|host|-webkit|-moz)/i;
/** Where rules could be read in another way than by a browser. */
const oddStyle = /\/\*|["'[@<]/;
const ownProperties: ReadonlySet<string> = new Set(['clip-path', 'mask', 'filter', 'href']);
const references = /#([^\s#)"';,]+)/g;

/** What the value of a property or an attribute refers to, of elements that exist. */
export function referencesOf(property: string, value: string, ids: Ids): readonly Reference[] {
  const isInherited = !ownProperties.has(property.trim());
  const names = [...value.matchAll(references)].map(([, id = '']) => id);
  return names.filter((id) => ids.has(id)).map((id) => ({ id, isInherited }));
}

/** What declarations refer to: `clip-path:url(#a);fill:url(#b)`. */
export function declaredReferences(text: string, ids: Ids): readonly Reference[] {
  return text.split(';').flatMap((one) => referencesOf(one.split(':', 1)[0] ?? '', one, ids));
}

function isGradient(id: string, ids: Ids): boolean {
  return ids.get(id)?.every(({ name }) => name.endsWith('Gradient')) === true;
}

function addRule(rule: string, ids: Ids, found: Map<string, Reference[]>): boolean {
  const start = rule.lastIndexOf('{');
  const named = declaredReferences(rule.slice(start + 1), ids).filter(({ id }) => !isGradient(id, ids));
  if (named.length === 0) return true;
  for (const selector of rule.slice(0, Math.max(0, start)).split(',')) {
    const [, name] = /^\.([\w-]+)$/.exec(selector.trim()) ?? [];
    if (name === undefined) return false;
    found.set(name, [...(found.get(name) ?? []), ...named]);
  }
  return true;
}

/** What style sheets refer to, other than gradients, by classes; undefined where comparing them with all elements takes long, or it is not known which
 *  elements they are for. */
export function classReferences(
  { style, elements }: SvgDocument,
  ids: Ids,
): ReadonlyMap<string, Reference[]> | undefined {
  if (costlyStyle.test(style) || style.length * elements.length > maxStyleWork) return undefined;
  const found = new Map<string, Reference[]>();
  const hasReferences = /(?:url|src)\s*\(/i.test(style);
  if (!hasReferences || referencesOf('', style, ids).every(({ id }) => isGradient(id, ids))) return found;
  const isOdd = oddStyle.test(style) || /[()]/.test(style.replaceAll(/\([^(){}]*\)/g, ''));
  return !isOdd && style.split('}').every((rule) => addRule(rule, ids, found)) ? found : undefined;
}
