import { type ObjectSummary, summaryOf } from '../core/index.ts';
import type { StoredEntry } from '../storage/index.ts';

/** Of the labels and the selector of an object, in characters: larger ones are parsed whenever they are asked for. */
const maxCharacters = 2_000;
/** How many are remembered; then they are forgotten all together, replaced and deleted ones among them. */
const maxSummaries = 50_000;

/** Summaries of stored objects. To find the few objects that concern a controller among ten thousand, these are not parsed again each time. */
export class ObjectSummaries {
  #known = new WeakMap<StoredEntry, ObjectSummary>();
  #count = 0;

  of(entry: StoredEntry): ObjectSummary {
    const known = this.#known.get(entry);
    if (known !== undefined) return known;
    const summary = summaryOf(entry.object);
    if (JSON.stringify([summary.labels, summary.selector]).length <= maxCharacters) this.#remember(entry, summary);
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
