import { type Bundle, type BundlePhase, type BundleReason, parseBundle } from '../src/api/index.ts';
import type { JsonObject } from '../src/base/index.ts';
import { type ReconcileRun, StatusWriter } from '../src/controller/index.ts';
import type { Condition, KubeObject } from '../src/kube/index.ts';
import type { ProvisionerContext } from './context.ts';
import { fieldManager } from './field-manager.ts';
import type { BundleIdentity, UnpackedContent } from './unpacker/index.ts';

/** One reconcile of one Bundle. */
export interface BundleRun extends ReconcileRun {
  readonly context: ProvisionerContext;
  readonly status: StatusWriter;
  /** Stored once, evicted, and needed now: its Bundle stays Unpacked meanwhile. */
  evicted?: UnpackedContent;
  /** Its content was stored elsewhere, as on a node that is lost: it is fetched again by its pin, and the Bundle stays Unpacked meanwhile. */
  isLost?: boolean;
  /** Its content is here, and still to be kept in the shared store before the Bundle counts as Unpacked. */
  unshared?: UnpackedContent;
}

interface Outcome {
  readonly phase: BundlePhase;
  readonly status: Condition['status'];
  readonly reason: BundleReason;
  readonly message: string;
  /** `undefined` leaves what is there. */
  readonly resolvedSource?: JsonObject;
}

/** The Bundle, typed. */
export function bundleOf(run: BundleRun): Bundle {
  return parseBundle(run.object);
}

/** Identifies the content of the Bundle. */
export function identityOf({ metadata }: KubeObject): BundleIdentity {
  return { name: metadata.name ?? '', uid: metadata.uid ?? '' };
}

/** Sets the phase, and the condition that explains it. */
export function setOutcome(run: BundleRun, { phase, status, reason, message, resolvedSource }: Outcome): void {
  const { contentBaseUrl } = run.context;
  const { name, generation = 0 } = run.object.metadata;
  const isServed = phase === 'Unpacked' && contentBaseUrl !== undefined;
  run.status.set(run, [{ type: 'Unpacked', status, reason, message }]);
  run.status.setFields(run, {
    phase,
    observedGeneration: generation,
    contentURL: isServed ? `${contentBaseUrl}/bundles/${name}.tgz` : null,
    ...(resolvedSource === undefined ? {} : { resolvedSource }),
  });
}

/** The run of a reconcile of `object`. */
export function newRun(context: ProvisionerContext, object: KubeObject): BundleRun {
  const { kube, clock, bundles: cache, events } = context;
  return { context, object, status: new StatusWriter(object, { kube, clock, cache, events, fieldManager }) };
}

/** The run of a fetch, which goes on beside reconciles and writes its own progress. */
export function detached(run: BundleRun): BundleRun {
  return { ...run, ...newRun(run.context, run.object) };
}
