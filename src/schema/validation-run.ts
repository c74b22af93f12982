import type { JsonValue } from '../base/index.ts';
import type { FieldError } from './field-error.ts';

/** One check of a value: reports problems to the run, and returns the number of passed checks (of several branches the one with most is shown).
 *  `old` is the value at the same place of the stored object, where there is one. */
export type Check = (value: JsonValue, old: JsonValue | undefined, run: ValidationRun) => number;

/** Checks of parts of a value, and characters that are looked at or reported, in one validation. A schema and a value of a few megabytes multiply
 *  to billions; those that are published need a million. */
const maxChecks = 20_000_000;

/** What an error counts beside its text: it takes a hundred times as long as a check. */
const checksOfError = 100;

/** The first error of a validation that has ended before everything was checked. */
export const tooManyChecks: FieldError = {
  field: '<nil>',
  reason: 'FieldValueTooMany',
  message: `Too many: to validate this object by its schema takes more than ${maxChecks} checks: shorten its lists, or simplify the schema`,
};

/** Ends a validation. */
export class TooManyChecks extends Error {}

/** The errors of one validation, and where in the value it is. */
export class ValidationRun {
  #errors: FieldError[] = [];
  #left = maxChecks;
  readonly #steps: string[] = [];
  readonly #root: string;

  /** `root` stands before every field; empty for whole objects. */
  constructor(root: string) {
    this.#root = root;
  }

  get count(): number {
    return this.#errors.length;
  }

  /** The place as messages call it: `spec.items[0].name`, empty at the top. */
  get path(): string {
    return this.#steps.join('');
  }

  /** The errors, each once. */
  get errors(): FieldError[] {
    if (this.#errors.length < 2) return this.#errors;
    return [...new Map(this.#errors.map((error) => [`${error.field}\n${error.message}`, error])).values()];
  }

  isAtTop(): boolean {
    return this.#steps.length === 0;
  }

  enter(step: string): void {
    this.#steps.push(step);
  }

  leave(): void {
    this.#steps.pop();
  }

  /** The field that a path names: below the root, `<nil>` where there is nothing to name. */
  fieldOf(path: string): string {
    const name = path.startsWith('.') ? path.slice(1) : path;
    if (this.#root === '') return name === '' ? '<nil>' : name;
    return name === '' ? this.#root : `${this.#root}.${name}`;
  }

  /** Counts checks before they are made.
   *  @throws TooManyChecks */
  spend(checks: number): void {
    this.#left -= checks;
    if (this.#left < 0) throw new TooManyChecks(tooManyChecks.message);
  }

  report(error: FieldError): void {
    this.spend(checksOfError + error.field.length + error.message.length);
    this.#errors.push(error);
  }

  /** Forgets all errors but the first `count`: those of a part that has not changed. */
  forgetAfter(count: number): void {
    this.#errors.length = count;
  }

  /** What `work` reports, separately. */
  apart(work: () => number): { readonly errors: FieldError[]; readonly matches: number } {
    const before = this.#errors;
    this.#errors = [];
    try {
      const matches = work();
      return { errors: this.#errors, matches };
    } finally {
      this.#errors = before;
    }
  }

  /** A rule over several schemas is about the value as a whole: its place is in the text, the field is the root. */
  reportWhole(rule: string): void {
    const message = `Invalid value: "": "${this.path}" ${rule}`;
    this.report({ field: this.fieldOf(''), reason: 'FieldValueInvalid', message });
  }
}
