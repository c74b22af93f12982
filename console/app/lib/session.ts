import type { SessionInfo } from '../../server/wire.ts';
import { createStore, type Store } from './store.ts';

/** Who is signed in; `undefined` while that is not known, `null` when no one is. */
export const session: Store<SessionInfo | null | undefined> = createStore<SessionInfo | null | undefined>(undefined);

/** The name of the user, for texts. */
export function userName(): string {
  return session.get()?.user ?? 'you';
}
