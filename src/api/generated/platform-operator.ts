// Generated from crds/platform.openshift.io_platformoperators.yaml by scripts/generate-api-types.ts: do not edit.
import type { Schema } from '../../schema/index.ts';
import type { ObjectMeta } from '../object-meta.ts';

/** Keeps an operator installed that a catalog of the cluster has, with all that it needs. */
export interface PlatformOperator {
  readonly apiVersion: 'platform.openshift.io/v1alpha1';
  readonly kind: 'PlatformOperator';
  readonly metadata: ObjectMeta;
  /** Which operator, and whether it is kept up to date. */
  readonly spec: PlatformOperatorSpec;
  /** What was chosen, and how it does. */
  readonly status?: PlatformOperatorStatus;
}

/** Which operator, and whether it is kept up to date. */
export interface PlatformOperatorSpec {
  /** The package of the operator. */
  readonly package: PlatformOperatorSpecPackage;
  /** Automatic follows the updates of the catalogs, one after the other; None stays at what was installed first. */
  readonly upgradePolicy?: 'Automatic' | 'None';
}

/** The package of the operator. */
export interface PlatformOperatorSpecPackage {
  /** Name of the package in the catalogs of the cluster. */
  readonly name: string;
}

/** What was chosen, and how it does. */
export interface PlatformOperatorStatus {
  /** The BundleDeployment that installs the operator. */
  readonly activeBundleDeployment?: PlatformOperatorStatusActiveBundleDeployment;
  /** What was chosen, from which catalog, and why. */
  readonly resolved?: PlatformOperatorStatusResolved;
  /** Observations, one a type. */
  readonly conditions?: readonly PlatformOperatorStatusCondition[];
}

/** The BundleDeployment that installs the operator. */
export interface PlatformOperatorStatusActiveBundleDeployment {
  /** Name of the BundleDeployment. */
  readonly name: string;
}

/** What was chosen, from which catalog, and why. */
export interface PlatformOperatorStatusResolved {
  /** Name of the bundle. */
  readonly bundle: string;
  /** Version of the bundle. */
  readonly version: string;
  /** Release of the version, where the catalog gives one. */
  readonly release?: string;
  /** Image of the bundle. */
  readonly image: string;
  /** Channel in which the bundle was found. */
  readonly channel?: string;
  /** The catalog that the bundle is from. */
  readonly catalog: PlatformOperatorStatusResolvedCatalog;
  /** Why this bundle, for a person. */
  readonly reason: string;
  /** What is installed because the operator needs it. */
  readonly dependencies?: readonly PlatformOperatorStatusResolvedDependency[];
}

/** The catalog that the bundle is from. */
export interface PlatformOperatorStatusResolvedCatalog {
  /** Name of the ClusterCatalog. */
  readonly name: string;
  /** Digest of the image of the catalog at that time. */
  readonly digest?: string;
}

export interface PlatformOperatorStatusResolvedDependency {
  /** Package of the bundle. */
  readonly package: string;
  /** Name of the BundleDeployment that installs it. */
  readonly bundleDeployment: string;
  /** Name of the bundle. */
  readonly bundle: string;
  /** Version of the bundle. */
  readonly version: string;
  /** Release of the version, where the catalog gives one. */
  readonly release?: string;
  /** Image of the bundle. */
  readonly image: string;
  /** Channel in which the bundle was found. */
  readonly channel?: string;
  /** The catalog that the bundle is from. */
  readonly catalog: PlatformOperatorStatusResolvedDependencyCatalog;
  /** Who needs it, for a person. */
  readonly reason: string;
}

/** The catalog that the bundle is from. */
export interface PlatformOperatorStatusResolvedDependencyCatalog {
  /** Name of the ClusterCatalog. */
  readonly name: string;
  /** Digest of the image of the catalog at that time. */
  readonly digest?: string;
}

export interface PlatformOperatorStatusCondition {
  /** Installed, UpToDate, Deprecated, PackageDeprecated, ChannelDeprecated or BundleDeprecated. */
  readonly type: string;
  /** Whether the condition holds. */
  readonly status: 'True' | 'False' | 'Unknown';
  /** The generation that this was found for. */
  readonly observedGeneration?: number;
  /** When the status changed last. */
  readonly lastTransitionTime: string;
  /** Why, in one word. */
  readonly reason: string;
  /** Why, for a person. */
  readonly message: string;
}

/** What `parsePlatformOperator` checks. */
export const platformOperatorShape: Schema = {
  "type": "object",
  "required": [
    "spec"
  ],
  "properties": {
    "spec": {
      "type": "object",
      "required": [
        "package"
      ],
      "properties": {
        "package": {
          "type": "object",
          "required": [
            "name"
          ],
          "properties": {
            "name": {
              "type": "string"
            }
          }
        },
        "upgradePolicy": {
          "type": "string",
          "enum": [
            "Automatic",
            "None"
          ]
        }
      }
    },
    "status": {
      "type": "object",
      "properties": {
        "activeBundleDeployment": {
          "type": "object",
          "required": [
            "name"
          ],
          "properties": {
            "name": {
              "type": "string"
            }
          }
        },
        "resolved": {
          "type": "object",
          "required": [
            "bundle",
            "version",
            "image",
            "catalog",
            "reason"
          ],
          "properties": {
            "bundle": {
              "type": "string"
            },
            "version": {
              "type": "string"
            },
            "release": {
              "type": "string"
            },
            "image": {
              "type": "string"
            },
            "channel": {
              "type": "string"
            },
            "catalog": {
              "type": "object",
              "required": [
                "name"
              ],
              "properties": {
                "name": {
                  "type": "string"
                },
                "digest": {
                  "type": "string"
                }
              }
            },
            "reason": {
              "type": "string"
            },
            "dependencies": {
              "type": "array",
              "items": {
                "type": "object",
                "required": [
                  "package",
                  "bundleDeployment",
                  "bundle",
                  "version",
                  "image",
                  "catalog",
                  "reason"
                ],
                "properties": {
                  "package": {
                    "type": "string"
                  },
                  "bundleDeployment": {
                    "type": "string"
                  },
                  "bundle": {
                    "type": "string"
                  },
                  "version": {
                    "type": "string"
                  },
                  "release": {
                    "type": "string"
                  },
                  "image": {
                    "type": "string"
                  },
                  "channel": {
                    "type": "string"
                  },
                  "catalog": {
                    "type": "object",
                    "required": [
                      "name"
                    ],
                    "properties": {
                      "name": {
                        "type": "string"
                      },
                      "digest": {
                        "type": "string"
                      }
                    }
                  },
                  "reason": {
                    "type": "string"
                  }
                }
              }
            }
          }
        },
        "conditions": {
          "type": "array",
          "items": {
            "type": "object",
            "required": [
              "lastTransitionTime",
              "message",
              "reason",
              "status",
              "type"
            ],
            "properties": {
              "type": {
                "type": "string"
              },
              "status": {
                "type": "string",
                "enum": [
                  "True",
                  "False",
                  "Unknown"
                ]
              },
              "observedGeneration": {
                "type": "integer"
              },
              "lastTransitionTime": {
                "type": "string"
              },
              "reason": {
                "type": "string"
              },
              "message": {
                "type": "string"
              }
            }
          }
        }
      }
    }
  }
};
