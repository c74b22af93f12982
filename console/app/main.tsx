import { render } from 'preact';
import type { SessionInfo } from '../server/wire.ts';
import { Frame } from './frame.tsx';
import { request, useSession } from './lib/api.ts';
import { startRouter } from './lib/router.ts';
import { session } from './lib/session.ts';
import { startSettings } from './lib/settings.ts';
import { startClock } from './lib/time.ts';
import { watchConnection } from './lib/watches.ts';

async function findSession(): Promise<void> {
  try {
    const found = await request<SessionInfo>('/api/session');
    useSession(found);
    session.set(found);
  } catch {
    session.set(null);
  }
}

startSettings();
startRouter();
startClock();
watchConnection(() => session.set(null));
const root = document.querySelector('#app');
if (root !== null) render(<Frame />, root);
void findSession();
