import type { CommandResult, Problem, SessionInfo } from '../../server/wire.ts';
import { texts } from '../texts.ts';
import { beginSession } from './session.ts';

let csrf = '';

function keepToken(session: SessionInfo): SessionInfo {
  csrf = session.csrf;
  return session;
}

/** What a Status of the API server reports of one field. */
interface Cause {
  readonly field?: string;
  readonly message?: string;
}

type Answer = Partial<Problem> & { readonly details?: { readonly causes?: readonly Cause[] } };

/** An answer that is an error. */
export class ApiError extends Error {
  readonly status: number;
  readonly reason: string;
  readonly advice: string;
  readonly causes: readonly Cause[];

  constructor(status: number, problem: Answer) {
    super(problem.message ?? `status ${status}`);
    this.status = status;
    this.reason = problem.reason ?? '';
    this.advice = problem.advice ?? '';
    this.causes = problem.details?.causes ?? [];
  }
}

async function problemOf(response: Response): Promise<ApiError> {
  try {
    return new ApiError(response.status, (await response.json()) as Answer);
  } catch {
    return new ApiError(response.status, {});
  }
}

interface Sending {
  readonly method?: string;
  readonly body?: unknown;
  readonly type?: string;
  readonly signal?: AbortSignal;
}

async function send(path: string, { method = 'GET', body, type, signal }: Sending): Promise<Response> {
  const hasBody = body !== undefined;
  const headers = {
    ...(method === 'GET' ? {} : { 'x-longshore-csrf': csrf }),
    ...(hasBody ? { 'content-type': type ?? 'application/json' } : {}),
  };
  const init = { method, headers, ...(hasBody ? { body: JSON.stringify(body) } : {}), ...(signal ? { signal } : {}) };
  try {
    return await fetch(path, init);
  } catch (thrown) {
    if (signal?.aborted === true) throw thrown;
    throw new ApiError(0, { reason: 'Unreachable', ...texts.states.unreachable });
  }
}

/** Sends a request to the server of the page.
 *  @throws ApiError */
export async function request<T>(path: string, sending: Sending = {}): Promise<T> {
  let response = await send(path, sending);
  if (response.status === 403 && (await isOfNewSession(response.clone()))) response = await send(path, sending);
  if (!response.ok) throw await problemOf(response);
  const isJson = (response.headers.get('content-type') ?? '').includes('json');
  return (isJson ? await response.json() : await response.text()) as T;
}

/** Who is signed in.
 *  @throws ApiError 401 where no one is */
export async function readSession(): Promise<SessionInfo> {
  return keepToken(await request<SessionInfo>('/api/session'));
}

/** Signs in.
 *  @throws ApiError */
export async function signIn(method: 'link' | 'token', body: Readonly<Record<string, string>>): Promise<SessionInfo> {
  return keepToken(await request<SessionInfo>(`/api/sign-in/${method}`, { method: 'POST', body }));
}

/** Whether the same user has signed in again on another page, so that the request was of the session before. */
async function isOfNewSession(response: Response): Promise<boolean> {
  const { reason } = await problemOf(response);
  return reason === 'TokenMissing' && beginSession(await readSession());
}

/** Fewer than the server lets one user run: others wait here, and are dropped with the view that asked for them. */
const maxCommands = 4;
let running = 0;
const waiting: (() => void)[] = [];

async function inTurn<T>(signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
  if (running >= maxCommands) await new Promise<void>((resolve) => waiting.push(resolve));
  running += 1;
  try {
    signal?.throwIfAborted();
    return await work();
  } finally {
    running -= 1;
    waiting.shift()?.();
  }
}

/** Runs a command of the program as the viewer. */
export async function runCommand(
  name: string,
  body: Readonly<Record<string, unknown>>,
  signal?: AbortSignal,
): Promise<CommandResult> {
  const options = { method: 'POST', body, ...(signal ? { signal } : {}) };
  return await inTurn(signal, () => request<CommandResult>(`/api/commands/${name}`, options));
}

/** The path of an object of the API. */
export function objectPath(
  { apiVersion, plural }: { readonly apiVersion: string; readonly plural: string },
  namespace: string,
  name = '',
): string {
  const root = apiVersion.includes('/') ? `/k8s/apis/${apiVersion}` : `/k8s/api/${apiVersion}`;
  const place = namespace === '' ? '' : `/namespaces/${namespace}`;
  return `${root}${place}/${plural}${name === '' ? '' : `/${name}`}`;
}

interface Access {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly namespace?: string;
  readonly name?: string;
}

const answers = new Map<string, Promise<boolean>>();

/** Whether the viewer may do something; asked once a page. */
export function mayDo(access: Access): Promise<boolean> {
  const key = JSON.stringify(access);
  const known = answers.get(key);
  if (known !== undefined) return known;
  const review = {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SelfSubjectAccessReview',
    spec: { resourceAttributes: access },
  };
  const asked = request<{ status?: { allowed?: boolean } }>(
    '/k8s/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
    { method: 'POST', body: review },
  ).then(
    ({ status }) => status?.allowed === true,
    () => true,
  );
  answers.set(key, asked);
  setTimeout(() => answers.delete(key), 30_000);
  return asked;
}
