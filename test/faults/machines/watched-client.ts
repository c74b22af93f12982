import type { KubeClient } from '../../../src/kube/index.ts';

const writes: ReadonlySet<string> = new Set(['create', 'update', 'patch', 'apply', 'delete', 'evict']);
const reads: ReadonlySet<string> = new Set(['get', 'list']);

/** The real client, with a look at each request. `before` may throw, or never resolve, instead of the request; `after` does so when it has been done. */
export function watchedClient(
  kube: KubeClient,
  watch: {
    readonly before?: (verb: string, isWrite: boolean) => Promise<void> | void;
    readonly after?: (verb: string, isWrite: boolean) => Promise<void> | void;
  },
): KubeClient {
  return new Proxy(kube, {
    get: (target, property) => {
      const value: unknown = Reflect.get(target, property);
      const verb = String(property);
      if (typeof value !== 'function') return value;
      const bound = (value as (...args: readonly unknown[]) => unknown).bind(target);
      if (!writes.has(verb) && !reads.has(verb)) return bound;
      return async (...args: readonly unknown[]): Promise<unknown> => {
        await watch.before?.(verb, writes.has(verb));
        const result = await bound(...args);
        await watch.after?.(verb, writes.has(verb));
        return result;
      };
    },
  });
}
