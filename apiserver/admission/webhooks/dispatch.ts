import { errorMessage, isJsonObject, type JsonObject } from '../../../src/base/index.ts';
import { type AdmissionRequest, badRequest, internalError, type StatusDetails, StatusError } from '../../core/index.ts';
import { requestLookup } from '../expression-values.ts';
import { checkMatchConditions } from '../match-conditions.ts';
import { refusal } from '../refusal.ts';
import type { HookCaller } from './call.ts';
import type { Hook } from './hook.ts';
import type { MatchedHook } from './matching.ts';
import { buildReview, InvalidReviewError, type ReviewResponse, readReview } from './review.ts';

function denialDetails({ details }: JsonObject): { details: StatusDetails } | undefined {
  return isJsonObject(details) ? { details: details as StatusDetails } : undefined;
}

function denialOf(hook: Hook, status: JsonObject | undefined): StatusError {
  const subject = `admission webhook "${hook.name}" denied the request`;
  const { message, reason, code } = status ?? {};
  const explanation = [message, reason].find((text) => typeof text === 'string' && text !== '');
  return new StatusError({
    code: typeof code === 'number' && code >= 400 && code < 600 ? code : 400,
    reason: typeof reason === 'string' ? reason : undefined,
    message: typeof explanation === 'string' ? `${subject}: ${explanation}` : `${subject} without explanation`,
    ...denialDetails(status ?? {}),
  });
}

function callFailure(hook: Hook, thrown: unknown): StatusError {
  const text = errorMessage(thrown);
  const tail = thrown instanceof InvalidReviewError ? text : `failed to call webhook: ${text}`;
  return internalError(`failed calling webhook "${hook.name}": ${tail}`, thrown);
}

/** Whether the conditions of a hook let it be called.
 *  @throws StatusError 403 when they cannot be evaluated and `failurePolicy` is Fail */
function meetsConditions({ hook, type }: MatchedHook, request: AdmissionRequest, caller: HookCaller): boolean {
  if (hook.conditions.length === 0) return true;
  const match = checkMatchConditions(hook.conditions, requestLookup(request, caller.authorizer, { type }));
  if (typeof match === 'boolean') return match;
  if (hook.failurePolicy === 'Ignore') return false;
  throw refusal(request, match.problem);
}

async function ask(
  caller: HookCaller,
  { hook, type }: MatchedHook,
  request: AdmissionRequest,
): Promise<ReviewResponse> {
  const { uid, review } = buildReview(request, type);
  return readReview(await caller.call(hook, review, request.signal), uid);
}

/** Asks one webhook. Undefined when its failure, or a condition that cannot be evaluated, is to be ignored.
 *  @throws StatusError the denial, or the failure where `failurePolicy` is Fail */
export async function dispatch(
  caller: HookCaller,
  matched: MatchedHook,
  request: AdmissionRequest,
): Promise<ReviewResponse | undefined> {
  const { hook } = matched;
  if (!meetsConditions(matched, request, caller)) return undefined;
  if (request.dryRun && hook.hasSideEffects) {
    throw badRequest(`admission webhook "${hook.name}" does not support dry run`);
  }
  let response: ReviewResponse;
  try {
    response = await ask(caller, matched, request);
  } catch (thrown) {
    request.signal.throwIfAborted();
    if (hook.failurePolicy === 'Ignore') return undefined;
    throw callFailure(hook, thrown);
  }
  for (const warning of response.warnings) request.warn(warning);
  if (!response.allowed) throw denialOf(hook, response.status);
  return response;
}
