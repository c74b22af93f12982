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
    description: 'Read the release image IMAGE from a folder or tar instead of its registry; may be repeated.',
  },
} as const;

function readPair(text: string): readonly [image: string, path: string] {
  const at = text.lastIndexOf('=');
  if (at > 0 && at < text.length - 1) return [text.slice(0, at), text.slice(at + 1)];
  throw new TerminalError('InvalidOption', `--release-image ${text}: expected IMAGE=FOLDER`);
}

/** The settings of cluster updates from parsed options.
 *  @throws TerminalError InvalidOption */
export function readClusterVersionConfig(values: OptionValues<typeof clusterVersionOptions>): ClusterVersionConfig {
  const paths = new Map(values['release-image'].map(readPair));
  const { release } = values;
  if (release === undefined && paths.size === 0) return { clusterVersion: undefined };
  return { clusterVersion: { release, paths } };
}
