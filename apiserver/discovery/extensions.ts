import type { JsonObject } from '../../src/base/index.ts';

/** What another API server serves of a group and version, as far as it is known. */
export interface ExtensionVersion {
  /** In the form of aggregated discovery; undefined when the server never answered. */
  readonly resources: readonly JsonObject[] | undefined;
  /** Whether the server does not answer now. */
  readonly isStale: boolean;
  readonly openApiV2: JsonObject | undefined;
  readonly openApiV3: JsonObject | undefined;
}

/** An APIService: a group and version, where it stands in discovery, and what serves it. */
export interface ServedVersion {
  readonly group: string;
  readonly version: string;
  readonly groupPriority: number;
  readonly versionPriority: number;
  /** Undefined for versions that this server answers itself. */
  readonly extension: ExtensionVersion | undefined;
}

/** The APIServices at the moment. */
export interface ServedVersions {
  /** Grows with every change. */
  readonly edition: number;
  all(): readonly ServedVersion[];
}

/** A server that has none. */
export const noServedVersions: ServedVersions = { edition: 0, all: () => [] };
