import type { SessionInfo } from '../../server/wire.ts';
import { createStore, type Store } from './store.ts';

/** Who is signed in; `undefined` while that is not known, `null` when no one is. */
export const session: Store<SessionInfo | null | undefined> = createStore<SessionInfo | null | undefined>(undefined);

/** The name of the user, for texts. */
export function userName(): string {
  return session.get()?.user ?? 'you';
}

/** Whether a session has ended while its page was open. */
export const hasEnded: Store<boolean> = createStore(false);

/** The session has ended, and the user did not end it. */
export function endSession(): void {
  hasEnded.set(true);
  session.set(null);
}

let lastUser: string | undefined;

/** Begins with a session, unless it is that of another user: what the page holds of the user before goes with the page, which is loaded again. */
export function beginSession(found: SessionInfo): boolean {
  if (lastUser !== undefined && lastUser !== found.user) {
    window.location.reload();
    return false;
  }
  lastUser = found.user;
  hasEnded.set(false);
  session.set(found);
  return true;
}
