// Generated from crds/cluster-version/config.openshift.io_clusterversions.yaml by scripts/generate-api-types.ts: do not edit.
import type { Schema } from '../../schema/index.ts';
import type { ObjectMeta } from '../object-meta.ts';

/** The release of the cluster: which one is requested, which one is applied, and how far it is. The engine honors the one named version. */
export interface ClusterVersion {
  readonly apiVersion: 'config.openshift.io/v1';
  readonly kind: 'ClusterVersion';
  readonly metadata: ObjectMeta;
  /** Desired state: the release, and where updates come from. The engine never writes it. */
  readonly spec: ClusterVersionSpec;
  /** Observed state. The engine writes it. */
  readonly status?: ClusterVersionStatus;
}

/** Desired state: the release, and where updates come from. The engine never writes it. */
export interface ClusterVersionSpec {
  /** Identifier of the cluster, a UUID of version 4. The update service gets it. Updates cannot be retrieved while it is empty. */
  readonly clusterID: string;
  /** The requested release. Without it the cluster stays at its release. */
  readonly desiredUpdate?: ClusterVersionSpecDesiredUpdate;
  /** URL of the update service. Empty uses the default of the engine. */
  readonly upstream?: string;
  /** Channel of the update service. Empty retrieves no updates. */
  readonly channel?: string;
  /** Optional components of the release. */
  readonly capabilities?: ClusterVersionSpecCapabilities;
  /** Stores of release signatures, instead of those that the release names. */
  readonly signatureStores?: readonly ClusterVersionSpecSignatureStore[];
  /** Objects of the release that the engine does not manage. */
  readonly overrides?: readonly ComponentOverride[];
}

/** The requested release. Without it the cluster stays at its release. */
export interface ClusterVersionSpecDesiredUpdate {
  /** Multi requests the multi-architecture form of the current version. Requires version; not together with image. */
  readonly architecture?: '' | 'Multi';
  /** Semantic version. Without image, it must be that of one release in status.availableUpdates. */
  readonly version?: string;
  /** Pull spec of a release image, which is used as it is. */
  readonly image?: string;
  /** Continues in spite of failed signature verification and blocking preconditions. Both are evaluated and reported all the same. */
  readonly force?: boolean;
  /** Risks that the administrator accepts. */
  readonly acceptRisks?: readonly ClusterVersionSpecDesiredUpdateAcceptRisk[];
  /** Preflight evaluates the update without starting it. */
  readonly mode?: 'Preflight';
}

/** One risk. */
export interface ClusterVersionSpecDesiredUpdateAcceptRisk {
  /** Name of the risk. */
  readonly name: string;
}

/** Optional components of the release. */
export interface ClusterVersionSpecCapabilities {
  /** Named set of capabilities that are enabled. Default vCurrent. */
  readonly baselineCapabilitySet?: string;
  /** Capabilities that are enabled in addition to the set. */
  readonly additionalEnabledCapabilities?: readonly string[];
}

/** One store. */
export interface ClusterVersionSpecSignatureStore {
  /** URL of the store. */
  readonly url: string;
  /** ConfigMap with the certificate authorities of the store, in its key ca-bundle.crt. */
  readonly ca?: ClusterVersionSpecSignatureStoreCa;
}

/** ConfigMap with the certificate authorities of the store, in its key ca-bundle.crt. */
export interface ClusterVersionSpecSignatureStoreCa {
  /** Name of the ConfigMap. */
  readonly name: string;
}

/** One object. */
export interface ComponentOverride {
  /** Kind of the object. */
  readonly kind: string;
  /** API group of the object, without version. Empty for the core group. */
  readonly group: string;
  /** Namespace of the object. Empty for cluster-scoped objects. */
  readonly namespace: string;
  /** Name of the object. */
  readonly name: string;
  /** Whether the engine leaves the object alone. */
  readonly unmanaged: boolean;
}

/** Observed state. The engine writes it. */
export interface ClusterVersionStatus {
  /** The release that is applied, or was applied last. */
  readonly desired: ClusterRelease;
  /** Releases that were applied, latest first. */
  readonly history?: readonly UpdateHistory[];
  /** Generation that was applied last. */
  readonly observedGeneration: number;
  /** Hash of the manifests that are applied. */
  readonly versionHash: string;
  /** Capabilities of the release. */
  readonly capabilities?: ClusterVersionStatusCapabilities;
  /** Conditions, one per type. */
  readonly conditions?: readonly OperatorStatusCondition[];
  /** Recommended updates, latest first; null if they are unknown. */
  readonly availableUpdates: readonly ClusterRelease[] | null;
  /** Updates that are recommended for some clusters, latest first. */
  readonly conditionalUpdates?: readonly ConditionalUpdate[];
  /** All risks of the conditional updates. */
  readonly conditionalUpdateRisks?: readonly UpdateRisk[];
  /** Details of the round that is being applied. They survive a restart of the engine. */
  readonly progress?: ClusterVersionStatusProgress;
  /** Objects whose deletion was requested and that still exist. */
  readonly pendingDeletions?: readonly ClusterVersionStatusPendingDeletion[];
}

/** The release that is applied, or was applied last. */
export interface ClusterRelease {
  /** Multi for a release of several architectures; otherwise empty. */
  readonly architecture?: '' | 'Multi';
  /** Semantic version of the release. */
  readonly version?: string;
  /** Pull spec of the release image, by digest. */
  readonly image?: string;
  /** Page about the release. */
  readonly url?: string;
  /** Channels that list the release. */
  readonly channels?: readonly string[];
}

/** One release. */
export interface UpdateHistory {
  /** Completed or Partial. */
  readonly state: string;
  /** Time at which the release was first applied. */
  readonly startedTime: string;
  /** Time at which it was completed or superseded; null before that. */
  readonly completionTime: string | null;
  /** Semantic version; empty while unknown. */
  readonly version?: string;
  /** Pull spec of the release image. */
  readonly image: string;
  /** Whether the signature of the release was verified. */
  readonly verified: boolean;
  /** Risks and failed checks in spite of which the release was accepted. */
  readonly acceptedRisks?: string;
}

/** Capabilities of the release. */
export interface ClusterVersionStatusCapabilities {
  /** Enabled capabilities. */
  readonly enabledCapabilities?: readonly string[];
  /** All capabilities of the release. */
  readonly knownCapabilities?: readonly string[];
}

/** One condition. */
export interface OperatorStatusCondition {
  /** Available, Progressing, Failing, Invalid, ReleaseAccepted, ImplicitlyEnabledCapabilities, Upgradeable or RetrievedUpdates. */
  readonly type: string;
  /** True, False or Unknown. */
  readonly status: string;
  /** Time of the last change of the status. */
  readonly lastTransitionTime: string;
  /** Reason in CamelCase, for programs. */
  readonly reason?: string;
  /** Message for users. It may have several lines. */
  readonly message?: string;
}

/** One update. */
export interface ConditionalUpdate {
  /** The release. */
  readonly release: ClusterRelease;
  /** Names of the risks. */
  readonly riskNames?: readonly string[];
  /** The risks. */
  readonly risks: readonly UpdateRisk[];
  /** Whether the update is recommended: Recommended. */
  readonly conditions?: readonly UpdateCondition[];
}

/** One risk. */
export interface UpdateRisk {
  /** Name of the risk, the same in every update that it concerns. */
  readonly name: string;
  /** Page about the risk. */
  readonly url: string;
  /** Description of the risk, for users. */
  readonly message: string;
  /** Rules that decide whether the cluster is exposed. The first that can be evaluated decides. */
  readonly matchingRules: readonly ClusterCondition[];
  /** Whether the risk applies to the cluster: Applies. */
  readonly conditions?: readonly UpdateCondition[];
}

/** One rule. */
export interface ClusterCondition {
  /** Form of the rule. */
  readonly type: 'Always' | 'PromQL';
  /** Rule that a Prometheus evaluates. */
  readonly promql?: ClusterConditionPromql;
}

/** Rule that a Prometheus evaluates. */
export interface ClusterConditionPromql {
  /** Query whose result is one sample: 1 if the cluster is exposed, 0 if it is not. */
  readonly promql: string;
}

/** One condition. */
export interface UpdateCondition {
  /** Type of the condition. */
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

/** Details of the round that is being applied. They survive a restart of the engine. */
export interface ClusterVersionStatusProgress {
  /** Hash of the manifests that the details are about. */
  readonly versionHash: string;
  /** Initializing, Updating or Reconciling. */
  readonly state?: string;
  /** Lowest run level with work left. */
  readonly level?: string;
  /** Manifests that were applied. */
  readonly done: number;
  /** Manifests of the release. */
  readonly total: number;
  /** Run levels of the release in their order; none once it is reconciled. */
  readonly levels?: readonly ProgressLevel[];
  /** Objects that are waited for. */
  readonly waitingFor?: readonly ProgressBlocker[];
  /** Failures that prevent progress. */
  readonly blockers?: readonly ProgressBlocker[];
}

/** One run level. */
export interface ProgressLevel {
  /** Digits, as in the names of files; empty for manifests without a level. */
  readonly level: string;
  /** Manifests of the level that were applied. */
  readonly done: number;
  /** Manifests of the level. */
  readonly total: number;
  /** Components with manifests of the level. */
  readonly components?: readonly string[];
}

/** One object. */
export interface ProgressBlocker {
  /** The object, for instance clusteroperator/dns or deployment/NAMESPACE/NAME. */
  readonly object: string;
  /** Reason in CamelCase. */
  readonly reason: string;
  /** What is not as expected, and what to do next. */
  readonly message: string;
  /** Since when. */
  readonly since?: string;
}

/** One object. */
export interface ClusterVersionStatusPendingDeletion {
  /** API group. */
  readonly group?: string;
  /** Kind. */
  readonly kind: string;
  /** Namespace. */
  readonly namespace?: string;
  /** Name. */
  readonly name: string;
  /** Time of the request. */
  readonly since?: string;
}

/** What `parseClusterVersion` checks. */
export const clusterVersionShape: Schema = {
  "type": "object",
  "required": [
    "spec"
  ],
  "properties": {
    "spec": {
      "type": "object",
      "required": [
        "clusterID"
      ],
      "properties": {
        "clusterID": {
          "type": "string"
        },
        "desiredUpdate": {
          "type": "object",
          "properties": {
            "architecture": {
              "type": "string",
              "enum": [
                "",
                "Multi"
              ]
            },
            "version": {
              "type": "string"
            },
            "image": {
              "type": "string"
            },
            "force": {
              "type": "boolean"
            },
            "acceptRisks": {
              "type": "array",
              "items": {
                "type": "object",
                "required": [
                  "name"
                ],
                "properties": {
                  "name": {
                    "type": "string"
                  }
                }
              }
            },
            "mode": {
              "type": "string",
              "enum": [
                "Preflight"
              ]
            }
          }
        },
        "upstream": {
          "type": "string"
        },
        "channel": {
          "type": "string"
        },
        "capabilities": {
          "type": "object",
          "properties": {
            "baselineCapabilitySet": {
              "type": "string"
            },
            "additionalEnabledCapabilities": {
              "type": "array",
              "items": {
                "type": "string"
              }
            }
          }
        },
        "signatureStores": {
          "type": "array",
          "items": {
            "type": "object",
            "required": [
              "url"
            ],
            "properties": {
              "url": {
                "type": "string"
              },
              "ca": {
                "type": "object",
                "required": [
                  "name"
                ],
                "properties": {
                  "name": {
                    "type": "string"
                  }
                }
              }
            }
          }
        },
        "overrides": {
          "type": "array",
          "items": {
            "type": "object",
            "required": [
              "group",
              "kind",
              "name",
              "namespace",
              "unmanaged"
            ],
            "properties": {
              "kind": {
                "type": "string"
              },
              "group": {
                "type": "string"
              },
              "namespace": {
                "type": "string"
              },
              "name": {
                "type": "string"
              },
              "unmanaged": {
                "type": "boolean"
              }
            }
          }
        }
      }
    },
    "status": {
      "type": "object",
      "required": [
        "availableUpdates",
        "desired",
        "observedGeneration",
        "versionHash"
      ],
      "properties": {
        "desired": {
          "type": "object",
          "properties": {
            "architecture": {
              "type": "string",
              "enum": [
                "",
                "Multi"
              ]
            },
            "version": {
              "type": "string"
            },
            "image": {
              "type": "string"
            },
            "url": {
              "type": "string"
            },
            "channels": {
              "type": "array",
              "items": {
                "type": "string"
              }
            }
          }
        },
        "history": {
          "type": "array",
          "items": {
            "type": "object",
            "required": [
              "completionTime",
              "image",
              "startedTime",
              "state",
              "verified"
            ],
            "properties": {
              "state": {
                "type": "string"
              },
              "startedTime": {
                "type": "string"
              },
              "completionTime": {
                "type": "string",
                "nullable": true
              },
              "version": {
                "type": "string"
              },
              "image": {
                "type": "string"
              },
              "verified": {
                "type": "boolean"
              },
              "acceptedRisks": {
                "type": "string"
              }
            }
          }
        },
        "observedGeneration": {
          "type": "integer"
        },
        "versionHash": {
          "type": "string"
        },
        "capabilities": {
          "type": "object",
          "properties": {
            "enabledCapabilities": {
              "type": "array",
              "items": {
                "type": "string"
              }
            },
            "knownCapabilities": {
              "type": "array",
              "items": {
                "type": "string"
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
              "status",
              "type"
            ],
            "properties": {
              "type": {
                "type": "string"
              },
              "status": {
                "type": "string"
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
        "availableUpdates": {
          "type": "array",
          "items": {
            "type": "object",
            "properties": {
              "architecture": {
                "type": "string",
                "enum": [
                  "",
                  "Multi"
                ]
              },
              "version": {
                "type": "string"
              },
              "image": {
                "type": "string"
              },
              "url": {
                "type": "string"
              },
              "channels": {
                "type": "array",
                "items": {
                  "type": "string"
                }
              }
            }
          },
          "nullable": true
        },
        "conditionalUpdates": {
          "type": "array",
          "items": {
            "type": "object",
            "required": [
              "release",
              "risks"
            ],
            "properties": {
              "release": {
                "type": "object",
                "properties": {
                  "architecture": {
                    "type": "string",
                    "enum": [
                      "",
                      "Multi"
                    ]
                  },
                  "version": {
                    "type": "string"
                  },
                  "image": {
                    "type": "string"
                  },
                  "url": {
                    "type": "string"
                  },
                  "channels": {
                    "type": "array",
                    "items": {
                      "type": "string"
                    }
                  }
                }
              },
              "riskNames": {
                "type": "array",
                "items": {
                  "type": "string"
                }
              },
              "risks": {
                "type": "array",
                "items": {
                  "type": "object",
                  "required": [
                    "matchingRules",
                    "message",
                    "name",
                    "url"
                  ],
                  "properties": {
                    "name": {
                      "type": "string"
                    },
                    "url": {
                      "type": "string"
                    },
                    "message": {
                      "type": "string"
                    },
                    "matchingRules": {
                      "type": "array",
                      "items": {
                        "type": "object",
                        "required": [
                          "type"
                        ],
                        "properties": {
                          "type": {
                            "type": "string",
                            "enum": [
                              "Always",
                              "PromQL"
                            ]
                          },
                          "promql": {
                            "type": "object",
                            "required": [
                              "promql"
                            ],
                            "properties": {
                              "promql": {
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
        },
        "conditionalUpdateRisks": {
          "type": "array",
          "items": {
            "type": "object",
            "required": [
              "matchingRules",
              "message",
              "name",
              "url"
            ],
            "properties": {
              "name": {
                "type": "string"
              },
              "url": {
                "type": "string"
              },
              "message": {
                "type": "string"
              },
              "matchingRules": {
                "type": "array",
                "items": {
                  "type": "object",
                  "required": [
                    "type"
                  ],
                  "properties": {
                    "type": {
                      "type": "string",
                      "enum": [
                        "Always",
                        "PromQL"
                      ]
                    },
                    "promql": {
                      "type": "object",
                      "required": [
                        "promql"
                      ],
                      "properties": {
                        "promql": {
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
        },
        "progress": {
          "type": "object",
          "required": [
            "versionHash",
            "done",
            "total"
          ],
          "properties": {
            "versionHash": {
              "type": "string"
            },
            "state": {
              "type": "string"
            },
            "level": {
              "type": "string"
            },
            "done": {
              "type": "integer"
            },
            "total": {
              "type": "integer"
            },
            "levels": {
              "type": "array",
              "items": {
                "type": "object",
                "required": [
                  "level",
                  "done",
                  "total"
                ],
                "properties": {
                  "level": {
                    "type": "string"
                  },
                  "done": {
                    "type": "integer"
                  },
                  "total": {
                    "type": "integer"
                  },
                  "components": {
                    "type": "array",
                    "items": {
                      "type": "string"
                    }
                  }
                }
              }
            },
            "waitingFor": {
              "type": "array",
              "items": {
                "type": "object",
                "required": [
                  "object",
                  "reason",
                  "message"
                ],
                "properties": {
                  "object": {
                    "type": "string"
                  },
                  "reason": {
                    "type": "string"
                  },
                  "message": {
                    "type": "string"
                  },
                  "since": {
                    "type": "string"
                  }
                }
              }
            },
            "blockers": {
              "type": "array",
              "items": {
                "type": "object",
                "required": [
                  "object",
                  "reason",
                  "message"
                ],
                "properties": {
                  "object": {
                    "type": "string"
                  },
                  "reason": {
                    "type": "string"
                  },
                  "message": {
                    "type": "string"
                  },
                  "since": {
                    "type": "string"
                  }
                }
              }
            }
          }
        },
        "pendingDeletions": {
          "type": "array",
          "items": {
            "type": "object",
            "required": [
              "kind",
              "name"
            ],
            "properties": {
              "group": {
                "type": "string"
              },
              "kind": {
                "type": "string"
              },
              "namespace": {
                "type": "string"
              },
              "name": {
                "type": "string"
              },
              "since": {
                "type": "string"
              }
            }
          }
        }
      }
    }
  }
};
