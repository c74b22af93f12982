import { type TracedWork, traced } from '../base/index.ts';
import type { Metrics } from '../metrics/index.ts';
import type { Transport, WireRequest } from './transport.ts';

interface Question<T> {
  readonly request: WireRequest;
  readonly verb: string;
  readonly codeOf: (answer: T) => number;
  readonly ask: () => Promise<T>;
}

/** The same transport, which records every request in `metrics`, if any, and in traces. */
export function measuredTransport(transport: Transport, metrics: Metrics | undefined): Transport {
  const measured = async <T>({ verb, codeOf, ask }: Question<T>, what: TracedWork): Promise<T> => {
    const startedMs = performance.now();
    let code = 'none';
    try {
      const answer = await ask();
      code = String(codeOf(answer));
      what.attributes['http.response.status_code'] = codeOf(answer);
      return answer;
    } finally {
      metrics?.add('longshore_api_requests_total', { verb, code });
      metrics?.time('longshore_api_request_duration_seconds', { verb }, performance.now() - startedMs);
    }
  };
  const measure = async <T>(question: Question<T>): Promise<T> => {
    const { method, path } = question.request;
    const attributes = { 'http.request.method': method, 'url.path': path.replace(/\?.*/, '') };
    const what: TracedWork = { name: `kube-apiserver ${question.verb}`, kind: 'client', attributes };
    return await traced(what, () => measured(question, what));
  };
  return {
    exchange: (request) =>
      measure({
        request,
        verb: request.method,
        codeOf: ({ status }) => status,
        ask: () => transport.exchange(request),
      }),
    open: (request) =>
      measure({
        request,
        verb: 'WATCH',
        codeOf: ({ statusCode = 0 }) => statusCode,
        ask: () => transport.open(request),
      }),
    close: () => transport.close(),
  };
}
