// Generated from crds/core.rukpak.io_bundles.yaml by scripts/generate-api-types.ts: do not edit.
import type { Schema } from '../../schema/index.ts';
import type { ObjectMeta } from '../object-meta.ts';

/** Content that is fetched once, validated and stored. The spec is immutable. */
export interface Bundle {
  readonly apiVersion: 'core.rukpak.io/v1alpha1';
  readonly kind: 'Bundle';
  readonly metadata: ObjectMeta;
  /** Source of the content, and the provisioner that unpacks it. */
  readonly spec: BundleSpec;
  /** Observed state of the Bundle. */
  readonly status?: BundleStatus;
}

/** Source of the content, and the provisioner that unpacks it. */
export interface BundleSpec {
  /** Class of the provisioner that handles this object. */
  readonly provisionerClassName: string;
  /** Source of the content. Exactly one member is set in addition to the type. */
  readonly source: BundleSpecSource;
}

/** Source of the content. Exactly one member is set in addition to the type. */
export interface BundleSpecSource {
  /** Type of the source: image, git, configMaps, upload or http. */
  readonly type: string;
  /** Content of a container image. */
  readonly image?: BundleSpecSourceImage;
  /** Content of a git repository. */
  readonly git?: BundleSpecSourceGit;
  /** Content of ConfigMaps in the system namespace; each key becomes a file. */
  readonly configMaps?: readonly BundleSpecSourceConfigMap[];
  /** Content that a client uploads. */
  readonly upload?: Readonly<Record<string, never>>;
  /** Content of a tar.gz archive at a URL. */
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
  /** Directory of the repository that is the root of the bundle; the root of the repository if unset. */
  readonly directory?: string;
  /** Revision to check out. Exactly one member is set. */
  readonly ref: BundleSpecSourceGitRef;
  /** Credentials for the server. */
  readonly auth?: BundleSpecSourceGitAuth;
}

/** Revision to check out. Exactly one member is set. */
export interface BundleSpecSourceGitRef {
  /** Branch, by its short name. */
  readonly branch?: string;
  /** Full hash of a commit. */
  readonly commit?: string;
  /** Tag, by its short name. */
  readonly tag?: string;
}

/** Credentials for the server. */
export interface BundleSpecSourceGitAuth {
  /** Secret in the system namespace with the credentials. */
  readonly secret?: BundleSpecSourceGitAuthSecret;
  /** Skip the verification of certificates and host keys. */
  readonly insecureSkipVerify?: boolean;
}

/** Secret in the system namespace with the credentials. */
export interface BundleSpecSourceGitAuthSecret {
  /** Name of the Secret. */
  readonly name?: string;
}

export interface BundleSpecSourceConfigMap {
  /** The ConfigMap; it must be immutable. */
  readonly configMap: BundleSpecSourceConfigMapConfigMap;
  /** Directory of the bundle that the files are written to; the root if unset. */
  readonly path?: string;
}

/** The ConfigMap; it must be immutable. */
export interface BundleSpecSourceConfigMapConfigMap {
  /** Name of the ConfigMap. */
  readonly name?: string;
}

/** Content of a tar.gz archive at a URL. */
export interface BundleSpecSourceHttp {
  /** URL of the archive. */
  readonly url: string;
  /** Credentials for the server. */
  readonly auth?: BundleSpecSourceHttpAuth;
}

/** Credentials for the server. */
export interface BundleSpecSourceHttpAuth {
  /** Secret in the system namespace with the credentials. */
  readonly secret?: BundleSpecSourceHttpAuthSecret;
  /** Skip the verification of certificates and host keys. */
  readonly insecureSkipVerify?: boolean;
}

/** Secret in the system namespace with the credentials. */
export interface BundleSpecSourceHttpAuthSecret {
  /** Name of the Secret. */
  readonly name?: string;
}

/** Observed state of the Bundle. */
export interface BundleStatus {
  /** Pending, Unpacking, Unpacked or Failing. */
  readonly phase?: string;
  /** URL of the unpacked content. */
  readonly contentURL?: string;
  /** Generation that the status was observed for. */
  readonly observedGeneration?: number;
  /** The source, pinned to the digest or commit that was fetched. */
  readonly resolvedSource?: BundleStatusResolvedSource;
  /** Conditions, one per type. */
  readonly conditions?: readonly BundleStatusCondition[];
}

/** The source, pinned to the digest or commit that was fetched. */
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
  /** Content of a tar.gz archive at a URL. */
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
  /** Directory of the repository that is the root of the bundle; the root of the repository if unset. */
  readonly directory?: string;
  /** Revision to check out. */
  readonly ref: BundleStatusResolvedSourceGitRef;
  /** Credentials for the server. */
  readonly auth?: BundleStatusResolvedSourceGitAuth;
}

/** Revision to check out. */
export interface BundleStatusResolvedSourceGitRef {
  /** Branch, by its short name. */
  readonly branch?: string;
  /** Full hash of a commit. */
  readonly commit?: string;
  /** Tag, by its short name. */
  readonly tag?: string;
}

/** Credentials for the server. */
export interface BundleStatusResolvedSourceGitAuth {
  /** Secret in the system namespace with the credentials. */
  readonly secret?: BundleStatusResolvedSourceGitAuthSecret;
  /** Skip the verification of certificates and host keys. */
  readonly insecureSkipVerify?: boolean;
}

/** Secret in the system namespace with the credentials. */
export interface BundleStatusResolvedSourceGitAuthSecret {
  /** Name of the Secret. */
  readonly name?: string;
}

export interface BundleStatusResolvedSourceConfigMap {
  /** The ConfigMap; it must be immutable. */
  readonly configMap: BundleStatusResolvedSourceConfigMapConfigMap;
  /** Directory of the bundle that the files are written to; the root if unset. */
  readonly path?: string;
}

/** The ConfigMap; it must be immutable. */
export interface BundleStatusResolvedSourceConfigMapConfigMap {
  /** Name of the ConfigMap. */
  readonly name?: string;
}

/** Content of a tar.gz archive at a URL. */
export interface BundleStatusResolvedSourceHttp {
  /** URL of the archive. */
  readonly url: string;
  /** Credentials for the server. */
  readonly auth?: BundleStatusResolvedSourceHttpAuth;
}

/** Credentials for the server. */
export interface BundleStatusResolvedSourceHttpAuth {
  /** Secret in the system namespace with the credentials. */
  readonly secret?: BundleStatusResolvedSourceHttpAuthSecret;
  /** Skip the verification of certificates and host keys. */
  readonly insecureSkipVerify?: boolean;
}

/** Secret in the system namespace with the credentials. */
export interface BundleStatusResolvedSourceHttpAuthSecret {
  /** Name of the Secret. */
  readonly name?: string;
}

export interface BundleStatusCondition {
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
