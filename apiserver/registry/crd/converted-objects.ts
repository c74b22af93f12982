import { mapLimit } from '../../../src/base/index.ts';
import { type KubeObject, StatusError } from '../../core/index.ts';

const mebibyte = 1024 * 1024;

interface Bounds {
  /** Of objects that stay converted. */
  readonly maxObjects: number;
  /** Of these, and of what one request needs. */
  readonly maxBytes: number;
}

/** A webhook may answer megabytes for a small object. */
const defaultBounds: Bounds = { maxObjects: 20_000, maxBytes: 256 * mebibyte };

/** How many objects are with the webhook at a time. */
const lanes = 8;

interface Converted {
  readonly object: KubeObject;
  readonly bytes: number;
}

/** The objects of one version of a definition whose versions a webhook turns into each other. Reading them takes two steps: `prepare`, which may
 *  ask the webhook, and then `find`. */
export class ConvertedObjects {
  readonly #convert: (object: KubeObject, signal: AbortSignal) => Promise<KubeObject>;
  readonly #apiVersion: string;
  readonly #bounds: Bounds;
  /** The oldest first. */
  readonly #byRevision = new Map<string, Converted>();
  #bytes = 0;

  /** `convert` brings an object of another version into `apiVersion`. */
  constructor(
    apiVersion: string,
    convert: (object: KubeObject, signal: AbortSignal) => Promise<KubeObject>,
    bounds: Bounds = defaultBounds,
  ) {
    this.#convert = convert;
    this.#apiVersion = apiVersion;
    this.#bounds = bounds;
  }

  /** Converts what is stored in another version and not converted yet.
   *  @throws StatusError 500 · 413 when the converted objects are too large together */
  async prepare(objects: readonly KubeObject[], signal: AbortSignal): Promise<void> {
    const others = objects.filter((object) => object.apiVersion !== this.#apiVersion);
    let bytes = 0;
    for (const object of others) bytes += this.#refresh(keyOf(object))?.bytes ?? 0;
    const missing = others.filter((object) => !this.#byRevision.has(keyOf(object)));
    await mapLimit(missing, lanes, async (object) => {
      const converted = await this.#convert(object, signal);
      const entry = { object: converted, bytes: JSON.stringify(converted).length };
      bytes += entry.bytes;
      if (bytes > this.#bounds.maxBytes) throw this.#tooLarge();
      this.#keep(keyOf(object), entry);
    });
    this.#forgetOthers(others.length);
  }

  /** A prepared object in this version. */
  find(object: KubeObject): KubeObject {
    if (object.apiVersion === this.#apiVersion) return object;
    const found = this.#byRevision.get(keyOf(object));
    if (found !== undefined) return found.object;
    const message = `object ${keyOf(object)} is not available in version ${this.#apiVersion}`;
    throw new StatusError({ code: 500, reason: 'InternalError', message });
  }

  #refresh(key: string): Converted | undefined {
    const entry = this.#byRevision.get(key);
    if (entry === undefined) return undefined;
    this.#byRevision.delete(key);
    this.#byRevision.set(key, entry);
    return entry;
  }

  #keep(key: string, entry: Converted): void {
    this.#bytes += entry.bytes - (this.#byRevision.get(key)?.bytes ?? 0);
    this.#byRevision.set(key, entry);
  }

  /** All but the last `needed`, as far as there are too many. */
  #forgetOthers(needed: number): void {
    for (const [key, { bytes }] of this.#byRevision) {
      const isWithin = this.#byRevision.size <= this.#bounds.maxObjects && this.#bytes <= this.#bounds.maxBytes;
      if (isWithin || this.#byRevision.size <= needed) return;
      this.#byRevision.delete(key);
      this.#bytes -= bytes;
    }
  }

  #tooLarge(): StatusError {
    const limit = `more than ${this.#bounds.maxBytes} bytes`;
    const message = `the objects of this request have ${limit} after the conversion webhook changed them to ${this.#apiVersion}: request fewer at a time, by limit and continue`;
    return new StatusError({ code: 413, reason: 'RequestEntityTooLarge', message });
  }
}

/** No two states of objects have the same. */
function keyOf({ metadata }: KubeObject): string {
  return `${metadata.uid ?? ''}/${metadata.resourceVersion ?? ''}`;
}
