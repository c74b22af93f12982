import { type ObjectSummary, summaryOf } from '../core/index.ts';
import type { StoredEntry } from '../storage/index.ts';

/** Of the labels and the selector of an object, in characters: larger ones are parsed again once their memory was needed. */
const maxCharacters = 2_000;
/** How many are remembered; then they are forgotten all together, replaced and deleted ones among them. */
const maxSummaries = 50_000;

/** Remembers who controls an object, and what is large only until its memory is needed. */
class LargeSummary implements ObjectSummary {
  readonly controllerUid: string;
  readonly isDeleting: boolean;
  readonly #entry: StoredEntry;
  #whole: WeakRef<ObjectSummary> | undefined;

  constructor(entry: StoredEntry, { controllerUid, isDeleting }: ObjectSummary) {
    this.#entry = entry;
    this.controllerUid = controllerUid;
    this.isDeleting = isDeleting;
  }

  get labels(): ObjectSummary['labels'] {
    return this.#read().labels;
  }

  get selector(): ObjectSummary['selector'] {
    return this.#read().selector;
  }

  #read(): ObjectSummary {
    const known = this.#whole?.deref();
    if (known !== undefined) return known;
    const whole = summaryOf(this.#entry.object);
    this.#whole = new WeakRef(whole);
    return whole;
  }
}

/** Summaries of stored objects. To find the few objects that concern a controller among ten thousand, these are not parsed again each time. */
export class ObjectSummaries {
  #known = new WeakMap<StoredEntry, ObjectSummary>();
  #count = 0;

  of(entry: StoredEntry): ObjectSummary {
    const known = this.#known.get(entry);
    if (known !== undefined) return known;
    const whole = summaryOf(entry.object);
    if (whole.controllerUid.length > maxCharacters) return whole;
    const isLarge = JSON.stringify([whole.labels, whole.selector]).length > maxCharacters;
    const summary = isLarge ? new LargeSummary(entry, whole) : whole;
    this.#remember(entry, summary);
    return summary;
  }

  #remember(entry: StoredEntry, summary: ObjectSummary): void {
    if (this.#count >= maxSummaries) {
      this.#known = new WeakMap();
      this.#count = 0;
    }
    this.#known.set(entry, summary);
    this.#count += 1;
  }
}
