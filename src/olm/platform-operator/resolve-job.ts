import type { CatalogPlace } from '../catalog-content/catalog-store.ts';
import type { PlacedChoice } from './choice.ts';
import type { NeedsQuestion, NextAnswer, NextQuestion } from './resolve-answers.ts';

interface Asked<Question> {
  readonly question: Question;
  /** The catalogs that are asked. */
  readonly places: readonly CatalogPlace[];
}

/** What the thread that resolves may be asked. */
export interface ResolverJobs {
  readonly next: { readonly input: Asked<NextQuestion>; readonly result: NextAnswer };
  readonly needs: { readonly input: Asked<NeedsQuestion>; readonly result: readonly PlacedChoice[] };
}
