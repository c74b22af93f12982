import {
  type JsonObject,
  type Logger,
  TerminalError,
  type TracedWork,
  traced,
  withDeadline,
} from '../../src/base/index.ts';
import type { Metrics } from '../../src/metrics/index.ts';
import { type ReviewRequest, readReview } from '../review/request.ts';
import { renderResponse } from '../review/response.ts';
import { type AdmissionResult, decisionOf, denyUndecodable } from '../review/result.ts';
import type { ReviewContext, WebhookDefinition } from '../review/webhook-definition.ts';

/** Shorter than the API server's timeout of 10 s, so that the response can give the reason. */
const factsDeadlineMs = 8_000;

/** What reviews need. */
export interface ReviewDeps extends Omit<ReviewContext, 'signal'> {
  readonly log: Logger;
  readonly metrics: Metrics | undefined;
}

/** An AdmissionReview v1 that satisfies `reviewSchema`, and its trace. */
export interface ReceivedReview {
  readonly body: JsonObject;
  readonly traceparent: string | undefined;
}

/** The result of the webhook's rules.
 *  @throws what the reader of facts throws */
async function evaluate(
  { name, check }: WebhookDefinition,
  request: ReviewRequest,
  deps: ReviewDeps,
): Promise<AdmissionResult> {
  try {
    const deadline = { deadlineMs: factsDeadlineMs };
    return await withDeadline(`facts for ${name}`, deadline, (signal) => check(request, { ...deps, signal }));
  } catch (thrown) {
    if (thrown instanceof TerminalError && thrown.reason === 'InvalidObject') return denyUndecodable(thrown.message);
    throw thrown;
  }
}

/** Answers an AdmissionReview; logged, counted and traced.
 *  @throws what the reader of facts throws */
export async function review(
  webhook: WebhookDefinition,
  { body, traceparent: parent }: ReceivedReview,
  deps: ReviewDeps,
): Promise<JsonObject> {
  const { log, metrics } = deps;
  const { name } = webhook;
  const startedMs = performance.now();
  const count = (decision: string): void => {
    metrics?.add('longshore_webhook_reviews_total', { webhook: name, decision });
    metrics?.time('longshore_webhook_review_duration_seconds', { webhook: name }, performance.now() - startedMs);
  };
  const attributes: TracedWork['attributes'] = {};
  const request = readReview(body);
  try {
    const result = await traced({ name: `review ${name}`, kind: 'server', attributes, parent }, async () => {
      const found = await evaluate(webhook, request, deps);
      attributes['longshore.decision'] = decisionOf(found);
      return found;
    });
    count(decisionOf(result));
    const denials = result.denials.map(({ text }) => text);
    log.debug({ webhook: name, operation: request.operation, name: request.name, denials }, 'reviewed');
    return renderResponse(request.uid, result);
  } catch (thrown) {
    count('failed');
    throw thrown;
  }
}
