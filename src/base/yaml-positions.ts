import type { FieldPath } from './field-path.ts';
import { endedText, loadSharing, type ParserState } from './yaml.ts';
import { countLines, type SourceText, type TextPart, textOf, textParts } from './yaml-documents.ts';

/** A place in a text; both count from 1. */
export interface TextPosition {
  readonly line: number;
  readonly column: number;
}

interface Node {
  /** What the parser made of it: to know keys. */
  readonly result: unknown;
  readonly kind: string | null;
  readonly start: number;
  readonly end: number;
  readonly children: readonly Node[];
}

/** The first character that is neither space nor comment. */
function contentStart(text: string, from: number): number {
  let index = from;
  for (; index < text.length; index += 1) {
    const character = text.charAt(index);
    if (character === '#') {
      const end = text.indexOf('\n', index);
      if (end < 0) return text.length;
      index = end;
    } else if (!' \t\r\n'.includes(character)) {
      return index;
    }
  }
  return index;
}

/** A node that is only the shell of another one: the parser tries a mapping first and keeps what it finds instead. */
function unwrapped(children: readonly Node[], result: unknown): readonly Node[] {
  const [only] = children;
  if (only === undefined || children.length > 1 || typeof result !== 'object') return children;
  return only.result === result ? only.children : children;
}

/** Every node down to `depth`; what lies deeper is dropped as soon as it was read, so that a large document costs little.
 *  Undefined when the text cannot be read to its end that way. */
function readRoots(ended: string, depth: number): readonly Node[] | undefined {
  const roots: Node[] = [];
  const open: { readonly start: number; readonly children: Node[] }[] = [];
  const listener = (event: 'open' | 'close', state: ParserState): void => {
    if (event === 'open') {
      open.push({ start: state.position, children: [] });
      return;
    }
    const { start, children } = open.pop() ?? { start: 0, children: [] };
    const { kind, position } = state;
    const result: unknown = state.result;
    const isCollection = kind === 'mapping' || kind === 'sequence';
    const below = isCollection ? unwrapped(children, result) : [];
    const siblings = open.at(-1)?.children ?? roots;
    if (open.length <= depth) siblings.push({ result, kind, start, end: position, children: below });
    else if (isCollection) state.result = null;
  };
  try {
    loadSharing(ended, { listener, isLastKeyTaken: true });
  } catch {
    // What stands before the fault has its place all the same.
    if (depth < Infinity) return undefined;
  }
  return roots;
}

interface Member {
  readonly key: Node;
  readonly value: Node | undefined;
}

/** Keys and values come one after the other; a key of a flow mapping may stand alone. */
function membersOf({ children }: Node, text: string): readonly Member[] {
  const members: Member[] = [];
  for (let index = 0; index < children.length; index += 1) {
    const key = children[index];
    if (key === undefined) continue;
    const isAlone = text[contentStart(text, key.end)] !== ':';
    if (!isAlone) index += 1;
    members.push({ key, value: isAlone ? undefined : children[index] });
  }
  return members;
}

interface Step {
  /** What a reader looks for: the key of a member, an item itself. */
  readonly shown: Node;
  readonly value: Node | undefined;
}

/** A line without what ends it; undefined when there are not so many. */
function lineOf(text: string, line: number): string | undefined {
  return text.split('\n', line)[line - 1]?.trimEnd();
}

/** Longer texts are read only as far as requested. */
const largeLength = 1024 * 1024;

/** One part of a text, with its values. */
class Part {
  readonly #text: string;
  readonly #linesBefore: number;
  #roots: readonly Node[] = [];
  /** How deep the roots were read. */
  #depth = -1;

  constructor(ended: string, linesBefore: number) {
    this.#text = ended;
    this.#linesBefore = linesBefore;
  }

  /** Large texts are read as deep as requested. */
  #read(pathLength: number): void {
    // Besides the path: the root, one node that is a shell (see `unwrapped`; within a flow there is no other), and whether the last has children.
    const depth = this.#text.length > largeLength ? pathLength + 3 : Infinity;
    if (depth <= this.#depth) return;
    const roots = readRoots(this.#text, depth);
    this.#roots = roots ?? readRoots(this.#text, Infinity) ?? [];
    this.#depth = roots === undefined ? Infinity : depth;
  }

  get documentCount(): number {
    this.#read(0);
    return this.#roots.length;
  }

  find(document: number, path: FieldPath): TextPosition | undefined {
    const found = this.#walk(document, path);
    return found === undefined ? undefined : this.#position(contentStart(this.#text, found.shown.start));
  }

  source(document: number, path: FieldPath): string | undefined {
    const found = this.#walk(document, path);
    if (found?.isWhole !== true || found.value === undefined || found.value.children.length > 0) return undefined;
    const start = contentStart(this.#text, found.value.start);
    return this.#text.slice(start, Math.min(found.value.end, start + 100)).replace(/\s+(?:#.*)?$/s, '');
  }

  findInBlock(document: number, path: FieldPath, place: TextPosition): TextPosition | undefined {
    const found = this.#walk(document, path);
    const value = found?.isWhole === true ? found.value : undefined;
    if (typeof value?.result !== 'string') return undefined;
    const start = contentStart(this.#text, value.start);
    const line = this.#position(start).line + place.line;
    const [written, shown] = [lineOf(this.#text, line - this.#linesBefore), lineOf(value.result, place.line)];
    if (this.#text[start] !== '|' || shown === undefined || written?.endsWith(shown) !== true) return undefined;
    return { line, column: written.length - shown.length + place.column };
  }

  #walk(document: number, path: FieldPath): (Step & { readonly isWhole: boolean }) | undefined {
    this.#read(path.length);
    const root = this.#roots[document];
    if (root === undefined) return undefined;
    let current: Step = { shown: root, value: root };
    for (const step of path) {
      const next = current.value === undefined ? undefined : this.#child(current.value, step);
      if (next === undefined) return { ...current, isWhole: false };
      current = next;
    }
    return { ...current, isWhole: true };
  }

  #child(node: Node, step: string | number): Step | undefined {
    if (node.kind === 'sequence') {
      const item = node.children[Number(step)];
      return item === undefined ? undefined : { shown: item, value: item };
    }
    if (node.kind !== 'mapping') return undefined;
    const member = membersOf(node, this.#text).findLast(({ key }) => String(key.result) === String(step));
    return member === undefined ? undefined : { shown: member.key, value: member.value };
  }

  #position(offset: number): TextPosition {
    let [line, start] = [this.#linesBefore + 1, 0];
    for (;;) {
      const end = this.#text.indexOf('\n', start);
      if (end < 0 || end >= offset) return { line, column: offset - start + 1 };
      [line, start] = [line + 1, end + 1];
    }
  }
}

interface CutPart {
  readonly part: TextPart;
  documentsBefore: number | undefined;
}

type Source = Pick<SourceText, 'content'> & Partial<Pick<SourceText, 'ended'>>;

/** Where the values of a YAML or JSON text stand. Reads the text a second time with the parser that read it first, so that both
 *  agree; created only when a problem of a text is reported. Keeps the values of one part of the text. */
export class YamlPositions {
  readonly #source: Source;
  /** Each with the number of documents before it, as far as requested. */
  #parts: CutPart[] | undefined;
  #read: { readonly index: number; readonly part: Part } | undefined;

  constructor(source: Source | string) {
    this.#source = typeof source === 'string' ? { content: Buffer.from(source) } : source;
  }

  /** Where the value stands: for a member its key. What is not there has the place of what should hold it; undefined when not even
   *  the document is found. */
  find(document: number, path: FieldPath): TextPosition | undefined {
    const found = this.#partOf(document);
    return found?.part.find(document - found.documentsBefore, path);
  }

  /** A scalar as it is written, at most 100 characters; undefined when the value is none or not there. */
  source(document: number, path: FieldPath): string | undefined {
    const found = this.#partOf(document);
    return found?.part.source(document - found.documentsBefore, path);
  }

  /** Where a place in the text of a scalar stands, when that is written as a literal block (`|`), line for line; else undefined. */
  findInBlock(document: number, path: FieldPath, place: TextPosition): TextPosition | undefined {
    const found = this.#partOf(document);
    return found?.part.findInBlock(document - found.documentsBefore, path, place);
  }

  #partOf(document: number): { readonly part: Part; readonly documentsBefore: number } | undefined {
    this.#parts ??= this.#cut();
    let index = this.#parts.findLastIndex(
      ({ documentsBefore }) => documentsBefore !== undefined && documentsBefore <= document,
    );
    for (; index < this.#parts.length; index += 1) {
      const documentsBefore = this.#parts[index]?.documentsBefore ?? 0;
      const part = this.#partAt(index);
      const next = this.#parts[index + 1];
      const end = next === undefined ? Infinity : documentsBefore + part.documentCount;
      if (next === undefined || document < end) return { part, documentsBefore };
      next.documentsBefore = end;
    }
    return undefined;
  }

  #cut(): CutPart[] {
    const { ended } = this.#source;
    const parts = ended === undefined ? textParts(this.#source.content) : [{ start: 0, end: ended.length }];
    return Array.from(parts, (part, index) => ({ part, documentsBefore: index === 0 ? 0 : undefined }));
  }

  #partAt(index: number): Part {
    if (this.#read?.index === index) return this.#read.part;
    this.#read = undefined;
    const part = this.#open(this.#parts?.[index]?.part ?? { start: 0, end: 0 });
    this.#read = { index, part };
    return part;
  }

  #open(part: TextPart): Part {
    const { ended } = this.#source;
    if (ended !== undefined) return new Part(ended, 0);
    const { content } = this.#source;
    return new Part(endedText(textOf(content, part)), countLines(content, part.start));
  }
}
