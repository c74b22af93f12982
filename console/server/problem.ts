import type { FastifyReply } from 'fastify';
import { errorMessage, type Logger } from '../../src/base/index.ts';
import { isKubeError } from '../../src/kube/index.ts';
import type { Problem } from './wire.ts';

/** An answer that is an error, in the words of the console. */
export class ConsoleProblem extends Error {
  readonly status: number;
  readonly reason: string;
  readonly advice: string | undefined;

  constructor(status: number, reason: string, text: { readonly message: string; readonly advice?: string }) {
    super(text.message);
    this.status = status;
    this.reason = reason;
    this.advice = text.advice;
  }
}

function problemOf(thrown: unknown): { readonly status: number; readonly problem: Problem } {
  if (thrown instanceof ConsoleProblem) {
    const { status, reason, message, advice } = thrown;
    return { status, problem: { reason, message, ...(advice === undefined ? {} : { advice }) } };
  }
  if (isKubeError(thrown)) {
    const { status, reason, message } = thrown.failure;
    return { status: status === 0 ? 502 : status, problem: { reason, message } };
  }
  const { statusCode = 500, code = 'BadRequest' } = thrown as { statusCode?: number; code?: string };
  if (statusCode >= 400 && statusCode < 500) {
    return { status: statusCode, problem: { reason: code, message: errorMessage(thrown) } };
  }
  return { status: 500, problem: { reason: 'InternalError', message: 'internal error: see the log of the console' } };
}

/** Answers with what went wrong; what is our own fault is logged, and reported without details. */
export async function sendProblem(log: Logger, thrown: unknown, reply: FastifyReply): Promise<void> {
  const { status, problem } = problemOf(thrown);
  if (status === 500) log.error({ err: thrown }, 'request of the console failed');
  await reply.code(status).send(problem);
}
