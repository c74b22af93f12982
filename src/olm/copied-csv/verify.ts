import { clusterServiceVersionResource, olmLabels } from '../../api/index.ts';
import { errorMessage, type Logger } from '../../base/index.ts';
import { formatNamespacedName, type KubeObject, type NamespacedName, namespacedName } from '../../kube/index.ts';
import type { CopyContext } from './context.ts';
import { hashesOf } from './desired-copy.ts';
import { sourceOf } from './sources.ts';

/** Whole copies at a time: they may be large. */
const pageSize = 50;

/** Takes in what a copy contains, where the cache has only its metadata. */
function learn(context: CopyContext, copy: KubeObject): void {
  const request = namespacedName(copy);
  const source = sourceOf(context, request);
  if (source === undefined) return;
  const { uid = '', resourceVersion = '' } = copy.metadata;
  const hashes = hashesOf(copy, context.desired(source.object));
  context.known.set(formatNamespacedName(request), { uid, resourceVersion, ...hashes });
}

/** Reads the copies that exist when a process starts, page by page beside other work, and requests a reconcile of each. One that cannot be read
 *  this way is read by its own reconcile. */
export async function verifyCopies(
  context: CopyContext,
  { log, enqueue }: { readonly log: Logger; readonly enqueue: (request: NamespacedName) => void },
): Promise<void> {
  const target = { ...clusterServiceVersionResource, labelSelector: olmLabels.copiedFrom };
  const waiting = new Map(context.caches.copies.values().map((copy) => [copy.metadata.uid, namespacedName(copy)]));
  try {
    for await (const { items } of context.kube.listPages(target, { pageSize, signal: context.signal })) {
      for (const copy of items) {
        learn(context, copy);
        waiting.delete(copy.metadata.uid);
        enqueue(namespacedName(copy));
      }
    }
  } catch (thrown) {
    if (context.signal.aborted) return;
    log.warn({ reason: errorMessage(thrown) }, 'copies not listed: each is read by itself');
  }
  for (const request of waiting.values()) enqueue(request);
}
