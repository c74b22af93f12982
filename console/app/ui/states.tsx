import type { ComponentChildren, JSX } from 'preact';
import { ApiError } from '../lib/api.ts';
import { userName } from '../lib/session.ts';
import type { Watched } from '../lib/watches.ts';
import { texts } from '../texts.ts';
import { Icon, type IconName } from './icon.tsx';
import { copyText, Panel } from './parts.tsx';

/** Lines that appear when loading takes a while. */
export function Skeleton({ lines = 4 }: { readonly lines?: number }): JSX.Element {
  const widths = ['62%', '84%', '48%', '73%', '56%', '80%'];
  return (
    <div class="stack tight" style={{ padding: '16px' }} aria-busy="true">
      <span class="visually-hidden">{texts.states.loading}</span>
      {Array.from({ length: lines }, (_, index) => (
        <div key={index} class="skeleton" style={{ width: widths[index % widths.length] }} />
      ))}
    </div>
  );
}

/** What would be here, and how to get it. */
export function Empty(props: {
  readonly icon?: IconName;
  readonly title: string;
  /** It is all that the page has. */
  readonly isPage?: boolean;
  readonly children?: ComponentChildren;
}): JSX.Element {
  const { icon = 'boxes', title, isPage = false, children } = props;
  return (
    <div class="state">
      <Icon name={icon} />
      {isPage ? <h1>{title}</h1> : <h2>{title}</h2>}
      {children !== undefined && <div class="muted stack tight">{children}</div>}
    </div>
  );
}

/** The role that a refusal of the API server asks for: `cannot list resource "bundles" in API group "core.rukpak.io"`, in a namespace where it names one. */
function roleFor(message: string): string | undefined {
  const found = /cannot (\w+) resource "([^"]+)" in API group "([^"]*)"(?: in the namespace "([^"]+)")?/.exec(message);
  const [, verb, resource, group = '', namespace] = found ?? [];
  if (verb === undefined || resource === undefined) return undefined;
  const verbs = verb === 'list' || verb === 'watch' ? 'get, list, watch' : verb;
  return `apiVersion: rbac.authorization.k8s.io/v1
kind: ${namespace === undefined ? 'ClusterRole' : 'Role'}
metadata:
  name: longshore-console-${resource.replaceAll('/', '-')}${namespace === undefined ? '' : `\n  namespace: ${namespace}`}
rules:
- apiGroups: ["${group}"]
  resources: [${resource}]
  verbs: [${verbs}]`;
}

/** Which permission is missing, for whom, and what would grant it. */
export function Forbidden({ message }: { readonly message: string }): JSX.Element {
  const role = roleFor(message);
  return (
    <div class="state" role="alert">
      <Icon name="lock" />
      <h2>{texts.states.forbidden}</h2>
      <p class="message">{message}</p>
      {role !== undefined && (
        <>
          <p class="muted">{texts.states.forbiddenHint(userName())}</p>
          <pre class="code" tabIndex={0}>
            {role}
          </pre>
          <button type="button" class="button" onClick={() => copyText(role)}>
            <Icon name="copy" />
            {texts.states.copyDetails}
          </button>
        </>
      )}
    </div>
  );
}

/** What went wrong, and what to do. */
export function Failure({ thrown, onRetry }: { readonly thrown: unknown; readonly onRetry?: () => void }): JSX.Element {
  const error = thrown instanceof Error ? thrown : new Error(String(thrown));
  const isForbidden = (error instanceof ApiError && error.status === 403) || roleFor(error.message) !== undefined;
  if (isForbidden) return <Forbidden message={error.message} />;
  const advice = error instanceof ApiError ? error.advice : '';
  return (
    <div class="state" role="alert">
      <Icon name="failed" />
      <h2>{texts.states.failed}</h2>
      <p class="message">{error.message}</p>
      {advice !== '' && <p>{advice}</p>}
      <div class="row">
        {onRetry !== undefined && (
          <button type="button" class="button" onClick={onRetry}>
            <Icon name="refresh" />
            {texts.states.retry}
          </button>
        )}
        <button type="button" class="button quiet" onClick={() => copyText(error.message)}>
          <Icon name="copy" />
          {texts.states.copyDetails}
        </button>
      </div>
    </div>
  );
}

/** A page that could not be drawn. */
export function Broken({ thrown, onRetry }: { readonly thrown: unknown; readonly onRetry: () => void }): JSX.Element {
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return (
    <div class="state" role="alert">
      <Icon name="failed" />
      <h1>{texts.states.broken}</h1>
      <p class="message">{message}</p>
      <p class="muted">{texts.states.brokenHint}</p>
      <div class="row">
        <button type="button" class="button" onClick={onRetry}>
          <Icon name="refresh" />
          {texts.states.retry}
        </button>
        <button type="button" class="button quiet" onClick={() => copyText(message)}>
          <Icon name="copy" />
          {texts.states.copyDetails}
        </button>
      </div>
    </div>
  );
}

/** A page that has nothing yet but its title, and what is in the place of its content. */
export function PageState(props: { readonly title: string; readonly children: ComponentChildren }): JSX.Element {
  return (
    <div class="stack">
      <h1>{props.title}</h1>
      {props.children}
    </div>
  );
}

/** What is in the place of rows; undefined where they are known. */
export function stateOf({ state, message }: Watched<unknown>): JSX.Element | undefined {
  if (state === 'loading') return <Skeleton />;
  if (state === 'forbidden') return <Forbidden message={message} />;
  return state === 'failed' ? <Failure thrown={new Error(message)} /> : undefined;
}

/** The content of a watch, or the state in its place. */
export function WatchContent<T>(props: {
  readonly watched: Watched<T>;
  readonly empty: ComponentChildren;
  /** Of a panel around a state; without it the content is in a panel already. */
  readonly title?: string;
  readonly children: (rows: readonly T[]) => ComponentChildren;
}): JSX.Element {
  const { watched, empty, title, children } = props;
  const rows = [...watched.rows.values()];
  if (rows.length > 0) return <>{children(rows)}</>;
  const state = stateOf(watched);
  if (state === undefined) return <>{empty}</>;
  return title === undefined ? state : <Panel title={title}>{state}</Panel>;
}
