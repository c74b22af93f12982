import type { CatalogPlace } from '../catalog-content/catalog-store.ts';
import type { ExtensionAnswer, ExtensionQuestion } from '../cluster-extension/answer.ts';
import type { PlacedChoice } from '../platform-operator/choice.ts';
import type { NeedsQuestion, NextAnswer, NextQuestion } from '../platform-operator/resolve-answers.ts';

interface Asked<Question> {
  readonly question: Question;
  /** The catalogs that are asked. */
  readonly places: readonly CatalogPlace[];
}

/** What the thread that resolves may be asked. */
export interface ResolverJobs {
  readonly next: { readonly input: Asked<NextQuestion>; readonly result: NextAnswer };
  readonly needs: { readonly input: Asked<NeedsQuestion>; readonly result: readonly PlacedChoice[] };
  readonly extension: { readonly input: Asked<ExtensionQuestion>; readonly result: ExtensionAnswer };
}
