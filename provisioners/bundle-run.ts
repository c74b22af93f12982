import { type Bundle, type BundlePhase, type BundleReason, parseBundle } from '../src/api/index.ts';
import type { JsonObject } from '../src/base/index.ts';
import { type ReconcileRun, StatusWriter } from '../src/controller/index.ts';
import type { Condition, KubeObject } from '../src/kube/index.ts';
import type { ProvisionerContext } from './context.ts';
import { fieldManager } from './field-manager.ts';
import type { BundleIdentity, UnpackedContent } from './unpacker/index.ts';

/** What is known of the content of a Bundle. */
export type ContentState =
  /** Nothing is stored: it is fetched for the first time. */
  | { readonly kind: 'Absent' }
  /** It is stored, and everything that must be known of it is. */
  | { readonly kind: 'Present'; readonly content: UnpackedContent }
  /** It was stored elsewhere, as on a node that is lost: it is fetched again by its pin, and the Bundle stays Unpacked meanwhile. */
  | { readonly kind: 'Lost' }
  /** It is stored here, and must be stored in the shared store before the Bundle counts as Unpacked. */
  | { readonly kind: 'Unshared'; readonly content: UnpackedContent }
  /** It was stored, and is requested again: it was evicted, too little is known of it, or the shared store lacks it. The Bundle stays Unpacked meanwhile. */
  | { readonly kind: 'Renewed'; readonly content: UnpackedContent };

/** One reconcile of one Bundle. */
export interface BundleRun extends ReconcileRun {
  readonly context: ProvisionerContext;
  readonly status: StatusWriter;
  content: ContentState;
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
  const status = new StatusWriter(object, { kube, clock, cache, events, fieldManager });
  return { context, object, status, content: { kind: 'Absent' } };
}

/** The run of a fetch, which goes on beside reconciles and writes its own progress. */
export function detached(run: BundleRun): BundleRun {
  return { ...newRun(run.context, run.object), content: run.content };
}
