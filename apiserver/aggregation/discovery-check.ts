import { errorMessage } from '../../src/base/index.ts';
import { connectionProblem } from '../core/index.ts';
import type { Backend, Backends } from './backends.ts';
import { type AvailableCondition, passed, unavailable } from './conditions.ts';
import { aggregatorUser } from './fetch-document.ts';
import { userHeaders } from './forwarded-headers.ts';

const deadlineMs = 5_000;

/** The status of the answer; its body is not read. */
async function statusOf(backends: Backends, backend: Backend, path: string): Promise<number> {
  const signal = AbortSignal.timeout(deadlineMs);
  const headers = { 'user-agent': 'longshore-aggregator', ...userHeaders(aggregatorUser) };
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const request = backends.request(backend, { method: 'GET', path, headers, signal, isUnverified: true });
  request.on('error', reject);
  request.on('response', (response) => {
    resolve(response.statusCode ?? 0);
    response.destroy();
  });
  request.end();
  return await promise;
}

/** Whether a server answers for its group and version. Its certificate is not verified here but wherever an answer is used, as kube-aggregator does. */
export async function checkDiscovery(backends: Backends, backend: Backend): Promise<AvailableCondition> {
  const path = `/apis/${backend.group}/${backend.version}`;
  const failed = (message: string): AvailableCondition => unavailable('FailedDiscoveryCheck', message);
  let url: string;
  try {
    url = backends.urlOf(backend, path);
  } catch (thrown) {
    return failed(errorMessage(thrown));
  }
  const prefix = `failing or missing response from ${url}`;
  try {
    const status = await statusOf(backends, backend, path);
    return status >= 200 && status <= 299 ? passed : failed(`${prefix}: bad status from ${url}: ${status}`);
  } catch (thrown) {
    return failed(`${prefix}: Get "${url}": ${connectionProblem(thrown, () => backends.endpointOf(backend))}`);
  }
}
