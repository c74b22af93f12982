import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { SessionInfo, SignInInfo } from '../../server/wire.ts';
import { ApiError, readSession, request, signIn } from '../lib/api.ts';
import { useLoad } from '../lib/load.ts';
import { go } from '../lib/router.ts';
import { beginSession, hasEnded } from '../lib/session.ts';
import { useStore } from '../lib/store.ts';
import { texts } from '../texts.ts';
import { Notice } from '../ui/parts.tsx';

/** The secret of the link, which is removed from the address at once. */
function takeSecret(): string {
  const secret = window.location.pathname === '/sign-in' ? window.location.hash.slice(1) : '';
  if (secret !== '') window.history.replaceState(null, '', '/sign-in');
  return secret;
}

const linkSecret = takeSecret();

function begin(found: SessionInfo): void {
  if (window.location.pathname === '/sign-in') go('/', { isReplacing: true });
  beginSession(found);
}

/** The user may sign in on another page of the browser: this one goes on when it is looked at again. */
function useOtherSignIn(): void {
  useEffect(() => {
    const look = (): void => {
      if (!document.hidden) readSession().then(begin, () => undefined);
    };
    document.addEventListener('visibilitychange', look);
    window.addEventListener('focus', look);
    return () => {
      document.removeEventListener('visibilitychange', look);
      window.removeEventListener('focus', look);
    };
  }, []);
}

/** How to get in. */
export function SignIn(): JSX.Element {
  const [thrown, setThrown] = useState<unknown>();
  const [token, setToken] = useState('');
  const [isWorking, setWorking] = useState(linkSecret !== '');
  const info = useLoad('sign-in', () => request<SignInInfo>('/api/sign-in'));
  const attempt = (work: Promise<SessionInfo>): void => {
    setWorking(true);
    setThrown(undefined);
    work.then(begin, setThrown).finally(() => setWorking(false));
  };
  useEffect(() => {
    if (linkSecret === '') return;
    attempt(signIn('link', { secret: linkSecret }));
  }, []);
  useOtherSignIn();
  const startOidc = (): void => {
    request<{ url: string }>('/api/sign-in/oidc', { method: 'POST', body: {} }).then(({ url }) => {
      window.location.href = url;
    }, setThrown);
  };
  const methods = info.value?.methods ?? [];
  const error = thrown instanceof ApiError ? thrown : undefined;
  return (
    <main class="sign-in">
      <div class="panel">
        <h1>{texts.signIn.title}</h1>
        {useStore(hasEnded) && <Notice tone="info" title={texts.signIn.ended} />}
        {isWorking && <p aria-live="polite">{texts.signIn.working}</p>}
        {error !== undefined && (
          <Notice tone="danger" title={error.message}>
            {error.advice !== '' && <p>{error.advice}</p>}
          </Notice>
        )}
        {methods.includes('link') && <p class="muted">{texts.signIn.byLink}</p>}
        {methods.includes('oidc') && (
          <button type="button" class="button primary" onClick={startOidc}>
            {texts.signIn.byOidc}
          </button>
        )}
        <form
          class="stack tight"
          onSubmit={(event) => {
            event.preventDefault();
            attempt(signIn('token', { token }));
          }}
        >
          <label class="field">
            {texts.signIn.token}
            <input
              type="password"
              autocomplete="off"
              value={token}
              onInput={(event) => setToken(event.currentTarget.value)}
              required
            />
            <span class="hint">{texts.signIn.tokenHint}</span>
          </label>
          <button type="submit" class="button" disabled={isWorking}>
            {texts.signIn.byToken}
          </button>
        </form>
      </div>
    </main>
  );
}
