// Generated from crds/core.rukpak.io_bundledeployments.yaml by scripts/generate-api-types.ts: do not edit.
import type { JsonObject } from '../../base/index.ts';
import type { Schema } from '../../schema/index.ts';
import type { ObjectMeta } from '../object-meta.ts';

/** Installs the content of a Bundle, corrects drift, and upgrades to another Bundle when its template changes. */
export interface BundleDeployment {
  readonly apiVersion: 'core.rukpak.io/v1alpha1';
  readonly kind: 'BundleDeployment';
  readonly metadata: ObjectMeta;
  /** Desired content and its configuration. */
  readonly spec: BundleDeploymentSpec;
  /** Observed state of the BundleDeployment. */
  readonly status?: BundleDeploymentStatus;
}

/** Desired content and its configuration. */
export interface BundleDeploymentSpec {
  /** Class of the provisioner that handles this object. */
  readonly provisionerClassName: string;
  /** Settings for the provisioner. The fields below apply to Longshore's classes, to core-rukpak-io-plain only the first two, to core-rukpak-io-helm these and the last four; other provisioners have their own fields. */
  readonly config?: JsonObject;
  /** Template of the Bundle. */
  readonly template: BundleDeploymentSpecTemplate;
}

/** Template of the Bundle. */
export interface BundleDeploymentSpecTemplate {
  /** Labels and annotations of the Bundle. */
  readonly metadata?: BundleDeploymentSpecTemplateMetadata;
  /** Spec of the Bundle. */
  readonly spec: BundleDeploymentSpecTemplateSpec;
}

/** Labels and annotations of the Bundle. */
export interface BundleDeploymentSpecTemplateMetadata {
  readonly annotations?: Readonly<Record<string, string>>;
  readonly finalizers?: readonly string[];
  readonly labels?: Readonly<Record<string, string>>;
  readonly name?: string;
  readonly namespace?: string;
}

/** Spec of the Bundle. */
export interface BundleDeploymentSpecTemplateSpec {
  /** Class of the provisioner that handles this object. */
  readonly provisionerClassName: string;
  /** Source of the content. */
  readonly source: BundleDeploymentSpecTemplateSpecSource;
}

/** Source of the content. */
export interface BundleDeploymentSpecTemplateSpecSource {
  /** Type of the source: image, git, configMaps, upload or http. */
  readonly type: string;
  /** Content of a container image. */
  readonly image?: BundleDeploymentSpecTemplateSpecSourceImage;
  /** Content of a git repository. */
  readonly git?: BundleDeploymentSpecTemplateSpecSourceGit;
  /** Content of ConfigMaps in the system namespace; each key becomes a file. */
  readonly configMaps?: readonly BundleDeploymentSpecTemplateSpecSourceConfigMap[];
  /** Content that a client uploads. */
  readonly upload?: Readonly<Record<string, never>>;
  /** Content of a tar.gz archive at a URL. */
  readonly http?: BundleDeploymentSpecTemplateSpecSourceHttp;
}

/** Content of a container image. */
export interface BundleDeploymentSpecTemplateSpecSourceImage {
  /** Image reference, by tag or by digest. */
  readonly ref: string;
  /** Name of an image pull secret in the system namespace. */
  readonly pullSecret?: string;
}

/** Content of a git repository. */
export interface BundleDeploymentSpecTemplateSpecSourceGit {
  /** URL to clone from. */
  readonly repository: string;
  /** Directory of the repository that is the root of the bundle; the root of the repository if unset. */
  readonly directory?: string;
  /** Revision to check out. Exactly one member is set. */
  readonly ref: BundleDeploymentSpecTemplateSpecSourceGitRef;
  /** Credentials for the server. */
  readonly auth?: BundleDeploymentSpecTemplateSpecSourceGitAuth;
}

/** Revision to check out. Exactly one member is set. */
export interface BundleDeploymentSpecTemplateSpecSourceGitRef {
  /** Branch, by its short name. */
  readonly branch?: string;
  /** Full hash of a commit. */
  readonly commit?: string;
  /** Tag, by its short name. */
  readonly tag?: string;
}

/** Credentials for the server. */
export interface BundleDeploymentSpecTemplateSpecSourceGitAuth {
  /** Secret in the system namespace with the credentials. */
  readonly secret?: BundleDeploymentSpecTemplateSpecSourceGitAuthSecret;
  /** Skip the verification of certificates and host keys. */
  readonly insecureSkipVerify?: boolean;
}

/** Secret in the system namespace with the credentials. */
export interface BundleDeploymentSpecTemplateSpecSourceGitAuthSecret {
  /** Name of the Secret. */
  readonly name?: string;
}

export interface BundleDeploymentSpecTemplateSpecSourceConfigMap {
  /** The ConfigMap; it must be immutable. */
  readonly configMap: BundleDeploymentSpecTemplateSpecSourceConfigMapConfigMap;
  /** Directory of the bundle that the files are written to; the root if unset. */
  readonly path?: string;
}

/** The ConfigMap; it must be immutable. */
export interface BundleDeploymentSpecTemplateSpecSourceConfigMapConfigMap {
  /** Name of the ConfigMap. */
  readonly name?: string;
}

/** Content of a tar.gz archive at a URL. */
export interface BundleDeploymentSpecTemplateSpecSourceHttp {
  /** URL of the archive. */
  readonly url: string;
  /** Credentials for the server. */
  readonly auth?: BundleDeploymentSpecTemplateSpecSourceHttpAuth;
}

/** Credentials for the server. */
export interface BundleDeploymentSpecTemplateSpecSourceHttpAuth {
  /** Secret in the system namespace with the credentials. */
  readonly secret?: BundleDeploymentSpecTemplateSpecSourceHttpAuthSecret;
  /** Skip the verification of certificates and host keys. */
  readonly insecureSkipVerify?: boolean;
}

/** Secret in the system namespace with the credentials. */
export interface BundleDeploymentSpecTemplateSpecSourceHttpAuthSecret {
  /** Name of the Secret. */
  readonly name?: string;
}

/** Observed state of the BundleDeployment. */
export interface BundleDeploymentStatus {
  /** Bundle that was last installed successfully. */
  readonly activeBundle?: string;
  /** Version of that Bundle: the version of its package, otherwise its tag, commit or digest. */
  readonly activeVersion?: string;
  /** Source of that Bundle, with its commit or digest. */
  readonly activeSource?: string;
  /** The last installed revisions, oldest first; longshore rollback returns to one of them. */
  readonly history?: readonly BundleDeploymentStatusHistory[];
  /** Generation that the status was observed for. */
  readonly observedGeneration?: number;
  /** What belongs to this object, by uid. Only the provisioner writes it; without it nothing is deleted. */
  readonly record?: BundleDeploymentStatusRecord;
  /** Conditions, one per type. */
  readonly conditions?: readonly BundleDeploymentStatusCondition[];
}

export interface BundleDeploymentStatusHistory {
  /** Number of the revision, from 1. */
  readonly revision: number;
  /** Bundle that was installed. */
  readonly bundle: string;
  /** Version of the Bundle. */
  readonly version?: string;
  /** Source of its content. */
  readonly source?: string;
  /** Time of the installation. */
  readonly installedAt?: string;
  /** Source of the Bundle, pinned. */
  readonly resolvedSource?: JsonObject;
  /** Spec of this BundleDeployment at that time; absent if it was too large to be recorded. */
  readonly spec?: JsonObject;
}

/** What belongs to this object, by uid. Only the provisioner writes it; without it nothing is deleted. */
export interface BundleDeploymentStatusRecord {
  /** UID of the BundleDeployment that the record is about. */
  readonly uid: string;
  /** Bundles that the provisioner created for this object. */
  readonly bundles: readonly BundleDeploymentStatusRecordBundle[];
  /** Progress of the first installation: NotStarted, Creating (every object was created by it), TakingOver (some existed before) or Done. */
  readonly installation: 'NotStarted' | 'Creating' | 'TakingOver' | 'Done';
  /** UID of the Bundle of the first installation, until that is done. */
  readonly installingBundle?: string;
  /** Kinds of installed objects, as Kind.group. */
  readonly groupKinds: readonly string[];
  /** Namespaces of installed objects. */
  readonly namespaces: readonly string[];
  /** Digests of what existed before and was taken over by an upgrade that has not come to its end; until then the next version does not delete it. */
  readonly adopting?: readonly string[];
  /** Namespace of installed objects that name none, where neither the spec nor the bundle decides that; another system namespace does not move them. */
  readonly defaultNamespace?: string;
  /** Digests by which a new process recognizes what is in place without a request for any object; absent while an installation is under way. */
  readonly inPlace?: BundleDeploymentStatusRecordInPlace;
  /** Progress of the hooks of a chart. */
  readonly hooks?: BundleDeploymentStatusRecordHooks;
  /** Progress of the tests of a chart. */
  readonly tests?: BundleDeploymentStatusRecordTests;
}

export interface BundleDeploymentStatusRecordBundle {
  /** Name of the Bundle. */
  readonly name: string;
  /** UID of the Bundle. */
  readonly uid: string;
  /** Digest of the spec of the Bundle. */
  readonly specHash: string;
  /** Digest of the content that was installed from the Bundle. */
  readonly contentDigest?: string;
}

/** Digests by which a new process recognizes what is in place without a request for any object; absent while an installation is under way. */
export interface BundleDeploymentStatusRecordInPlace {
  /** Digest of what was installed, and by which version of the program. */
  readonly revision: string;
  /** Digest of the installed objects and the fields of them that belong to the provisioner. */
  readonly state: string;
}

/** Progress of the hooks of a chart. */
export interface BundleDeploymentStatusRecordHooks {
  /** Digest of what they are run for. */
  readonly revision: string;
  /** Why they are run: install, upgrade, rollback or delete. */
  readonly event: 'install' | 'upgrade' | 'rollback' | 'delete';
  /** Those before the event are run (Before), the event itself (Between), those after it (After), or all was done (Done). */
  readonly phase: 'Before' | 'Between' | 'After' | 'Done';
  /** How many hooks of the phase were completed. */
  readonly step: number;
  /** Objects that hooks have created, and that are deleted with this object. */
  readonly objects: readonly BundleDeploymentStatusRecordHooksObject[];
}

export interface BundleDeploymentStatusRecordHooksObject {
  /** API version of the object. */
  readonly apiVersion: string;
  /** Kind of the object. */
  readonly kind: string;
  /** Namespace of the object. */
  readonly namespace?: string;
  /** Name of the object. */
  readonly name: string;
}

/** Progress of the tests of a chart. */
export interface BundleDeploymentStatusRecordTests {
  /** Digest of what they are run for. */
  readonly revision: string;
  /** Why they are run. */
  readonly event: 'test';
  /** They are run (After), or all was done (Done). */
  readonly phase: 'After' | 'Done';
  /** How many hooks of the phase were completed. */
  readonly step: number;
  /** Objects that hooks have created, and that are deleted with this object. */
  readonly objects: readonly BundleDeploymentStatusRecordTestsObject[];
}

export interface BundleDeploymentStatusRecordTestsObject {
  /** API version of the object. */
  readonly apiVersion: string;
  /** Kind of the object. */
  readonly kind: string;
  /** Namespace of the object. */
  readonly namespace?: string;
  /** Name of the object. */
  readonly name: string;
}

export interface BundleDeploymentStatusCondition {
  /** Type of the condition. */
  readonly type: string;
  /** Status of the condition. */
  readonly status: 'True' | 'False' | 'Unknown';
  /** Reason in CamelCase, for programs. */
  readonly reason: string;
  /** Message for users. */
  readonly message: string;
  /** Time of the last change of the status. */
  readonly lastTransitionTime: string;
  /** Generation that the condition was observed for. */
  readonly observedGeneration?: number;
}

/** What `parseBundleDeployment` checks. */
export const bundleDeploymentShape: Schema = {
  "type": "object",
  "required": [
    "spec"
  ],
  "properties": {
    "spec": {
      "type": "object",
      "required": [
        "provisionerClassName",
        "template"
      ],
      "properties": {
        "provisionerClassName": {
          "type": "string"
        },
        "config": {
          "type": "object"
        },
        "template": {
          "type": "object",
          "required": [
            "spec"
          ],
          "properties": {
            "metadata": {
              "type": "object",
              "properties": {
                "annotations": {
                  "type": "object",
                  "additionalProperties": {
                    "type": "string"
                  }
                },
                "finalizers": {
                  "type": "array",
                  "items": {
                    "type": "string"
                  }
                },
                "labels": {
                  "type": "object",
                  "additionalProperties": {
                    "type": "string"
                  }
                },
                "name": {
                  "type": "string"
                },
                "namespace": {
                  "type": "string"
                }
              }
            },
            "spec": {
              "type": "object",
              "required": [
                "provisionerClassName",
                "source"
              ],
              "properties": {
                "provisionerClassName": {
                  "type": "string"
                },
                "source": {
                  "type": "object",
                  "required": [
                    "type"
                  ],
                  "properties": {
                    "type": {
                      "type": "string"
                    },
                    "image": {
                      "type": "object",
                      "required": [
                        "ref"
                      ],
                      "properties": {
                        "ref": {
                          "type": "string"
                        },
                        "pullSecret": {
                          "type": "string"
                        }
                      }
                    },
                    "git": {
                      "type": "object",
                      "required": [
                        "ref",
                        "repository"
                      ],
                      "properties": {
                        "repository": {
                          "type": "string"
                        },
                        "directory": {
                          "type": "string"
                        },
                        "ref": {
                          "type": "object",
                          "properties": {
                            "branch": {
                              "type": "string"
                            },
                            "commit": {
                              "type": "string"
                            },
                            "tag": {
                              "type": "string"
                            }
                          }
                        },
                        "auth": {
                          "type": "object",
                          "properties": {
                            "secret": {
                              "type": "object",
                              "properties": {
                                "name": {
                                  "type": "string"
                                }
                              }
                            },
                            "insecureSkipVerify": {
                              "type": "boolean"
                            }
                          }
                        }
                      }
                    },
                    "configMaps": {
                      "type": "array",
                      "items": {
                        "type": "object",
                        "required": [
                          "configMap"
                        ],
                        "properties": {
                          "configMap": {
                            "type": "object",
                            "properties": {
                              "name": {
                                "type": "string"
                              }
                            }
                          },
                          "path": {
                            "type": "string"
                          }
                        }
                      }
                    },
                    "upload": {
                      "type": "object"
                    },
                    "http": {
                      "type": "object",
                      "required": [
                        "url"
                      ],
                      "properties": {
                        "url": {
                          "type": "string"
                        },
                        "auth": {
                          "type": "object",
                          "properties": {
                            "secret": {
                              "type": "object",
                              "properties": {
                                "name": {
                                  "type": "string"
                                }
                              }
                            },
                            "insecureSkipVerify": {
                              "type": "boolean"
                            }
                          }
                        }
                      }
                    }
                  }
                }
              }
            }
          }
        }
      }
    },
    "status": {
      "type": "object",
      "properties": {
        "activeBundle": {
          "type": "string"
        },
        "activeVersion": {
          "type": "string"
        },
        "activeSource": {
          "type": "string"
        },
        "history": {
          "type": "array",
          "items": {
            "type": "object",
            "required": [
              "revision",
              "bundle"
            ],
            "properties": {
              "revision": {
                "type": "integer"
              },
              "bundle": {
                "type": "string"
              },
              "version": {
                "type": "string"
              },
              "source": {
                "type": "string"
              },
              "installedAt": {
                "type": "string"
              },
              "resolvedSource": {
                "type": "object"
              },
              "spec": {
                "type": "object"
              }
            }
          }
        },
        "observedGeneration": {
          "type": "integer"
        },
        "record": {
          "type": "object",
          "required": [
            "uid",
            "bundles",
            "installation",
            "groupKinds",
            "namespaces"
          ],
          "properties": {
            "uid": {
              "type": "string"
            },
            "bundles": {
              "type": "array",
              "items": {
                "type": "object",
                "required": [
                  "name",
                  "uid",
                  "specHash"
                ],
                "properties": {
                  "name": {
                    "type": "string"
                  },
                  "uid": {
                    "type": "string"
                  },
                  "specHash": {
                    "type": "string"
                  },
                  "contentDigest": {
                    "type": "string"
                  }
                }
              }
            },
            "installation": {
              "type": "string",
              "enum": [
                "NotStarted",
                "Creating",
                "TakingOver",
                "Done"
              ]
            },
            "installingBundle": {
              "type": "string"
            },
            "groupKinds": {
              "type": "array",
              "items": {
                "type": "string"
              }
            },
            "namespaces": {
              "type": "array",
              "items": {
                "type": "string"
              }
            },
            "adopting": {
              "type": "array",
              "items": {
                "type": "string"
              }
            },
            "defaultNamespace": {
              "type": "string"
            },
            "inPlace": {
              "type": "object",
              "required": [
                "revision",
                "state"
              ],
              "properties": {
                "revision": {
                  "type": "string"
                },
                "state": {
                  "type": "string"
                }
              }
            },
            "hooks": {
              "type": "object",
              "required": [
                "revision",
                "event",
                "phase",
                "step",
                "objects"
              ],
              "properties": {
                "revision": {
                  "type": "string"
                },
                "event": {
                  "type": "string",
                  "enum": [
                    "install",
                    "upgrade",
                    "rollback",
                    "delete"
                  ]
                },
                "phase": {
                  "type": "string",
                  "enum": [
                    "Before",
                    "Between",
                    "After",
                    "Done"
                  ]
                },
                "step": {
                  "type": "integer"
                },
                "objects": {
                  "type": "array",
                  "items": {
                    "type": "object",
                    "required": [
                      "apiVersion",
                      "kind",
                      "name"
                    ],
                    "properties": {
                      "apiVersion": {
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
                      }
                    }
                  }
                }
              }
            },
            "tests": {
              "type": "object",
              "required": [
                "revision",
                "event",
                "phase",
                "step",
                "objects"
              ],
              "properties": {
                "revision": {
                  "type": "string"
                },
                "event": {
                  "type": "string",
                  "enum": [
                    "test"
                  ]
                },
                "phase": {
                  "type": "string",
                  "enum": [
                    "After",
                    "Done"
                  ]
                },
                "step": {
                  "type": "integer"
                },
                "objects": {
                  "type": "array",
                  "items": {
                    "type": "object",
                    "required": [
                      "apiVersion",
                      "kind",
                      "name"
                    ],
                    "properties": {
                      "apiVersion": {
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
                      }
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
              "reason": {
                "type": "string"
              },
              "message": {
                "type": "string"
              },
              "lastTransitionTime": {
                "type": "string"
              },
              "observedGeneration": {
                "type": "integer"
              }
            }
          }
        }
      }
    }
  }
};
