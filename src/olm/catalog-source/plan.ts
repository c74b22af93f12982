import type { CatalogSource } from '../../api/index.ts';
import type { CatalogRecord } from '../catalog-content/catalog-store.ts';
import type { Progress, SeenConfigMap } from './context.ts';
import { type Origin, originText } from './origin.ts';

/** What there is. */
export interface Situation {
  readonly source: CatalogSource;
  readonly origin: Origin;
  /** Of this very object. */
  readonly stored: CatalogRecord | undefined;
  readonly progress: Progress;
  readonly everyMs: number | undefined;
  /** The connection to the registry; undefined while there is none. */
  readonly epoch: number | undefined;
  /** The ConfigMap as it is; undefined where there is none. */
  readonly configMap: SeenConfigMap | undefined;
  readonly nowMs: number;
}

/** What to do. `read`: read the content, unless it is known to be the same; `key` changes when work that is under way is obsolete. */
export type Plan =
  | { readonly kind: 'wait' }
  | { readonly kind: 'keep'; readonly dueMs: number | undefined }
  | { readonly kind: 'read'; readonly key: string };

/** When the content is due to be looked for again; undefined: never. */
function pollDueMs({ source, progress, everyMs, nowMs }: Situation): number | undefined {
  if (everyMs === undefined) return undefined;
  const recorded = Date.parse(source.status?.latestImageRegistryPoll ?? '');
  const lastMs = progress.polledMs ?? (Number.isNaN(recorded) ? undefined : recorded);
  // The last poll is in the future if the clock was set back.
  return lastMs === undefined || lastMs > nowMs ? nowMs : lastMs + everyMs;
}

function isRead({ origin, stored, progress, epoch, configMap }: Situation): boolean {
  if (stored?.askedRef !== originText(origin)) return false;
  if (origin.kind === 'address') return progress.epoch === epoch;
  if (origin.kind === 'image') return true;
  const { configMap: seen } = progress;
  return seen?.uid === configMap?.uid && seen?.resourceVersion === configMap?.resourceVersion;
}

/** Decides from what there is, whatever happened before. */
export function planOf(situation: Situation): Plan {
  const { source, origin, progress, epoch, configMap, nowMs } = situation;
  const isMissing =
    origin.kind === 'address' ? epoch === undefined : origin.kind === 'configMap' && configMap === undefined;
  if (isMissing) return { kind: 'wait' };
  const dueMs = pollDueMs(situation);
  if (isRead(situation) && (dueMs === undefined || dueMs > nowMs)) return { kind: 'keep', dueMs };
  const secrets = source.spec.secrets ?? [];
  const versions = [epoch, configMap?.uid, configMap?.resourceVersion, progress.polledMs];
  return { kind: 'read', key: JSON.stringify([source.metadata.uid, originText(origin), secrets, versions]) };
}
