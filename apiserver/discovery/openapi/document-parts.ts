import { createHash } from 'node:crypto';
import { type JsonObject, oldSpaceBytes } from '../../../src/base/index.ts';
import type { Steps } from '../../core/index.ts';
import type { Definition, FindDefinition } from './definitions.ts';
import { mentionedDefinitions } from './definitions.ts';
import type { DocumentUnit } from './documents.ts';
import type { ApiPath } from './operations.ts';

/** Characters of a document. Definitions of a thousand kinds need about half of it; without a limit one definition with very many versions takes
 *  more memory than there is. */
const maxCharacters = (): number => Math.min(128 * 1024 * 1024, oldSpaceBytes() / 16);

/** How a version of OpenAPI writes paths and definitions. */
export interface PartWriters {
  path(path: ApiPath): JsonObject;
  /** Calls `visit` for each definition that it refers to. */
  definition(definition: Definition, visit: (name: string) => void): JsonObject;
}

/** Paths and definitions of a document, each as its JSON: a document may be too large to make, or to have, in one piece. */
export class DocumentParts {
  readonly paths: Map<string, string> = new Map();
  readonly definitions: Map<string, string> = new Map();
  readonly #writers: PartWriters;
  readonly #find: FindDefinition;
  readonly #limit: number;
  #characters = 0;
  #isFull = false;

  constructor(writers: PartWriters, find: FindDefinition, limit: number = maxCharacters()) {
    this.#writers = writers;
    this.#find = find;
    this.#limit = limit;
  }

  /** Built-in resources first. Of custom ones, those that come after the document is full are left out. */
  *addAll(units: readonly DocumentUnit[]): Steps<void> {
    for (const unit of units) if (!unit.isCustom) yield* this.#add(unit);
    for (const unit of units) if (unit.isCustom && !this.#isFull) yield* this.#add(unit);
  }

  *#add({ paths: pathsOf, isCustom }: DocumentUnit): Steps<void> {
    yield;
    const paths = pathsOf();
    const added = new Map(paths.map((path) => [path.path, JSON.stringify(this.#writers.path(path))]));
    const definitions = yield* this.#missing(mentionedDefinitions(paths));
    const size = [...added, ...definitions].reduce((sum, [name, text]) => sum + name.length + text.length, 0);
    this.#isFull = isCustom && this.#characters + size > this.#limit;
    if (this.#isFull) return;
    this.#characters += size;
    for (const [path, text] of added) this.paths.set(path, text);
    for (const [name, text] of definitions) this.definitions.set(name, text);
  }

  /** The definitions named and all that they refer to, but for those that are there. */
  *#missing(names: readonly string[]): Steps<Map<string, string>> {
    const written = new Map<string, string>();
    const pending = [...names];
    for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
      if (written.has(name) || this.definitions.has(name)) continue;
      yield;
      written.set(name, JSON.stringify(this.#writers.definition(this.#find(name), (other) => pending.push(other))));
    }
    return written;
  }
}

/** The members of a JSON object, whose values are JSON already. The values are not copied. */
export function* memberTexts(members: ReadonlyMap<string, string>): Generator<string> {
  let separator = '';
  for (const [name, text] of members) {
    yield `${separator}${JSON.stringify(name)}:`;
    yield text;
    separator = ',';
  }
}

/** The same, ordered by name. */
export function byName(members: ReadonlyMap<string, string>): Map<string, string> {
  return new Map([...members].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** A document that is sent in pieces. */
export interface MadeDocument {
  /** Of what is sent. */
  readonly digest: string;
  readonly characters: number;
  pieces(): Iterable<string>;
}

/** Characters that are hashed in one call: each call takes as long as some hundreds of them. */
const hashedCharacters = 16 * 1024;

/** The document of these pieces. */
export function* madeDocument(pieces: () => Iterable<string>): Steps<MadeDocument> {
  const hash = createHash('sha512');
  let characters = 0;
  let waiting = '';
  for (const piece of pieces()) {
    characters += piece.length;
    waiting += piece;
    if (waiting.length < hashedCharacters) continue;
    hash.update(waiting);
    waiting = '';
    yield;
  }
  return { digest: hash.update(waiting).digest('hex').toUpperCase(), characters, pieces };
}
