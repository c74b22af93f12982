import { workerUrl } from '../../base/index.ts';
import type { HeldSources } from '../catalog-source/views.ts';
import { QuestionThread } from '../catalog-thread/question-thread.ts';
import { answerNamespace, type NamespaceAnswer } from './answer.ts';
import type { NamespaceQuestion } from './question.ts';
import type { NamespaceJobs } from './resolve-job.ts';

/** Answers questions from the catalogs that are held.
 *  @throws TransientError ResolutionCancelled, CatalogReplaced · TerminalError DuplicateIdentifier · the signal's reason */
export interface NamespaceResolver extends Disposable {
  answer(question: NamespaceQuestion, held: HeldSources, signal: AbortSignal): Promise<NamespaceAnswer>;
}

/** Resolves in a separate thread, where that can read the catalogs. */
export function createResolver(): NamespaceResolver {
  const thread = new QuestionThread<NamespaceJobs>(workerUrl(import.meta.url, 'resolve-worker'));
  return {
    answer: async (question, { catalogs, places }, signal) => {
      if (places === undefined) return answerNamespace(question, catalogs);
      return await thread.ask('namespace', { question, places }, { group: question.namespace, signal });
    },
    [Symbol.dispose]: () => thread[Symbol.dispose](),
  };
}
