import type { Bundle, BundleDeployment, PlatformOperator } from '../../src/api/index.ts';
import type { JsonObject } from '../../src/base/index.ts';
import type { Dependency, GroupVersionKind } from '../../src/constraints/index.ts';
import type { ReadObjects } from '../../src/crd-safety/index.ts';

/** What an owner reference names: an object that is in no namespace. */
export interface ObjectIdentity {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
}

/** All that the webhook may read. It waits for the API server alone.
 *  @throws TransientError when the API server does not answer: the request then fails with HTTP 500 */
export interface FactsReader {
  /** A ConfigMap of the system namespace. */
  readConfigMap(name: string, options: { readonly signal: AbortSignal }): Promise<JsonObject | undefined>;
  /** The objects of a custom kind. */
  readonly readObjects: ReadObjects;
  /** Whether any Bundle has dependencies; as old as a watch may be. */
  hasDependencies(options: { readonly signal: AbortSignal }): Promise<boolean>;
  /** All Bundles, in pages: together they may be larger than the memory. */
  listBundles(options: { readonly signal: AbortSignal }): AsyncIterable<readonly Bundle[]>;
  listDeployments(options: { readonly signal: AbortSignal }): AsyncIterable<readonly BundleDeployment[]>;
  listPlatformOperators(options: { readonly signal: AbortSignal }): Promise<readonly PlatformOperator[]>;
  /** Whether `user`, as `ReviewRequest` has it, may do something: `resourceAttributes` of a SubjectAccessReview. */
  mayDo(user: JsonObject, attributes: JsonObject, options: { readonly signal: AbortSignal }): Promise<boolean>;
  /** Whether the API server answers that an object does not exist, or is another one of its name; false where that is unknown. */
  isAbsent(object: ObjectIdentity, options: { readonly signal: AbortSignal }): Promise<boolean>;
  /** Clauses for a message that name bundles of catalogs which would meet a dependency; from memory. */
  readonly offersFor: (dependency: Dependency) => readonly string[];
  /** Whether API discovery has the kind. */
  servesApi(api: GroupVersionKind, options: { readonly signal: AbortSignal }): Promise<boolean>;
}
