import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { SessionInfo, SignInInfo } from '../../server/wire.ts';
import { ApiError, request, useSession } from '../lib/api.ts';
import { useLoad } from '../lib/load.ts';
import { go } from '../lib/router.ts';
import { session } from '../lib/session.ts';
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
  useSession(found);
  if (window.location.pathname === '/sign-in') go('/', { isReplacing: true });
  session.set(found);
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
    attempt(request<SessionInfo>('/api/sign-in/link', { method: 'POST', body: { secret: linkSecret } }));
  }, []);
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
            attempt(request<SessionInfo>('/api/sign-in/token', { method: 'POST', body: { token } }));
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
