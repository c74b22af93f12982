// Generated from crds/platform.openshift.io_platformoperators.yaml by scripts/generate-api-types.ts: do not edit.
import type { Schema } from '../../schema/index.ts';
import type { ObjectMeta } from '../object-meta.ts';

/** Installs an operator from the catalogs of the cluster, with its dependencies, and corrects drift. */
export interface PlatformOperator {
  readonly apiVersion: 'platform.openshift.io/v1alpha1';
  readonly kind: 'PlatformOperator';
  readonly metadata: ObjectMeta;
  /** Package of the operator, and its upgrade policy. */
  readonly spec: PlatformOperatorSpec;
  /** Observed state of the operator. */
  readonly status?: PlatformOperatorStatus;
}

/** Package of the operator, and its upgrade policy. */
export interface PlatformOperatorSpec {
  /** The package of the operator. */
  readonly package: PlatformOperatorSpecPackage;
  /** Automatic installs the updates of the catalogs, one after the other; None stays at the installed version. */
  readonly upgradePolicy?: 'Automatic' | 'None';
}

/** The package of the operator. */
export interface PlatformOperatorSpecPackage {
  /** Name of the package in the catalogs of the cluster. */
  readonly name: string;
}

/** Observed state of the operator. */
export interface PlatformOperatorStatus {
  /** The BundleDeployment that installs the operator. */
  readonly activeBundleDeployment?: PlatformOperatorStatusActiveBundleDeployment;
  /** The selected bundle, its catalog, and the reason. */
  readonly resolved?: PlatformOperatorStatusResolved;
  /** Conditions, one per type. */
  readonly conditions?: readonly PlatformOperatorStatusCondition[];
}

/** The BundleDeployment that installs the operator. */
export interface PlatformOperatorStatusActiveBundleDeployment {
  /** Name of the BundleDeployment. */
  readonly name: string;
}

/** The selected bundle, its catalog, and the reason. */
export interface PlatformOperatorStatusResolved {
  /** Name of the bundle. */
  readonly bundle: string;
  /** Version of the bundle. */
  readonly version: string;
  /** Release of the version, if the catalog has one. */
  readonly release?: string;
  /** Image of the bundle. */
  readonly image: string;
  /** Channel of the bundle. */
  readonly channel?: string;
  /** Catalog of the bundle. */
  readonly catalog: PlatformOperatorStatusResolvedCatalog;
  /** Reason of the selection, for users. */
  readonly reason: string;
  /** Dependencies that are installed for the operator. */
  readonly dependencies?: readonly PlatformOperatorStatusResolvedDependency[];
}

/** Catalog of the bundle. */
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
  /** Release of the version, if the catalog has one. */
  readonly release?: string;
  /** Image of the bundle. */
  readonly image: string;
  /** Channel of the bundle. */
  readonly channel?: string;
  /** Catalog of the bundle. */
  readonly catalog: PlatformOperatorStatusResolvedDependencyCatalog;
  /** Reason of the dependency, for users. */
  readonly reason: string;
}

/** Catalog of the bundle. */
export interface PlatformOperatorStatusResolvedDependencyCatalog {
  /** Name of the ClusterCatalog. */
  readonly name: string;
  /** Digest of the image of the catalog at that time. */
  readonly digest?: string;
}

export interface PlatformOperatorStatusCondition {
  /** Installed, UpToDate, Deprecated, PackageDeprecated, ChannelDeprecated or BundleDeprecated. */
  readonly type: string;
  /** Status of the condition. */
  readonly status: 'True' | 'False' | 'Unknown';
  /** Generation that the condition was observed for. */
  readonly observedGeneration?: number;
  /** Time of the last change of the status. */
  readonly lastTransitionTime: string;
  /** Reason in CamelCase, for programs. */
  readonly reason: string;
  /** Message for users. */
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
