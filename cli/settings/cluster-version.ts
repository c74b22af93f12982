import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { ClusterVersionSettings } from '../../manager/index.ts';
import { TerminalError } from '../../src/base/index.ts';
import type { OptionValues } from '../command/index.ts';

/** The settings of cluster updates, checked. */
export interface ClusterVersionConfig {
  /** Undefined: the ClusterVersion is left alone. */
  readonly clusterVersion: ClusterVersionSettings | undefined;
}

/** Options of cluster updates. */
export const clusterVersionOptions = {
  release: {
    kind: 'text',
    placeholder: 'FOLDER|FILE|IMAGE',
    description:
      'Install this release, and run the update engine: a folder with the directories manifests and release-manifests, a tar of one, or the reference of a release image. A cluster that has a release continues with it.',
  },
  'release-image': {
    kind: 'list',
    placeholder: 'IMAGE=FOLDER',
    description:
      'Read the release image IMAGE from a folder or tar instead of its registry; may be repeated. Its content is not compared with the digest of IMAGE.',
  },
  'release-volume': {
    kind: 'text',
    placeholder: 'CLAIM=FOLDER',
    description:
      'Retrieve release images by a Job on a node instead of from their registries: it copies the manifests to the PersistentVolumeClaim CLAIM of the namespace openshift-cluster-version, whose volume this process has at FOLDER.',
  },
  'allow-unsigned-releases': {
    kind: 'flag',
    default: false,
    description:
      'Accept updates without signatures while the running release names no keys. A release that names keys always requires signatures of the next one.',
  },
  'update-service': {
    kind: 'text',
    placeholder: 'URL',
    description: 'Ask this update service for updates, instead of the upstream of the ClusterVersion.',
  },
  'prometheus-url': {
    kind: 'text',
    placeholder: 'URL',
    description:
      'Prometheus that evaluates the risks of updates. Without it, risks with rules of type PromQL are unknown.',
  },
  'prometheus-token-file': {
    kind: 'text',
    placeholder: 'FILE',
    description: 'File with the bearer token for --prometheus-url, read before each query.',
  },
} as const;

function readPair(option: 'release-image' | 'release-volume', text: string): readonly [name: string, path: string] {
  const at = text.lastIndexOf('=');
  if (at > 0 && at < text.length - 1) return [text.slice(0, at), text.slice(at + 1)];
  const { placeholder } = clusterVersionOptions[option];
  throw new TerminalError('InvalidOption', `--${option} ${text}: expected ${placeholder}`);
}

function readVolume(text: string | undefined): ClusterVersionSettings['retrievalVolume'] {
  if (text === undefined) return undefined;
  const [claim, folder] = readPair('release-volume', text);
  return { claim, folder };
}

function readUrl(name: string, text: string | undefined): string | undefined {
  if (text === undefined || (/^https?:\/\//.test(text) && URL.canParse(text))) return text;
  throw new TerminalError('InvalidOption', `--${name} ${text}: expected http://HOST or https://HOST`);
}

const hasRegistry = /^(?:localhost|[^/]*[.:][^/]*)\/./;

/** A place that has been mistyped would be taken for an image, and fetched in vain.
 *  @throws TerminalError InvalidOption */
function assertPlaces(release: string | undefined, paths: ReadonlyMap<string, string>): void {
  for (const [image, path] of paths) {
    if (!existsSync(path)) {
      throw new TerminalError('InvalidOption', `--release-image ${image}=${path}: ${path} does not exist`);
    }
  }
  if (release === undefined || paths.has(release) || existsSync(release)) return;
  const isImage = !/^\.{0,2}\//.test(release) && hasRegistry.test(release);
  if (isImage) return;
  const text = `--release ${release}: expected a folder or tar that exists, or an image such as HOST/REPOSITORY@sha256:DIGEST`;
  throw new TerminalError('InvalidOption', text);
}

/** The settings of cluster updates from parsed options.
 *  @throws TerminalError InvalidOption */
export function readClusterVersionConfig(values: OptionValues<typeof clusterVersionOptions>): ClusterVersionConfig {
  const paths = new Map(values['release-image'].map((text) => readPair('release-image', text)));
  const retrievalVolume = readVolume(values['release-volume']);
  const { release, 'prometheus-token-file': tokenFile } = values;
  const updateService = readUrl('update-service', values['update-service']);
  const url = readUrl('prometheus-url', values['prometheus-url']);
  const token = tokenFile === undefined ? undefined : () => readFile(tokenFile, 'utf8');
  const prometheus = url === undefined ? undefined : { url, token };
  if (release === undefined && paths.size === 0) return { clusterVersion: undefined };
  assertPlaces(release, paths);
  const allowsUnsigned = values['allow-unsigned-releases'];
  return { clusterVersion: { release, paths, retrievalVolume, updateService, allowsUnsigned, prometheus } };
}
