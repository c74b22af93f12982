import type { PlainError } from '../../base/index.ts';
import type { CatalogPlace } from '../cluster-catalog/catalog-store.ts';
import type { PlacedChoice } from './choice.ts';
import type { NeedsQuestion, NextAnswer, NextQuestion } from './study.ts';

/** What may be asked. */
export type Asked =
  | { readonly kind: 'next'; readonly question: NextQuestion }
  | { readonly kind: 'needs'; readonly question: NeedsQuestion };

/** To the thread; after `end` it ends by itself. */
export type ToResolver = 'end' | (Asked & { readonly places: readonly CatalogPlace[] });

/** From the thread: one for each that was asked. */
export type FromResolver =
  | { readonly kind: 'done'; readonly answer: NextAnswer | readonly PlacedChoice[] }
  | { readonly kind: 'failed'; readonly error: PlainError };
