// Generated from crds/olm.operatorframework.io_clusterextensions.yaml by scripts/generate-api-types.ts: do not edit.
import type { JsonObject } from '../../base/index.ts';
import type { Schema } from '../../schema/index.ts';
import type { ObjectMeta } from '../object-meta.ts';

/** An operator that is installed from the catalogs of the cluster, and updated as they get new versions. */
export interface ClusterExtension {
  readonly apiVersion: 'olm.operatorframework.io/v1';
  readonly kind: 'ClusterExtension';
  readonly metadata: ObjectMeta;
  /** What to install, where, and with which permissions. */
  readonly spec?: ClusterExtensionSpec;
  /** Observed state. */
  readonly status?: ClusterExtensionStatus;
}

/** What to install, where, and with which permissions. */
export interface ClusterExtensionSpec {
  /** Namespace of the objects that name none. Immutable. */
  readonly namespace: string;
  /** Service account of the namespace above, whose permissions everything is installed, changed and removed with. If unset, those of the controllers are used, where they allow it. */
  readonly serviceAccount?: ClusterExtensionSpecServiceAccount;
  /** Where the content comes from. */
  readonly source: ClusterExtensionSpecSource;
  /** How it is installed. */
  readonly install?: ClusterExtensionSpecInstall;
  /** Configuration of the bundle. */
  readonly config?: ClusterExtensionSpecConfig;
  /** Minutes after which a version that is not rolled out yet is reported as failed. If unset, there is no deadline. */
  readonly progressDeadlineMinutes?: number;
}

/** Service account of the namespace above, whose permissions everything is installed, changed and removed with. If unset, those of the controllers are used, where they allow it. */
export interface ClusterExtensionSpecServiceAccount {
  /** Name of the service account. Immutable, but may be removed. */
  readonly name?: string;
}

/** Where the content comes from. */
export interface ClusterExtensionSpecSource {
  /** Type of the source. */
  readonly sourceType: 'Catalog';
  /** Selects a bundle of the ClusterCatalogs. */
  readonly catalog?: ClusterExtensionSpecSourceCatalog;
}

/** Selects a bundle of the ClusterCatalogs. */
export interface ClusterExtensionSpecSourceCatalog {
  /** Package to install. Immutable. */
  readonly packageName: string;
  /** A version, which pins the package to it, or a range such as ">=1.2.0, <2.0.0", "1.x", "~1.2" or "^1". If unset, the newest version that updates lead to. */
  readonly version?: string;
  /** Channels of the package that versions are taken from. If empty, all of them. */
  readonly channels?: readonly string[];
  /** Selects ClusterCatalogs by their labels. If unset, all of them. */
  readonly selector?: ClusterExtensionSpecSourceCatalogSelector;
  /** Whether only updates are made that the catalog provides. With SelfCertified any version may follow any other, older ones included; data may be lost. */
  readonly upgradeConstraintPolicy?: 'CatalogProvided' | 'SelfCertified';
}

/** Selects ClusterCatalogs by their labels. If unset, all of them. */
export interface ClusterExtensionSpecSourceCatalogSelector {
  /** Labels that a catalog must have. */
  readonly matchLabels?: Readonly<Record<string, string>>;
  /** Requirements on labels, all of which a catalog must meet. */
  readonly matchExpressions?: readonly ClusterExtensionSpecSourceCatalogSelectorMatchExpression[];
}

export interface ClusterExtensionSpecSourceCatalogSelectorMatchExpression {
  /** Key of the label. */
  readonly key: string;
  /** In, NotIn, Exists or DoesNotExist. */
  readonly operator: string;
  /** Values for In and NotIn. */
  readonly values?: readonly string[];
}

/** How it is installed. */
export interface ClusterExtensionSpecInstall {
  /** Checks before an installation or an update. */
  readonly preflight?: ClusterExtensionSpecInstallPreflight;
}

/** Checks before an installation or an update. */
export interface ClusterExtensionSpecInstallPreflight {
  /** Checks of changes to CustomResourceDefinitions that existing objects might not survive. */
  readonly crdUpgradeSafety: ClusterExtensionSpecInstallPreflightCrdUpgradeSafety;
}

/** Checks of changes to CustomResourceDefinitions that existing objects might not survive. */
export interface ClusterExtensionSpecInstallPreflightCrdUpgradeSafety {
  /** Strict refuses unsafe changes, None makes them. */
  readonly enforcement: 'None' | 'Strict';
}

/** Configuration of the bundle. */
export interface ClusterExtensionSpecConfig {
  /** Where the configuration is. */
  readonly configType: 'Inline';
  /** The configuration itself, such as the namespace to watch (watchNamespace). */
  readonly inline?: JsonObject;
}

/** Observed state. */
export interface ClusterExtensionStatus {
  /** Conditions, one per type: whether a bundle is installed, whether the desired state is reached, and what the catalog reports as deprecated. */
  readonly conditions?: readonly ClusterExtensionStatusCondition[];
  /** What is installed. */
  readonly install?: ClusterExtensionStatusInstall;
}

export interface ClusterExtensionStatusCondition {
  /** Installed, Progressing, Deprecated, PackageDeprecated, ChannelDeprecated or BundleDeprecated. */
  readonly type: string;
  /** Status of the condition. */
  readonly status: 'True' | 'False' | 'Unknown';
  /** Generation that the condition was observed for. */
  readonly observedGeneration?: number;
  /** Time of the last change of the status. */
  readonly lastTransitionTime: string;
  /** Reason of the status, in one word. */
  readonly reason: string;
  /** Reason of the status, for people. */
  readonly message: string;
}

/** What is installed. */
export interface ClusterExtensionStatusInstall {
  /** The installed bundle. */
  readonly bundle: ClusterExtensionStatusInstallBundle;
}

/** The installed bundle. */
export interface ClusterExtensionStatusInstallBundle {
  /** Name of the bundle. */
  readonly name: string;
  /** Version of the bundle. */
  readonly version: string;
}

/** What `parseClusterExtension` checks. */
export const clusterExtensionShape: Schema = {
  "type": "object",
  "properties": {
    "spec": {
      "type": "object",
      "required": [
        "namespace",
        "source"
      ],
      "properties": {
        "namespace": {
          "type": "string"
        },
        "serviceAccount": {
          "type": "object",
          "properties": {
            "name": {
              "type": "string"
            }
          }
        },
        "source": {
          "type": "object",
          "required": [
            "sourceType"
          ],
          "properties": {
            "sourceType": {
              "type": "string",
              "enum": [
                "Catalog"
              ]
            },
            "catalog": {
              "type": "object",
              "required": [
                "packageName"
              ],
              "properties": {
                "packageName": {
                  "type": "string"
                },
                "version": {
                  "type": "string"
                },
                "channels": {
                  "type": "array",
                  "items": {
                    "type": "string"
                  }
                },
                "selector": {
                  "type": "object",
                  "properties": {
                    "matchLabels": {
                      "type": "object",
                      "additionalProperties": {
                        "type": "string"
                      }
                    },
                    "matchExpressions": {
                      "type": "array",
                      "items": {
                        "type": "object",
                        "required": [
                          "key",
                          "operator"
                        ],
                        "properties": {
                          "key": {
                            "type": "string"
                          },
                          "operator": {
                            "type": "string"
                          },
                          "values": {
                            "type": "array",
                            "items": {
                              "type": "string"
                            }
                          }
                        }
                      }
                    }
                  }
                },
                "upgradeConstraintPolicy": {
                  "type": "string",
                  "enum": [
                    "CatalogProvided",
                    "SelfCertified"
                  ]
                }
              }
            }
          }
        },
        "install": {
          "type": "object",
          "properties": {
            "preflight": {
              "type": "object",
              "required": [
                "crdUpgradeSafety"
              ],
              "properties": {
                "crdUpgradeSafety": {
                  "type": "object",
                  "required": [
                    "enforcement"
                  ],
                  "properties": {
                    "enforcement": {
                      "type": "string",
                      "enum": [
                        "None",
                        "Strict"
                      ]
                    }
                  }
                }
              }
            }
          }
        },
        "config": {
          "type": "object",
          "required": [
            "configType"
          ],
          "properties": {
            "configType": {
              "type": "string",
              "enum": [
                "Inline"
              ]
            },
            "inline": {
              "type": "object"
            }
          }
        },
        "progressDeadlineMinutes": {
          "type": "integer"
        }
      }
    },
    "status": {
      "type": "object",
      "properties": {
        "conditions": {
          "type": "array",
          "items": {
            "type": "object",
            "required": [
              "type",
              "status",
              "lastTransitionTime",
              "reason",
              "message"
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
        },
        "install": {
          "type": "object",
          "required": [
            "bundle"
          ],
          "properties": {
            "bundle": {
              "type": "object",
              "required": [
                "name",
                "version"
              ],
              "properties": {
                "name": {
                  "type": "string"
                },
                "version": {
                  "type": "string"
                }
              }
            }
          }
        }
      }
    }
  }
};
