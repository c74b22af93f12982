import {
  assertHarmless,
  isJsonEqual,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  maxNestingDepth,
} from '../../src/base/index.ts';
import { StatusError } from '../core/index.ts';

const maxOperations = 10_000;
const maxCopiedBytes = 3 * 1024 * 1024;
/** Items of lists that make room for others, or close ranks: ten thousand operations on a list of fifty thousand. */
const maxMovedItems = 500_000_000;

/** 422 without a cause in its text: what kube-apiserver answers when a patch does not fit the object. */
export function unprocessablePatch(cause?: unknown): StatusError {
  const message = 'the server rejected our request due to an error in our request';
  return new StatusError({ code: 422, reason: 'Invalid', message, details: {} }, { cause });
}

interface Operation {
  readonly op: string;
  /** Undefined where it is none: every operation needs one. */
  readonly path: string | undefined;
  readonly from: string | undefined;
  readonly value: JsonValue | undefined;
}

type Container = JsonObject | JsonValue[];

/** The document while operations are applied: containers are copied once, when first written to. */
class Draft {
  #root: JsonValue;
  readonly #owned = new WeakSet<Container>();
  #copiedBytes = 0;
  #movedItems = 0;

  constructor(root: JsonValue) {
    this.#root = root;
  }

  get root(): JsonValue {
    return this.#root;
  }

  /** The value there; undefined for an absent member of an object that is there. */
  read(path: string): JsonValue | undefined {
    const tokens = tokensOf(path);
    const last = tokens.pop() ?? '';
    let container = asContainer(this.#root);
    for (const token of tokens) container = asContainer(childOf(container, token));
    return childOf(container, last);
  }

  add(path: string, value: JsonValue): void {
    this.#write(path, (container, token) => {
      if (Array.isArray(container)) this.#splice(container, indexOf(container, token, 'insert'), [value]);
      else setMember(container, token, value);
    });
  }

  /** Puts a value in the place of another, or where there is none yet in an object. */
  replace(path: string, value: JsonValue): void {
    if (path === '') {
      if (Array.isArray(value) || isJsonObject(value)) this.#root = value;
      return;
    }
    this.#write(path, (container, token) => {
      if (Array.isArray(container)) container[indexOf(container, token, 'read')] = value;
      else setMember(container, token, value);
    });
  }

  remove(path: string): JsonValue {
    let removed: JsonValue | undefined;
    this.#write(path, (container, token) => {
      removed = childOf(container, token);
      if (removed === undefined) throw unprocessablePatch();
      if (Array.isArray(container)) this.#splice(container, indexOf(container, token, 'read'), []);
      else delete container[token];
    });
    return removed ?? null;
  }

  copy(from: string, path: string): void {
    const text = JSON.stringify(this.read(from) ?? null);
    this.#copiedBytes += text.length;
    if (this.#copiedBytes > maxCopiedBytes) throw unprocessablePatch();
    this.add(path, JSON.parse(text) as JsonValue);
  }

  /** Inserts an item, or removes one where there is none to insert. */
  #splice(list: JsonValue[], index: number, inserted: readonly [JsonValue] | readonly []): void {
    this.#movedItems += list.length - index;
    if (this.#movedItems > maxMovedItems) throw unprocessablePatch();
    list.splice(index, 1 - inserted.length, ...inserted);
  }

  #write(path: string, change: (container: Container, token: string) => void): void {
    const tokens = tokensOf(path);
    const last = tokens.pop() ?? '';
    let container = this.#own(asContainer(this.#root));
    this.#root = container;
    for (const token of tokens) {
      const child = this.#own(asContainer(childOf(container, token)));
      if (Array.isArray(container)) container[indexOf(container, token, 'read')] = child;
      else setMember(container, token, child);
      container = child;
    }
    change(container, last);
  }

  #own(container: Container): Container {
    if (this.#owned.has(container)) return container;
    const copy = Array.isArray(container) ? [...container] : { ...container };
    this.#owned.add(copy);
    return copy;
  }
}

function setMember(object: JsonObject, key: string, value: JsonValue): void {
  Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
}

/** The steps of a path; what stands before its first slash is not looked at. The whole document cannot be named this way. */
function tokensOf(path: string): string[] {
  // Nothing is deeper than that, and a path may have as many slashes as a request has bytes.
  const [, ...tokens] = path.split('/', maxNestingDepth + 2);
  if (tokens.length === 0 || tokens.length > maxNestingDepth) throw unprocessablePatch();
  return tokens.map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function asContainer(value: JsonValue | undefined): Container {
  if (Array.isArray(value) || isJsonObject(value)) return value;
  throw unprocessablePatch();
}

function indexOf(list: readonly JsonValue[], token: string, use: 'insert' | 'read'): number {
  if (token === '-' && use === 'insert') return list.length;
  if (!/^[+-]?\d{1,9}$/.test(token)) throw unprocessablePatch();
  const count = list.length + (use === 'insert' ? 1 : 0);
  const index = Number(token) < 0 ? count + Number(token) : Number(token);
  if (index < 0 || index >= count) throw unprocessablePatch();
  return index;
}

function childOf(container: Container, token: string): JsonValue | undefined {
  if (Array.isArray(container)) return container[indexOf(container, token, 'read')];
  return Object.hasOwn(container, token) ? container[token] : undefined;
}

function textMember(operation: JsonObject, name: 'op' | 'path' | 'from'): string | undefined {
  const value = Object.hasOwn(operation, name) ? operation[name] : undefined;
  return typeof value === 'string' ? value : undefined;
}

function decodeOperation(value: JsonValue): Operation {
  const operation = isJsonObject(value) ? value : {};
  return {
    op: textMember(operation, 'op') ?? '',
    path: textMember(operation, 'path'),
    from: textMember(operation, 'from'),
    value: Object.hasOwn(operation, 'value') ? operation['value'] : undefined,
  };
}

function decodeOperations(patch: JsonValue): Operation[] {
  const list = Array.isArray(patch) ? patch : [];
  if (list.length <= maxOperations) return list.map(decodeOperation);
  const limit = `The allowed maximum operations in a JSON patch is ${maxOperations}, got ${list.length}`;
  throw new StatusError({ code: 413, reason: 'RequestEntityTooLarge', message: `Request entity too large: ${limit}` });
}

function isTestPassed(draft: Draft, path: string, expected: JsonValue): boolean {
  const found = path === '' ? draft.root : draft.read(path);
  return isJsonEqual(found ?? null, expected);
}

function required(path: string | undefined): string {
  if (path === undefined) throw unprocessablePatch();
  return path;
}

function perform(draft: Draft, operation: Operation): void {
  const { value = null } = operation;
  switch (operation.op) {
    case 'add':
      return draft.add(required(operation.path), value);
    case 'replace':
      return draft.replace(required(operation.path), value);
    case 'remove':
      draft.remove(required(operation.path));
      return undefined;
    case 'move':
      return draft.add(required(operation.path), draft.remove(required(operation.from)));
    case 'copy':
      return draft.copy(required(operation.from), required(operation.path));
    case 'test':
      if (isTestPassed(draft, required(operation.path), value)) return undefined;
      throw unprocessablePatch();
    default:
      throw unprocessablePatch();
  }
}

function hasContainer(draft: Draft, path: string): boolean {
  try {
    draft.read(path);
    return true;
  } catch {
    return false;
  }
}

/** The error of the real server's library for an operation that cannot be applied; shown where a webhook made the patch. */
function explain(draft: Draft, { op, path = '' }: Operation): string {
  if (op === 'test') return `testing value ${path} failed: test failed`;
  if (!hasContainer(draft, path))
    return `${op} operation does not apply: doc is missing path: "${path}": missing value`;
  if (op === 'remove') {
    return `error in remove for path: '${path}': unable to remove nonexistent key: ${path.split('/').at(-1) ?? ''}: missing value`;
  }
  return `${op} operation does not apply: doc is missing key: ${path}: missing value`;
}

function performOrExplain(draft: Draft, operation: Operation): void {
  try {
    perform(draft, operation);
  } catch (thrown) {
    if (!(thrown instanceof StatusError) || thrown.cause !== undefined) throw thrown;
    throw unprocessablePatch(new Error(explain(draft, operation)));
  }
}

/** Applies a JSON patch (RFC 6902, as kube-apiserver reads it: indexes may count from the end, replacing an absent member adds it);
 *  null is an empty patch. The document given is left as it is.
 *  @throws StatusError 413 more than 10,000 operations · 422 an operation does not fit the document, copies more than 3 MiB in sum,
 *  moves the items of very long lists too often, or nests too deeply */
export function applyJsonPatch(document: JsonObject, patch: JsonValue): JsonObject {
  const operations = decodeOperations(patch);
  const draft = new Draft(document);
  for (const operation of operations) performOrExplain(draft, operation);
  const { root } = draft;
  if (!isJsonObject(root)) throw unprocessablePatch();
  try {
    assertHarmless('patched object', root);
  } catch (thrown) {
    throw unprocessablePatch(thrown);
  }
  return root;
}
