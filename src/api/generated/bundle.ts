// Generated from crds/core.rukpak.io_bundles.yaml by scripts/generate-api-types.ts: do not edit.
import type { Schema } from '../../schema/index.ts';
import type { ObjectMeta } from '../object-meta.ts';

/** Points to content that is fetched once, checked, and kept. The spec never changes. */
export interface Bundle {
  readonly apiVersion: 'core.rukpak.io/v1alpha1';
  readonly kind: 'Bundle';
  readonly metadata: ObjectMeta;
  /** What to fetch and who fetches it. */
  readonly spec: BundleSpec;
  /** What the provisioner found. */
  readonly status?: BundleStatus;
}

/** What to fetch and who fetches it. */
export interface BundleSpec {
  /** Name of the provisioner that takes care of this object. */
  readonly provisionerClassName: string;
  /** Where the content comes from. Exactly one member is present beside the type. */
  readonly source: BundleSpecSource;
}

/** Where the content comes from. Exactly one member is present beside the type. */
export interface BundleSpecSource {
  /** Which member is meant: image, git, configMaps, upload or http. */
  readonly type: string;
  /** Content of a container image. */
  readonly image?: BundleSpecSourceImage;
  /** Content of a git repository. */
  readonly git?: BundleSpecSourceGit;
  /** Content of ConfigMaps in the system namespace; each key becomes a file. */
  readonly configMaps?: readonly BundleSpecSourceConfigMap[];
  /** Content that a client uploads. */
  readonly upload?: Readonly<Record<string, never>>;
  /** Content of a tar.gz behind a URL. */
  readonly http?: BundleSpecSourceHttp;
}

/** Content of a container image. */
export interface BundleSpecSourceImage {
  /** Image reference, by tag or by digest. */
  readonly ref: string;
  /** Name of an image pull secret in the system namespace. */
  readonly pullSecret?: string;
}

/** Content of a git repository. */
export interface BundleSpecSourceGit {
  /** URL to clone from. */
  readonly repository: string;
  /** Directory that becomes the root of the bundle; the root of the repository when unset. */
  readonly directory?: string;
  /** What to check out. Exactly one member is present. */
  readonly ref: BundleSpecSourceGitRef;
  /** How to prove who asks. */
  readonly auth?: BundleSpecSourceGitAuth;
}

/** What to check out. Exactly one member is present. */
export interface BundleSpecSourceGitRef {
  /** Branch, by its short name. */
  readonly branch?: string;
  /** Full hash of a commit. */
  readonly commit?: string;
  /** Tag, by its short name. */
  readonly tag?: string;
}

/** How to prove who asks. */
export interface BundleSpecSourceGitAuth {
  /** Secret in the system namespace that holds the credentials. */
  readonly secret?: BundleSpecSourceGitAuthSecret;
  /** Accept any certificate and any host key. */
  readonly insecureSkipVerify?: boolean;
}

/** Secret in the system namespace that holds the credentials. */
export interface BundleSpecSourceGitAuthSecret {
  /** Name of the Secret. */
  readonly name?: string;
}

export interface BundleSpecSourceConfigMap {
  /** The ConfigMap; it must be immutable. */
  readonly configMap: BundleSpecSourceConfigMapConfigMap;
  /** Directory inside the bundle that takes the files; the root when unset. */
  readonly path?: string;
}

/** The ConfigMap; it must be immutable. */
export interface BundleSpecSourceConfigMapConfigMap {
  /** Name of the ConfigMap. */
  readonly name?: string;
}

/** Content of a tar.gz behind a URL. */
export interface BundleSpecSourceHttp {
  /** URL of the archive. */
  readonly url: string;
  /** How to prove who asks. */
  readonly auth?: BundleSpecSourceHttpAuth;
}

/** How to prove who asks. */
export interface BundleSpecSourceHttpAuth {
  /** Secret in the system namespace that holds the credentials. */
  readonly secret?: BundleSpecSourceHttpAuthSecret;
  /** Accept any certificate and any host key. */
  readonly insecureSkipVerify?: boolean;
}

/** Secret in the system namespace that holds the credentials. */
export interface BundleSpecSourceHttpAuthSecret {
  /** Name of the Secret. */
  readonly name?: string;
}

/** What the provisioner found. */
export interface BundleStatus {
  /** Pending, Unpacking, Unpacked or Failing. */
  readonly phase?: string;
  /** Where the unpacked content is served. */
  readonly contentURL?: string;
  /** Generation that this status is about. */
  readonly observedGeneration?: number;
  /** The source with everything that could move pinned to what was fetched. */
  readonly resolvedSource?: BundleStatusResolvedSource;
  /** Observations, one a type. */
  readonly conditions?: readonly BundleStatusCondition[];
}

/** The source with everything that could move pinned to what was fetched. */
export interface BundleStatusResolvedSource {
  /** Type of the source. */
  readonly type: string;
  /** Content of a container image. */
  readonly image?: BundleStatusResolvedSourceImage;
  /** Content of a git repository. */
  readonly git?: BundleStatusResolvedSourceGit;
  /** Content of ConfigMaps in the system namespace; each key becomes a file. */
  readonly configMaps?: readonly BundleStatusResolvedSourceConfigMap[];
  /** Content that a client uploads. */
  readonly upload?: Readonly<Record<string, never>>;
  /** Content of a tar.gz behind a URL. */
  readonly http?: BundleStatusResolvedSourceHttp;
}

/** Content of a container image. */
export interface BundleStatusResolvedSourceImage {
  /** Image reference, by tag or by digest. */
  readonly ref: string;
  /** Name of an image pull secret in the system namespace. */
  readonly pullSecret?: string;
}

/** Content of a git repository. */
export interface BundleStatusResolvedSourceGit {
  /** URL to clone from. */
  readonly repository: string;
  /** Directory that becomes the root of the bundle; the root of the repository when unset. */
  readonly directory?: string;
  /** What to check out. */
  readonly ref: BundleStatusResolvedSourceGitRef;
  /** How to prove who asks. */
  readonly auth?: BundleStatusResolvedSourceGitAuth;
}

/** What to check out. */
export interface BundleStatusResolvedSourceGitRef {
  /** Branch, by its short name. */
  readonly branch?: string;
  /** Full hash of a commit. */
  readonly commit?: string;
  /** Tag, by its short name. */
  readonly tag?: string;
}

/** How to prove who asks. */
export interface BundleStatusResolvedSourceGitAuth {
  /** Secret in the system namespace that holds the credentials. */
  readonly secret?: BundleStatusResolvedSourceGitAuthSecret;
  /** Accept any certificate and any host key. */
  readonly insecureSkipVerify?: boolean;
}

/** Secret in the system namespace that holds the credentials. */
export interface BundleStatusResolvedSourceGitAuthSecret {
  /** Name of the Secret. */
  readonly name?: string;
}

export interface BundleStatusResolvedSourceConfigMap {
  /** The ConfigMap; it must be immutable. */
  readonly configMap: BundleStatusResolvedSourceConfigMapConfigMap;
  /** Directory inside the bundle that takes the files; the root when unset. */
  readonly path?: string;
}

/** The ConfigMap; it must be immutable. */
export interface BundleStatusResolvedSourceConfigMapConfigMap {
  /** Name of the ConfigMap. */
  readonly name?: string;
}

/** Content of a tar.gz behind a URL. */
export interface BundleStatusResolvedSourceHttp {
  /** URL of the archive. */
  readonly url: string;
  /** How to prove who asks. */
  readonly auth?: BundleStatusResolvedSourceHttpAuth;
}

/** How to prove who asks. */
export interface BundleStatusResolvedSourceHttpAuth {
  /** Secret in the system namespace that holds the credentials. */
  readonly secret?: BundleStatusResolvedSourceHttpAuthSecret;
  /** Accept any certificate and any host key. */
  readonly insecureSkipVerify?: boolean;
}

/** Secret in the system namespace that holds the credentials. */
export interface BundleStatusResolvedSourceHttpAuthSecret {
  /** Name of the Secret. */
  readonly name?: string;
}

export interface BundleStatusCondition {
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

/** What `parseBundle` checks. */
export const bundleShape: Schema = {
  "type": "object",
  "required": [
    "spec"
  ],
  "properties": {
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
    },
    "status": {
      "type": "object",
      "properties": {
        "phase": {
          "type": "string"
        },
        "contentURL": {
          "type": "string"
        },
        "observedGeneration": {
          "type": "integer"
        },
        "resolvedSource": {
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
