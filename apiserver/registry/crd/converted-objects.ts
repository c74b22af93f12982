import { mapLimit } from '../../../src/base/index.ts';
import { type KubeObject, StatusError } from '../../core/index.ts';

/** Objects that stay converted, at most. */
const capacity = 20_000;

/** How many objects are with the webhook at a time. */
const lanes = 8;

/** The objects of one version of a definition whose versions a webhook turns into each other. Reading them takes two steps: `prepare`, which may
 *  ask the webhook, and then `find`. */
export class ConvertedObjects {
  readonly #convert: (object: KubeObject, signal: AbortSignal) => Promise<KubeObject>;
  readonly #apiVersion: string;
  readonly #byRevision = new Map<string, KubeObject>();

  /** `convert` brings an object of another version into `apiVersion`. */
  constructor(apiVersion: string, convert: (object: KubeObject, signal: AbortSignal) => Promise<KubeObject>) {
    this.#convert = convert;
    this.#apiVersion = apiVersion;
  }

  /** Converts what is stored in another version and not converted yet.
   *  @throws StatusError 500 */
  async prepare(objects: readonly KubeObject[], signal: AbortSignal): Promise<void> {
    const missing = objects.filter(
      (object) => object.apiVersion !== this.#apiVersion && !this.#byRevision.has(keyOf(object)),
    );
    await mapLimit(missing, lanes, async (object) => {
      this.#byRevision.set(keyOf(object), await this.#convert(object, signal));
    });
    for (const key of this.#byRevision.keys()) {
      if (this.#byRevision.size <= Math.max(capacity, objects.length)) return;
      this.#byRevision.delete(key);
    }
  }

  /** A prepared object in this version. */
  find(object: KubeObject): KubeObject {
    if (object.apiVersion === this.#apiVersion) return object;
    const found = this.#byRevision.get(keyOf(object));
    if (found !== undefined) return found;
    const message = `object ${keyOf(object)} is not available in version ${this.#apiVersion}`;
    throw new StatusError({ code: 500, reason: 'InternalError', message });
  }
}

/** No two states of objects have the same. */
function keyOf({ metadata }: KubeObject): string {
  return `${metadata.uid ?? ''}/${metadata.resourceVersion ?? ''}`;
}
