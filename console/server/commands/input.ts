import { isJsonObject, type JsonObject, type JsonValue } from '../../../src/base/index.ts';
import { ConsoleProblem } from '../problem.ts';

/** Names and folders that every file system takes. */
const maxNameBytes = 255;
const maxFolders = 32;

const part = String.raw`[a-z0-9][\w-]*(?:[.:@][\w-]+)*`;
/** Never a path that leaves a folder: commands read those of the machine that serves the console. */
export const imageReference: RegExp = new RegExp(`^(?:oci://)?${part}(?:/${part})+$`, 'i');

/** The members of a request for a command. A text never begins like an option. */
export class Input {
  readonly #body: JsonObject;

  constructor(body: unknown) {
    this.#body = isJsonObject(body as JsonValue) ? (body as JsonObject) : {};
  }

  #invalid(field: string, expected: string): ConsoleProblem {
    return new ConsoleProblem(400, 'InvalidRequest', { message: `${field}: expected ${expected}` });
  }

  /** @throws ConsoleProblem 400 for anything but a text that matches */
  #matching(field: string, pattern: RegExp, expected: string): string {
    const value = this.#body[field];
    if (typeof value === 'string' && value.length <= 1024 && !value.startsWith('-') && pattern.test(value))
      return value;
    throw this.#invalid(field, expected);
  }

  has(field: string): boolean {
    const value = this.#body[field];
    return value !== undefined && value !== null && value !== '' && value !== false;
  }

  isTrue(field: string): boolean {
    return this.#body[field] === true;
  }

  /** A name of an object, a channel or a bundle. */
  name(field: string): string {
    return this.#matching(field, /^[A-Za-z0-9][\w.+-]*$/, 'a name');
  }

  /** `NAME`, or `NAME@RANGE`. */
  request(field: string): string {
    return this.#matching(field, /^[A-Za-z0-9][\w.+-]*(@[\w.+\-*^~<>=|, ]*)?$/, 'PACKAGE or PACKAGE@RANGE');
  }

  version(field: string): string {
    return this.#matching(field, /^[\w.+-]+$/, 'a version');
  }

  /** A reference of an image. */
  image(field: string): string {
    return this.#matching(field, imageReference, 'a reference of an image');
  }

  positive(field: string): number {
    const value = this.#body[field];
    if (typeof value === 'number' && Number.isSafeInteger(value) && value > 0) return value;
    throw this.#invalid(field, 'a positive number');
  }

  oneOf<T extends string>(field: string, choices: readonly T[]): T {
    const found = choices.find((choice) => choice === this.#body[field]);
    if (found !== undefined) return found;
    throw this.#invalid(field, choices.join(' or '));
  }

  object(field: string): JsonObject {
    const value = this.#body[field];
    if (isJsonObject(value)) return value;
    throw this.#invalid(field, 'an object');
  }

  /** Each of a list, read by `read`; empty where there is none. */
  each<T>(field: string, limit: number, read: (item: Input) => T): readonly T[] {
    const value = this.#body[field] ?? [];
    if (!Array.isArray(value) || value.length > limit) throw this.#invalid(field, `a list of at most ${limit}`);
    return value.map((item: JsonValue) => read(new Input(isJsonObject(item) ? item : { item })));
  }

  /** A path below its folder, on any file system. */
  #path(): string {
    const path = this.#matching('path', /^[^\\\0]+$/, 'a path');
    const parts = path.split('/');
    if (parts.some((name) => name === '' || name === '.' || name === '..')) {
      throw this.#invalid('path', 'a path below the folder, without "." and ".."');
    }
    if (parts.length > maxFolders || parts.some((name) => Buffer.byteLength(name) > maxNameBytes)) {
      throw this.#invalid('path', `at most ${maxFolders} folders, and names of at most ${maxNameBytes} bytes`);
    }
    return path;
  }

  /** The files of a bundle: `[{ path, base64 }]`. */
  files(field: string, folder: string): ReadonlyMap<string, Uint8Array> {
    const maxFiles = 2_000;
    const files = this.each(field, maxFiles, (file): [string, Uint8Array] => {
      const path = file.#path();
      const data = file.#body['base64'];
      if (typeof data !== 'string') throw this.#invalid('base64', 'the content of a file');
      return [`${folder}/${path}`, Buffer.from(data, 'base64')];
    });
    if (files.length === 0) throw this.#invalid(field, 'at least one file');
    const found = new Map(files);
    for (const path of found.keys()) {
      const isBelowFile = path
        .split('/')
        .some((_, index, parts) => index > 0 && found.has(parts.slice(0, index).join('/')));
      if (isBelowFile) throw this.#invalid(field, `${path.slice(folder.length + 1)} not to be below a file`);
    }
    return found;
  }
}
