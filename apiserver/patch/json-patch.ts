import { assertHarmless, isJsonEqual, isJsonObject, type JsonObject, type JsonValue } from '../../src/base/index.ts';
import { badRequest, StatusError } from '../http/status-error.ts';

const maxOperations = 10_000;
const maxCopiedBytes = 3 * 1024 * 1024;

/** 422 without a cause in its text: what kube-apiserver answers when a patch does not fit the object. */
export function unprocessablePatch(cause?: unknown): StatusError {
  const message = 'the server rejected our request due to an error in our request';
  return new StatusError({ code: 422, reason: 'Invalid', message, details: {} }, { cause });
}

interface Operation {
  readonly op: string;
  readonly path: string;
  readonly from: string;
  readonly value: JsonValue | undefined;
}

type Container = JsonObject | JsonValue[];

/** The document while operations are applied: containers are copied once, when first written to. */
class Draft {
  #root: JsonValue;
  readonly #owned = new WeakSet<Container>();
  #copiedBytes = 0;

  constructor(root: JsonValue) {
    this.#root = root;
  }

  get root(): JsonValue {
    return this.#root;
  }

  read(path: string): JsonValue {
    let value = this.#root;
    for (const token of tokensOf(path)) value = childOf(asContainer(value), token);
    return value;
  }

  add(path: string, value: JsonValue): void {
    this.#write(path, value, (container, token) => {
      if (Array.isArray(container)) container.splice(indexOf(container, token, 'insert'), 0, value);
      else setMember(container, token, value);
    });
  }

  replace(path: string, value: JsonValue): void {
    this.#write(path, value, (container, token) => {
      childOf(container, token);
      if (Array.isArray(container)) container[indexOf(container, token, 'read')] = value;
      else setMember(container, token, value);
    });
  }

  remove(path: string): JsonValue {
    const removed = this.read(path);
    this.#write(path, null, (container, token) => {
      if (Array.isArray(container)) container.splice(indexOf(container, token, 'read'), 1);
      else delete container[token];
    });
    return removed;
  }

  copy(from: string, path: string): void {
    const text = JSON.stringify(this.read(from));
    this.#copiedBytes += text.length;
    if (this.#copiedBytes > maxCopiedBytes) throw unprocessablePatch();
    this.add(path, JSON.parse(text) as JsonValue);
  }

  #write(path: string, whole: JsonValue, change: (container: Container, token: string) => void): void {
    const tokens = tokensOf(path);
    const last = tokens.pop();
    if (last === undefined) {
      this.#root = whole;
      return;
    }
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

function tokensOf(path: string): string[] {
  if (path === '') return [];
  const [first, ...tokens] = path.split('/');
  if (first !== '') throw unprocessablePatch();
  return tokens.map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function asContainer(value: JsonValue): Container {
  if (Array.isArray(value) || isJsonObject(value)) return value;
  throw unprocessablePatch();
}

function indexOf(list: readonly JsonValue[], token: string, use: 'insert' | 'read'): number {
  if (token === '-' && use === 'insert') return list.length;
  if (!/^-?\d{1,9}$/.test(token)) throw unprocessablePatch();
  const count = list.length + (use === 'insert' ? 1 : 0);
  const index = Number(token) < 0 ? count + Number(token) : Number(token);
  if (index < 0 || index >= count) throw unprocessablePatch();
  return index;
}

function childOf(container: Container, token: string): JsonValue {
  const own = Array.isArray(container) || Object.hasOwn(container, token);
  const child = Array.isArray(container) ? container[indexOf(container, token, 'read')] : container[token];
  if (!own || child === undefined) throw unprocessablePatch();
  return child;
}

function goKindOf(value: JsonValue): string {
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'boolean') return 'bool';
  return typeof value;
}

function textMember(operation: JsonObject, name: 'op' | 'path' | 'from'): string {
  const value = Object.hasOwn(operation, name) ? (operation[name] ?? '') : '';
  if (typeof value === 'string') return value;
  const kind = goKindOf(value);
  throw badRequest(
    `error decoding patch: json: cannot unmarshal ${kind} into Go struct field jsonPatchOp.${name} of type string`,
  );
}

function decodeOperation(value: JsonValue): Operation {
  if (!isJsonObject(value)) {
    const kind = goKindOf(value);
    throw badRequest(`error decoding patch: json: cannot unmarshal ${kind} into Go value of type handlers.jsonPatchOp`);
  }
  const [op, path, from] = [textMember(value, 'op'), textMember(value, 'path'), textMember(value, 'from')];
  return { op, path, from, value: Object.hasOwn(value, 'value') ? value['value'] : undefined };
}

function decodeOperations(patch: JsonValue): Operation[] {
  if (!Array.isArray(patch)) {
    const kind = goKindOf(patch);
    throw badRequest(
      `error decoding patch: json: cannot unmarshal ${kind} into Go value of type []handlers.jsonPatchOp`,
    );
  }
  if (patch.length <= maxOperations) return patch.map(decodeOperation);
  const limit = `The allowed maximum operations in a JSON patch is ${maxOperations}, got ${patch.length}`;
  throw new StatusError({ code: 413, reason: 'RequestEntityTooLarge', message: `Request entity too large: ${limit}` });
}

function valueOf(operation: Operation): JsonValue {
  if (operation.value === undefined) throw unprocessablePatch();
  return operation.value;
}

function isTestPassed(draft: Draft, operation: Operation): boolean {
  const wanted = operation.value ?? null;
  try {
    return isJsonEqual(draft.read(operation.path), wanted);
  } catch (thrown) {
    if (thrown instanceof StatusError) return wanted === null;
    throw thrown;
  }
}

function perform(draft: Draft, operation: Operation): void {
  switch (operation.op) {
    case 'add':
      return draft.add(operation.path, valueOf(operation));
    case 'replace':
      return draft.replace(operation.path, valueOf(operation));
    case 'remove':
      draft.remove(operation.path);
      return undefined;
    case 'move':
      return draft.add(operation.path, draft.remove(operation.from));
    case 'copy':
      return draft.copy(operation.from, operation.path);
    case 'test':
      if (isTestPassed(draft, operation)) return undefined;
      throw unprocessablePatch();
    default:
      throw unprocessablePatch();
  }
}

/** Applies a JSON patch (RFC 6902; negative indexes count from the end); the document given is left as it is.
 *  @throws StatusError 400 not a patch · 413 more than 10,000 operations · 422 an operation does not fit the document,
 *  copies more than 3 MiB in sum, or nests too deeply */
export function applyJsonPatch(document: JsonObject, patch: JsonValue): JsonObject {
  const operations = decodeOperations(patch);
  const draft = new Draft(document);
  for (const operation of operations) perform(draft, operation);
  const { root } = draft;
  if (!isJsonObject(root)) throw unprocessablePatch();
  try {
    assertHarmless('patched object', root);
  } catch (thrown) {
    throw unprocessablePatch(thrown);
  }
  return root;
}
