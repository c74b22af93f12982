import type { Cancellation } from '../catalog-thread/cancellation.ts';
import type { IndexPlace } from '../catalog-thread/open-places.ts';
import type { NamespaceAnswer } from './answer.ts';
import type { NamespaceQuestion } from './question.ts';

/** What the thread that resolves namespaces may be asked. */
export interface NamespaceJobs {
  readonly namespace: {
    readonly input: {
      readonly question: NamespaceQuestion;
      readonly places: readonly IndexPlace[];
      readonly cancellation: Cancellation;
    };
    readonly result: NamespaceAnswer;
  };
}
