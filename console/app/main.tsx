import { render } from 'preact';
import { Frame } from './frame.tsx';
import { readSession } from './lib/api.ts';
import { startRouter } from './lib/router.ts';
import { beginSession, endSession, session } from './lib/session.ts';
import { startSettings } from './lib/settings.ts';
import { startClock } from './lib/time.ts';
import { watchConnection } from './lib/watches.ts';

async function findSession(): Promise<void> {
  try {
    beginSession(await readSession());
  } catch {
    session.set(null);
  }
}

startSettings();
startRouter();
startClock();
watchConnection(endSession);
const root = document.querySelector('#app');
if (root !== null) render(<Frame />, root);
void findSession();
