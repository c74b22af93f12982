import { type JsonObject, type JsonValue, TerminalError } from '../../base/index.ts';
import type { DirectoryEntry } from '../../content/index.ts';
import {
  type BundleContent,
  type BundleFormat,
  type BundleReader,
  conversionFailed,
  maxManifestFileBytes,
} from '../format.ts';
import { findProblems } from './checks.ts';
import { configProblems } from './config.ts';
import { renderInstallation } from './installation.ts';
import { RegistryBundleReader } from './read.ts';
import { currentCrds, type RegistryBundle } from './registry-bundle.ts';

const conversionPrefix = 'convert registry+v1 bundle to plain+v0 bundle: ';

function refuse(text: string, cause?: unknown): never {
  throw new TerminalError('InvalidBundle', text, { cause });
}

/** `work`, whose errors get the text of the stage, and `reason` if they have no other. */
function converting<T>(work: () => T, reason?: string): T {
  try {
    return work();
  } catch (thrown) {
    if (!(thrown instanceof TerminalError)) throw thrown;
    throw new TerminalError(reason ?? thrown.reason, `${conversionPrefix}${thrown.message}`, { cause: thrown });
  }
}

function contentOf(bundle: RegistryBundle): BundleContent {
  const csv = { apiVersion: 'operators.coreos.com/v1alpha1', kind: 'ClusterServiceVersion', ...bundle.csv };
  return {
    objects: [csv as unknown as JsonObject, ...currentCrds(bundle), ...bundle.others],
    parsed: bundle,
    render: (terms) => converting(() => renderInstallation(bundle, terms), conversionFailed),
  };
}

class RegistryReader implements BundleReader {
  readonly #reader = new RegistryBundleReader();

  add(directory: string, entry: DirectoryEntry): void {
    if (directory === 'manifests') this.#reader.addManifest(entry);
    else converting(() => this.#reader.addMetadata(entry));
  }

  finish(present: ReadonlySet<string>): BundleContent {
    const bundle = converting(() => this.#reader.finish(present.has('manifests')));
    const problems = findProblems(bundle);
    return problems.length === 0 ? contentOf(bundle) : refuse(`validate bundle: ${problems.join('\n')}`);
  }
}

/** Operators, as they are published for the Operator Lifecycle Manager: `manifests/` with a ClusterServiceVersion, `metadata/`.
 *  @see docs/spec/registry-v1-rendering.md */
export const registryV1: BundleFormat = {
  name: 'registry+v1',
  directories: ['manifests', 'metadata'],
  maxFileBytes: maxManifestFileBytes,
  dependsOnCluster: true,
  begin: () => new RegistryReader(),
  restore: (parsed) => contentOf(parsed as RegistryBundle),
  configWarnings: () => [],
  configProblems: (config: JsonValue) => configProblems(config).map((problem) => `spec.config: ${problem}`),
};
