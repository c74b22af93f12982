import { workerUrl } from '../../base/index.ts';
import type { HeldSources } from '../catalog-source/views.ts';
import { cancellationBy } from '../catalog-thread/cancellation.ts';
import { QuestionThread } from '../catalog-thread/question-thread.ts';
import { answerNamespace, type NamespaceAnswer } from './answer.ts';
import type { NamespaceQuestion } from './question.ts';
import type { NamespaceJobs } from './resolve-job.ts';

/** Answers questions from the catalogs that are held.
 *  @throws TransientError ResolutionCancelled, CatalogReplaced · TerminalError DuplicateIdentifier · the signal's reason */
export interface NamespaceResolver extends Disposable {
  answer(question: NamespaceQuestion, held: HeldSources, signal: AbortSignal): Promise<NamespaceAnswer>;
}

/** Resolves in separate threads, where those can read the catalogs. */
export function createResolver(atATime = 1): NamespaceResolver {
  const thread = new QuestionThread<NamespaceJobs>(workerUrl(import.meta.url, 'resolve-worker'), { atATime });
  return {
    answer: async (question, { catalogs, places }, signal) => {
      if (places === undefined) return answerNamespace(question, catalogs);
      const input = { question, places, cancellation: cancellationBy(signal) };
      return await thread.ask('namespace', input, { group: question.namespace, signal });
    },
    [Symbol.dispose]: () => thread[Symbol.dispose](),
  };
}
