import type { FastifyReply } from 'fastify';
import { ConsoleProblem } from './problem.ts';
import type { Session } from './sessions.ts';

/** Counts a text that is in memory until the browser has it, whatever it is sent as.
 *  @throws ConsoleProblem 429 while the user has too many of them */
export function holdAnswer(session: Session, reply: FastifyReply, characters: number): void {
  const share = session.openAnswer();
  reply.raw.once('close', () => share[Symbol.dispose]());
  // Once as what it is, once as what is sent.
  if (share.add(2 * characters)) return;
  throw new ConsoleProblem(429, 'NoRoomForAnswer', {
    message: 'there is no room for the answer, as others are still being sent to you: try again when they have arrived',
  });
}
