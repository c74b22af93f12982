import { sha256Digest } from '../../base/index.ts';
import type { HeldSources } from '../catalog-source/views.ts';
import type { NamespaceAnswer } from './answer.ts';
import type { NamespaceQuestion } from './question.ts';

interface Known {
  readonly key: string;
  readonly answer: NamespaceAnswer;
}

/** The last answer of each namespace: the same question to the same catalogs is not asked twice. */
export class LastAnswers {
  readonly #known = new Map<string, Known>();
  readonly #numbers = new WeakMap<object, number>();
  #count = 0;

  /** What the answer depends on. */
  keyOf(question: NamespaceQuestion, { catalogs, places }: HeldSources): string {
    const from = places ?? catalogs.map((view) => this.#numberOf(view));
    return sha256Digest(JSON.stringify([question, from]));
  }

  get(namespace: string, key: string): NamespaceAnswer | undefined {
    const known = this.#known.get(namespace);
    return known?.key === key ? known.answer : undefined;
  }

  set(namespace: string, key: string, answer: NamespaceAnswer): void {
    this.#known.set(namespace, { key, answer });
  }

  forget(namespace: string): void {
    this.#known.delete(namespace);
  }

  #numberOf(view: object): number {
    const known = this.#numbers.get(view);
    if (known !== undefined) return known;
    this.#count += 1;
    this.#numbers.set(view, this.#count);
    return this.#count;
  }
}
