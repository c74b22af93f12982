import { workerUrl } from '../../base/index.ts';
import { QuestionThread, type ThreadLimits } from '../catalog-thread/question-thread.ts';
import type { HeldCatalogs } from '../cluster-catalog/views.ts';
import type { ExtensionAnswer, ExtensionQuestion } from '../cluster-extension/answer.ts';
import type { PlacedChoice } from '../platform-operator/choice.ts';
import type { NeedsQuestion, NextAnswer, NextQuestion } from '../platform-operator/resolve-answers.ts';
import type { ResolverJobs } from './resolve-job.ts';

/** The catalogs to ask, and a signal that aborts the question. */
interface AskOptions {
  readonly held: Pick<HeldCatalogs, 'places'>;
  readonly signal: AbortSignal;
}

/** Answers from catalogs, which may hold anything.
 *  @throws TransientError ResolutionCancelled when it took too much, CatalogReplaced · the signal's reason */
export interface Resolver {
  next(question: NextQuestion, options: AskOptions): Promise<NextAnswer>;
  needs(question: NeedsQuestion, options: AskOptions): Promise<readonly PlacedChoice[]>;
}

/** The same for ClusterExtensions. */
export interface ExtensionResolver {
  extension(question: ExtensionQuestion, options: AskOptions): Promise<ExtensionAnswer>;
}

/** Of questions that need much memory: catalogs and those who ask are of the whole cluster. */
const group = 'cluster';

/** Resolves in a separate thread. */
export class ResolverThread implements Resolver, ExtensionResolver, Disposable {
  readonly #thread: QuestionThread<ResolverJobs>;

  constructor(limits: Partial<ThreadLimits> = {}) {
    this.#thread = new QuestionThread(workerUrl(import.meta.url, 'resolve-worker'), limits);
  }

  async next(question: NextQuestion, { held: { places }, signal }: AskOptions): Promise<NextAnswer> {
    return await this.#thread.ask('next', { question, places }, { group, signal });
  }

  async needs(question: NeedsQuestion, { held: { places }, signal }: AskOptions): Promise<readonly PlacedChoice[]> {
    return await this.#thread.ask('needs', { question, places }, { group, signal });
  }

  async extension(question: ExtensionQuestion, { held: { places }, signal }: AskOptions): Promise<ExtensionAnswer> {
    return await this.#thread.ask('extension', { question, places }, { group, signal });
  }

  [Symbol.dispose](): void {
    this.#thread[Symbol.dispose]();
  }
}
