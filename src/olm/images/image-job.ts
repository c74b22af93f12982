import type { ContentLimits, ProxySettings } from '../../base/index.ts';
import type { ImagePolicy } from '../../image-policy/index.ts';
import type { PullSecrets, RegistryMirror } from '../../sources/index.ts';

/** How images are fetched and unpacked; crosses threads. */
export interface UnpackSettings {
  /** Of the directory that an image's label names, and of each layer. */
  readonly limits: ContentLimits;
  readonly insecureRegistries: readonly string[];
  readonly registryCaPem: readonly string[];
  readonly proxies?: ProxySettings | undefined;
  readonly answerDeadlineMs: number;
  /** `linux/amd64` */
  readonly platform: string;
  /** Of one image, from its first byte to its result. */
  readonly deadlineMs: number;
}

/** What registries are asked with. */
export interface RegistryTerms {
  readonly pullSecrets: PullSecrets | undefined;
  readonly mirrors: readonly RegistryMirror[] | undefined;
  readonly policy: ImagePolicy | undefined;
}

/** To fetch one image; crosses threads. */
export interface ImageJob extends RegistryTerms {
  readonly settings: UnpackSettings;
  /** Whose work it is: that of one group shares a turn where it needs much memory. */
  readonly group: string;
  readonly ref: string;
  /** As the user wrote it. */
  readonly askedRef: string;
  /** The content was allowed before, and is compared with that. */
  readonly isKnown: boolean;
  /** For temporary files of this job alone. The next attempt reuses what is left there. */
  readonly workDir: string;
}

/** The job with a limit on the memory of archives that are decompressed. */
export function withWindow<Job extends ImageJob>(job: Job, windowBytes: number): Job {
  const { settings } = job;
  return { ...job, settings: { ...settings, limits: { ...settings.limits, windowBytes } } };
}
