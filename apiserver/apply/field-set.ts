import { isJsonObject, type JsonObject, type JsonValue, TerminalError } from '../../src/base/index.ts';

/** One step of a path as FieldsV1 writes it: `f:name`, `k:{"name":"c"}`, `v:"x"`, `i:0`. */
export type PathElement = string;

const maxDepth = 256;

/** A set of paths into an object, as a trie. Operations give new sets and may share parts with their arguments;
 *  `insert` is the one that changes a set, for use while building it. */
export class FieldSet {
  readonly members: Set<PathElement>;
  readonly children: Map<PathElement, FieldSet>;

  constructor(members: Iterable<PathElement> = [], children: Iterable<readonly [PathElement, FieldSet]> = []) {
    this.members = new Set(members);
    this.children = new Map(children);
  }

  /** The set of these paths. */
  static of(...paths: readonly (readonly PathElement[])[]): FieldSet {
    const set = new FieldSet();
    for (const path of paths) set.insert(path);
    return set;
  }

  /** Reads `fieldsV1`.
   *  @throws TerminalError InvalidFieldSet */
  static parse(fields: JsonValue | undefined): FieldSet {
    return parseSet(fields ?? {}, 0);
  }

  get isEmpty(): boolean {
    if (this.members.size > 0) return false;
    for (const child of this.children.values()) if (!child.isEmpty) return false;
    return true;
  }

  has(path: readonly PathElement[]): boolean {
    const [first, ...rest] = path;
    if (first === undefined) return false;
    return rest.length === 0 ? this.members.has(first) : (this.children.get(first)?.has(rest) ?? false);
  }

  insert(path: readonly PathElement[]): void {
    const last = path.at(-1);
    if (last === undefined) return;
    const parent = path.slice(0, -1).reduce<FieldSet>((set, element) => set.#childAt(element), this);
    parent.members.add(last);
  }

  #childAt(element: PathElement): FieldSet {
    const known = this.children.get(element);
    if (known !== undefined) return known;
    const child = new FieldSet();
    this.children.set(element, child);
    return child;
  }

  /** The paths below one element. */
  below(element: PathElement): FieldSet | undefined {
    return this.children.get(element);
  }

  /** All of them together, in time that grows with their paths alone. */
  static unionOf(sets: readonly FieldSet[]): FieldSet {
    const [only] = sets;
    if (only !== undefined && sets.length === 1) return only;
    const union = new FieldSet();
    const below = new Map<PathElement, FieldSet[]>();
    for (const { members, children } of sets) {
      for (const element of members) union.members.add(element);
      for (const [element, child] of children) {
        const same = below.get(element);
        if (same === undefined) below.set(element, [child]);
        else same.push(child);
      }
    }
    for (const [element, same] of below) union.children.set(element, FieldSet.unionOf(same));
    return union;
  }

  union(other: FieldSet): FieldSet {
    return FieldSet.unionOf([this, other]);
  }

  intersection(other: FieldSet): FieldSet {
    const members = [...this.members].filter((element) => other.members.has(element));
    const children = this.#mapChildren((set, element) => {
      const theirs = other.children.get(element);
      return theirs === undefined ? undefined : set.intersection(theirs);
    });
    return new FieldSet(members, children);
  }

  difference(other: FieldSet): FieldSet {
    const members = [...this.members].filter((element) => !other.members.has(element));
    const children = this.#mapChildren((set, element) => {
      const theirs = other.children.get(element);
      return theirs === undefined ? set : set.difference(theirs);
    });
    return new FieldSet(members, children);
  }

  /** Without the paths of `other` and everything below them. */
  differenceWithBelow(other: FieldSet): FieldSet {
    const members = [...this.members].filter((element) => !other.members.has(element));
    const children = this.#mapChildren((set, element) => {
      if (other.members.has(element)) return undefined;
      const theirs = other.children.get(element);
      return theirs === undefined ? set : set.differenceWithBelow(theirs);
    });
    return new FieldSet(members, children);
  }

  isEqual(other: FieldSet): boolean {
    return this.difference(other).isEmpty && other.difference(this).isEmpty;
  }

  /** All paths, in canonical order. */
  *paths(prefix: readonly PathElement[] = []): Generator<PathElement[]> {
    for (const element of sortedElements(this.members)) yield [...prefix, element];
    for (const element of sortedElements(this.children.keys())) {
      const child = this.children.get(element);
      if (child !== undefined) yield* child.paths([...prefix, element]);
    }
  }

  /** `fieldsV1`, in canonical order: fields by name, then items by key, then values; `.` first. */
  toJson(): JsonObject {
    const json: JsonObject = {};
    for (const element of sortedElements(new Set([...this.members, ...this.children.keys()]))) {
      const child = this.children.get(element);
      const below = child === undefined ? {} : child.toJson();
      const isParent = Object.keys(below).length > 0;
      if (isParent) json[element] = this.members.has(element) ? { '.': {}, ...below } : below;
      else if (this.members.has(element)) json[element] = {};
    }
    return json;
  }

  #mapChildren(change: (set: FieldSet, element: PathElement) => FieldSet | undefined): [PathElement, FieldSet][] {
    const changed: [PathElement, FieldSet][] = [];
    for (const [element, set] of this.children) {
      const next = change(set, element);
      if (next !== undefined && !next.isEmpty) changed.push([element, next]);
    }
    return changed;
  }
}

const kindOrder = 'fkvi';

/** In canonical order. Those of one kind, which may be many thousands, are sorted without a function of our own. */
function sortedElements(elements: Iterable<PathElement>): PathElement[] {
  const all = [...elements];
  const kind = all[0]?.charCodeAt(0);
  return all.every((element) => element.charCodeAt(0) === kind) ? all.sort() : all.sort(comparePathElements);
}

function comparePathElements(a: PathElement, b: PathElement): number {
  if (a.charCodeAt(0) === b.charCodeAt(0)) return a < b ? -1 : Number(a > b);
  return kindOrder.indexOf(a.charAt(0)) - kindOrder.indexOf(b.charAt(0));
}

function parseSet(fields: JsonValue, depth: number): FieldSet {
  if (!isJsonObject(fields)) throw invalidSet(`expected an object, got ${JSON.stringify(fields)}`);
  if (depth > maxDepth) throw invalidSet('nested too deeply');
  const set = new FieldSet();
  for (const [name, value] of Object.entries(fields)) {
    if (name !== '.') parseMember(set, name, { below: isJsonObject(value) ? value : {}, depth });
  }
  return set;
}

function parseMember(set: FieldSet, name: string, { below, depth }: { below: JsonObject; depth: number }): void {
  const isParent = Object.keys(below).some((key) => key !== '.');
  const element = canonicalElement(name);
  if (!isParent || Object.hasOwn(below, '.')) set.members.add(element);
  if (isParent) set.children.set(element, parseSet(below, depth + 1));
}

function invalidSet(why: string): TerminalError {
  return new TerminalError('InvalidFieldSet', `fieldsV1: ${why}`);
}

function canonicalElement(name: string): PathElement {
  if (name.startsWith('f:') || /^i:\d+$/.test(name)) return name;
  if (!name.startsWith('k:') && !name.startsWith('v:'))
    throw invalidSet(`unknown path element ${JSON.stringify(name)}`);
  let content: JsonValue;
  try {
    content = JSON.parse(name.slice(2)) as JsonValue;
  } catch (thrown) {
    throw new TerminalError('InvalidFieldSet', `fieldsV1: ${name}: ${(thrown as Error).message}`, { cause: thrown });
  }
  if (name.startsWith('v:')) return valueElement(content);
  if (!isJsonObject(content)) throw invalidSet(`${name}: a key must be an object`);
  return keyElement(content);
}

/** `f:name` */
export function fieldElement(name: string): PathElement {
  return `f:${name}`;
}

/** `v:"x"` */
export function valueElement(value: JsonValue): PathElement {
  return `v:${JSON.stringify(value)}`;
}

/** `k:{"name":"c"}`, keys sorted. */
export function keyElement(key: JsonObject): PathElement {
  const names = Object.keys(key);
  // Most keys have one name, and there may be many thousands of them.
  const sorted = names.length < 2 ? key : Object.fromEntries(names.sort().map((name) => [name, key[name]]));
  return `k:${JSON.stringify(sorted)}`;
}

/** `.name`, `[name="c",port=80]`, `[="x"]`, `[0]`: how error messages write a step. */
export function describeElement(element: PathElement): string {
  const content = element.slice(2);
  if (element.startsWith('f:')) return `.${content}`;
  if (element.startsWith('v:')) return `[=${content}]`;
  if (!element.startsWith('k:')) return `[${content}]`;
  const key = JSON.parse(content) as JsonObject;
  return `[${Object.entries(key)
    .map(([name, value]) => `${name}=${JSON.stringify(value)}`)
    .join(',')}]`;
}

/** `.spec.containers[name="c"].image` */
export function describePath(path: readonly PathElement[]): string {
  return path.map(describeElement).join('');
}
