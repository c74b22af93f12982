/** The update engine: applies the release that the ClusterVersion `version` requests, level by level, waits for each operator, and reports in its status.
 *  Never changes a spec, never takes permissions from what components report. Main function: `addClusterVersion`.
 *
 *  `sync.ts` is a reconcile: spec/ reads what is requested, verification/ verifies its signatures, payload/ retrieves and checks it, preconditions/
 *  evaluates whether it may be applied, round/ applies it again and again (apply/ one object, health/ whether to go on, failures/ why not), status/
 *  reports. available-updates/ asks the update service and evaluates risks; upgradeable/ has what is against another minor version.
 *  @imports src/release, src/release/signatures, src/update-graph, src/sources, src/apply, src/content, src/controller, src/kube, src/metrics, src/constraints, src/cel, src/api, src/base */
export { createPromqlEvaluator, type PrometheusTarget } from './available-updates/promql.ts';
export { addClusterVersion, type ClusterVersionOptions, clusterVersionController } from './controller.ts';
export type { Finding, Preconditions, TargetRelease, UpdateFacts } from './facts.ts';
export { localReleaseImage } from './payload/folder-image.ts';
export { jobSource } from './payload/job-source.ts';
export { type FetchImage, localSource, type ReleaseSource, registrySource } from './payload/release-sources.ts';
export { releaseVerification, type VerificationOptions } from './verification/release-verification.ts';
export type { VerificationRequest, VerifyRelease } from './verification/verification.ts';
