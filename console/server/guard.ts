import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ConsoleProblem } from './problem.ts';

/** Under which names the console is reached. */
export interface Origins {
  /** `127.0.0.1:8080`, lower case. */
  readonly hosts: ReadonlySet<string>;
  readonly isSecure: boolean;
}

/** Nothing is loaded from elsewhere, nothing runs that is not a file of ours, and no page of another origin frames it. */
const contentPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

const headers: Readonly<Record<string, string>> = {
  'content-security-policy': contentPolicy,
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), microphone=(), geolocation=(), payment=(), usb=()',
};

/** A page of another site whose name resolves to this machine sends its own name. */
function assertHost({ headers: sent }: FastifyRequest, { hosts }: Origins): void {
  const host = (sent.host ?? '').toLowerCase();
  if (hosts.has(host)) return;
  const known = [...hosts].join(', ');
  throw new ConsoleProblem(421, 'UnknownHost', {
    message: `the console is not served as "${host.slice(0, 253)}", but as ${known}`,
    advice: 'open it by one of these names, or add the name with --external-url',
  });
}

/** Browsers name the site that a request comes from; a request of another origin is none of ours. */
function assertSameOrigin(request: FastifyRequest, { hosts }: Origins): void {
  const { origin, 'sec-fetch-site': site, 'sec-fetch-mode': mode } = request.headers;
  const isNavigation = mode === 'navigate' && request.method === 'GET';
  const isForeignSite = site !== undefined && site !== 'same-origin' && site !== 'none' && !isNavigation;
  const isForeignOrigin = origin !== undefined && !(URL.canParse(origin) && hosts.has(new URL(origin).host));
  if (!isForeignSite && !isForeignOrigin) return;
  throw new ConsoleProblem(403, 'ForeignOrigin', { message: 'the request comes from a page of another origin' });
}

/** Sets the security headers of every response, and refuses requests of other names and origins before anything reads them. */
export function addGuard(app: FastifyInstance, origins: () => Origins): void {
  app.addHook('onRequest', async (request, reply) => {
    void reply.headers(headers);
    // What a user has seen is not left in the browser for the next one; icons and files of the page have policies of their own.
    if (request.url.startsWith('/api/')) void reply.header('cache-control', 'no-store');
    if (origins().isSecure) void reply.header('strict-transport-security', 'max-age=31536000');
    // A kubelet that probes does not know the name.
    if (request.url === '/healthz') return;
    assertHost(request, origins());
    assertSameOrigin(request, origins());
  });
}
