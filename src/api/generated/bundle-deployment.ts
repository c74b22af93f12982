// Generated from crds/core.rukpak.io_bundledeployments.yaml by scripts/generate-api-types.ts: do not edit.
import type { JsonObject } from '../../base/index.ts';
import type { Schema } from '../../schema/index.ts';
import type { ObjectMeta } from '../object-meta.ts';

/** Keeps the content of a Bundle installed, and moves to another Bundle when its template changes. */
export interface BundleDeployment {
  readonly apiVersion: 'core.rukpak.io/v1alpha1';
  readonly kind: 'BundleDeployment';
  readonly metadata: ObjectMeta;
  /** What to keep installed. */
  readonly spec: BundleDeploymentSpec;
  /** What the provisioner did. */
  readonly status?: BundleDeploymentStatus;
}

/** What to keep installed. */
export interface BundleDeploymentSpec {
  /** Name of the provisioner that takes care of this object. */
  readonly provisionerClassName: string;
  /** Settings for the provisioner. The fields below are those of Longshore's classes, and of core-rukpak-io-plain the first two alone; other provisioners have fields of their own. */
  readonly config?: JsonObject;
  /** The Bundle to make. */
  readonly template: BundleDeploymentSpecTemplate;
}

/** The Bundle to make. */
export interface BundleDeploymentSpecTemplate {
  /** Labels and annotations go to the Bundle. */
  readonly metadata?: BundleDeploymentSpecTemplateMetadata;
  /** Spec of the Bundle. */
  readonly spec: BundleDeploymentSpecTemplateSpec;
}

/** Labels and annotations go to the Bundle. */
export interface BundleDeploymentSpecTemplateMetadata {
  readonly annotations?: Readonly<Record<string, string>>;
  readonly finalizers?: readonly string[];
  readonly labels?: Readonly<Record<string, string>>;
  readonly name?: string;
  readonly namespace?: string;
}

/** Spec of the Bundle. */
export interface BundleDeploymentSpecTemplateSpec {
  /** Name of the provisioner that takes care of this object. */
  readonly provisionerClassName: string;
  /** Where the content comes from. */
  readonly source: BundleDeploymentSpecTemplateSpecSource;
}

/** Where the content comes from. */
export interface BundleDeploymentSpecTemplateSpecSource {
  /** Which member is meant: image, git, configMaps, upload or http. */
  readonly type: string;
  /** Content of a container image. */
  readonly image?: BundleDeploymentSpecTemplateSpecSourceImage;
  /** Content of a git repository. */
  readonly git?: BundleDeploymentSpecTemplateSpecSourceGit;
  /** Content of ConfigMaps in the system namespace; each key becomes a file. */
  readonly configMaps?: readonly BundleDeploymentSpecTemplateSpecSourceConfigMap[];
  /** Content that a client uploads. */
  readonly upload?: Readonly<Record<string, never>>;
  /** Content of a tar.gz behind a URL. */
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
  /** Directory that becomes the root of the bundle; the root of the repository when unset. */
  readonly directory?: string;
  /** What to check out. Exactly one member is present. */
  readonly ref: BundleDeploymentSpecTemplateSpecSourceGitRef;
  /** How to prove who asks. */
  readonly auth?: BundleDeploymentSpecTemplateSpecSourceGitAuth;
}

/** What to check out. Exactly one member is present. */
export interface BundleDeploymentSpecTemplateSpecSourceGitRef {
  /** Branch, by its short name. */
  readonly branch?: string;
  /** Full hash of a commit. */
  readonly commit?: string;
  /** Tag, by its short name. */
  readonly tag?: string;
}

/** How to prove who asks. */
export interface BundleDeploymentSpecTemplateSpecSourceGitAuth {
  /** Secret in the system namespace that holds the credentials. */
  readonly secret?: BundleDeploymentSpecTemplateSpecSourceGitAuthSecret;
  /** Accept any certificate and any host key. */
  readonly insecureSkipVerify?: boolean;
}

/** Secret in the system namespace that holds the credentials. */
export interface BundleDeploymentSpecTemplateSpecSourceGitAuthSecret {
  /** Name of the Secret. */
  readonly name?: string;
}

export interface BundleDeploymentSpecTemplateSpecSourceConfigMap {
  /** The ConfigMap; it must be immutable. */
  readonly configMap: BundleDeploymentSpecTemplateSpecSourceConfigMapConfigMap;
  /** Directory inside the bundle that takes the files; the root when unset. */
  readonly path?: string;
}

/** The ConfigMap; it must be immutable. */
export interface BundleDeploymentSpecTemplateSpecSourceConfigMapConfigMap {
  /** Name of the ConfigMap. */
  readonly name?: string;
}

/** Content of a tar.gz behind a URL. */
export interface BundleDeploymentSpecTemplateSpecSourceHttp {
  /** URL of the archive. */
  readonly url: string;
  /** How to prove who asks. */
  readonly auth?: BundleDeploymentSpecTemplateSpecSourceHttpAuth;
}

/** How to prove who asks. */
export interface BundleDeploymentSpecTemplateSpecSourceHttpAuth {
  /** Secret in the system namespace that holds the credentials. */
  readonly secret?: BundleDeploymentSpecTemplateSpecSourceHttpAuthSecret;
  /** Accept any certificate and any host key. */
  readonly insecureSkipVerify?: boolean;
}

/** Secret in the system namespace that holds the credentials. */
export interface BundleDeploymentSpecTemplateSpecSourceHttpAuthSecret {
  /** Name of the Secret. */
  readonly name?: string;
}

/** What the provisioner did. */
export interface BundleDeploymentStatus {
  /** Bundle that was installed last with success. */
  readonly activeBundle?: string;
  /** Version of that Bundle, of its package, tag, commit or digest the first that is known. */
  readonly activeVersion?: string;
  /** Where the content of that Bundle came from, with its commit or digest. */
  readonly activeSource?: string;
  /** The last revisions that were installed, oldest first; longshore rollback goes back to one of them. */
  readonly history?: readonly BundleDeploymentStatusHistory[];
  /** Generation that this status is about. */
  readonly observedGeneration?: number;
  /** What belongs to this object, by uid. The provisioner writes it and trusts nothing else; without it nothing is deleted. */
  readonly record?: BundleDeploymentStatusRecord;
  /** Observations, one a type. */
  readonly conditions?: readonly BundleDeploymentStatusCondition[];
}

export interface BundleDeploymentStatusHistory {
  /** Number of the revision; the first one has 1. */
  readonly revision: number;
  /** Bundle that was installed. */
  readonly bundle: string;
  /** Version of the Bundle. */
  readonly version?: string;
  /** Where its content came from. */
  readonly source?: string;
  /** When it was installed. */
  readonly installedAt?: string;
  /** Source of the Bundle, pinned. */
  readonly resolvedSource?: JsonObject;
  /** Spec of this BundleDeployment at that time; absent when it was too large to be recorded. */
  readonly spec?: JsonObject;
}

/** What belongs to this object, by uid. The provisioner writes it and trusts nothing else; without it nothing is deleted. */
export interface BundleDeploymentStatusRecord {
  /** UID of the BundleDeployment that the record is about. */
  readonly uid: string;
  /** Bundles that the provisioner created for this object. */
  readonly bundles: readonly BundleDeploymentStatusRecordBundle[];
  /** How far the first installation is: NotStarted, Creating (every object was created by it), TakingOver (some existed before) or Done. */
  readonly installation: 'NotStarted' | 'Creating' | 'TakingOver' | 'Done';
  /** UID of the Bundle that the first installation is of, until that is done. */
  readonly installingBundle?: string;
  /** Kinds of installed objects, as Kind.group. */
  readonly groupKinds: readonly string[];
  /** Namespaces of installed objects. */
  readonly namespaces: readonly string[];
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

export interface BundleDeploymentStatusCondition {
  /** What is observed. */
  readonly type: string;
  /** Whether it is so. */
  readonly status: 'True' | 'False' | 'Unknown';
  /** Why, as one word for programs. */
  readonly reason: string;
  /** Why, as a sentence for people. */
  readonly message: string;
  /** When the status last changed. */
  readonly lastTransitionTime: string;
  /** Generation that this condition is about. */
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
