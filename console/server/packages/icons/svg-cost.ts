import { rasterPixels } from './raster-pixels.ts';
import { readSvg, type SvgDocument, type SvgElement } from './svg-elements.ts';
import { classReferences, declaredReferences, type Ids, type Reference, referencesOf } from './svg-style.ts';

/** Elements that are drawn, those that are referred to once for each reference. */
const maxDrawn = 20_000;
/** Of elements in each other, and of references. */
const maxDepth = 200;
const animations: ReadonlySet<string> = new Set(['animate', 'set', 'animateMotion', 'animateTransform']);
const names: ReadonlySet<string> = new Set(['id', 'class', 'style', 'href']);
/** A dashed line is drawn as its dashes, of which there may be as many as that of one element takes time. */
const dashesCost = 200;
const dashes = /dasharray(?!\s*[:=]\s*["']?\s*none)/i;
const rasterLink = /^data:image\/(?:png|jpe?g|gif|webp);base64,/i;

function idsOf({ elements }: SvgDocument): Ids {
  const found = new Map<string, SvgElement[]>();
  for (const element of elements) {
    const id = element.attributes.get('id') ?? '';
    const known = found.get(id);
    if (known === undefined) found.set(id, [element]);
    else known.push(element);
  }
  found.delete('');
  return found;
}

/** Whether an attribute is what it looks like: CSS has escapes, and entities that a document declares are not replaced here. */
function isPlain(name: string, value: string): boolean {
  const isEscaped = /[\\&]/.test(value);
  return !isEscaped || !(names.has(name) || /[#(]|data:/i.test(value));
}

/** Layout of HTML takes a time that grows with more than its size. */
function isReadable({ name, attributes }: SvgElement): boolean {
  return name !== 'foreignObject' && [...attributes].every(([key, value]) => isPlain(key, value));
}

/** The pixels of pictures within the picture; infinite where one is of another format. */
function embeddedPixels({ elements }: SvgDocument): number {
  let pixels = 0;
  for (const value of elements.flatMap(({ attributes }) => [...attributes.values()])) {
    const link = value.replaceAll(/[\t\n\r ]/g, '');
    if (!/data:/i.test(link)) continue;
    const content = Buffer.from(link.slice(link.indexOf(',') + 1), 'base64');
    pixels += rasterLink.test(link) ? (rasterPixels(content) ?? Infinity) : Infinity;
  }
  return pixels;
}

interface Styles {
  readonly ids: Ids;
  readonly classes: ReadonlyMap<string, readonly Reference[]>;
  readonly isInheriting: boolean;
  readonly hasMarkers: boolean;
  readonly hasDashes: boolean;
}

function allReferences({ attributes }: SvgElement, { ids, classes }: Styles): readonly Reference[] {
  const own = [...attributes].flatMap(([key, value]) => {
    if (key === 'style') return declaredReferences(value, ids);
    return key === 'id' ? [] : referencesOf(key, value, ids);
  });
  const words = (attributes.get('class') ?? '').split(/\s+/);
  return [...own, ...words.flatMap((word) => classes.get(word) ?? [])];
}

/** A marker is drawn at each point of a path. */
function ownCost({ attributes }: SvgElement, { hasMarkers, hasDashes }: Styles): number {
  const points = hasMarkers ? (attributes.get('d') ?? attributes.get('points') ?? '').length : 0;
  return 1 + points + (hasDashes ? dashesCost : 0);
}

/** How many elements are drawn for one; infinite for references in a circle, for those that are animated, and for a picture that is nested too deeply. */
class Drawn {
  readonly #known = new Map<SvgElement, number>();
  readonly #styles: Styles;

  constructor(styles: Styles) {
    this.#styles = styles;
  }

  of(element: SvgElement, depth = 0): number {
    const known = this.#known.get(element);
    if (known !== undefined) return known;
    // What it refers to, and is within, comes back to it.
    this.#known.set(element, Infinity);
    const drawn = depth > maxDepth ? Infinity : this.#count(element, depth + 1);
    this.#known.set(element, drawn);
    return drawn;
  }

  #count(element: SvgElement, depth: number): number {
    const found = allReferences(element, this.#styles);
    if (animations.has(element.name) && found.some(({ isInherited }) => isInherited)) return Infinity;
    const { isInheriting } = this.#styles;
    let drawn = ownCost(element, this.#styles);
    for (const child of element.children) drawn += this.of(child, depth);
    for (const { id, isInherited } of found) if (!isInherited && !isInheriting) drawn += this.#target(id, depth);
    const within = drawn;
    for (const { id, isInherited } of found) if (isInherited || isInheriting) drawn += within * this.#target(id, depth);
    return drawn;
  }

  #target(id: string, depth: number): number {
    return Math.max(...(this.#styles.ids.get(id) ?? []).map((target) => this.of(target, depth)));
  }
}

/** Whether a browser draws a picture soon: a small one can be drawn without end, by references to what refers to something else. */
export function isSvgCheap(bytes: Buffer, maxPixels: number): boolean {
  const document = readSvg(bytes, maxDrawn);
  if (document === undefined || !document.elements.every(isReadable)) return false;
  if (embeddedPixels(document) > maxPixels) return false;
  const ids = idsOf(document);
  const classes = classReferences(document, ids);
  if (classes === undefined) return false;
  const isInheriting = bytes.includes('inherit');
  const hasMarkers = document.elements.some(({ name }) => name === 'marker');
  const hasDashes = dashes.test(bytes.toString('utf8'));
  return new Drawn({ ids, classes, isInheriting, hasMarkers, hasDashes }).of(document.root) <= maxDrawn;
}
