import type { Metrics } from '../metrics/index.ts';
import type { Transport } from './transport.ts';

/** The same transport, which tells `metrics` of every request. */
export function measuredTransport(transport: Transport, metrics: Metrics): Transport {
  const measured = async <T>(verb: string, codeOf: (answer: T) => number, ask: () => Promise<T>): Promise<T> => {
    const startedMs = performance.now();
    let code = 'none';
    try {
      const answer = await ask();
      code = String(codeOf(answer));
      return answer;
    } finally {
      metrics.add('longshore_api_requests_total', { verb, code });
      metrics.time('longshore_api_request_duration_seconds', { verb }, performance.now() - startedMs);
    }
  };
  return {
    exchange: (request) =>
      measured(
        request.method,
        ({ status }) => status,
        () => transport.exchange(request),
      ),
    open: (request) =>
      measured(
        'WATCH',
        ({ statusCode = 0 }) => statusCode,
        () => transport.open(request),
      ),
    close: () => transport.close(),
  };
}
