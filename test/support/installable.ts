import { errorMessage } from '../../src/base/index.ts';
import {
  type BundleFiles,
  findCertificateProvider,
  type RenderedObject,
  readRegistryBundle,
  renderBundle,
  supportedModes,
} from '../../src/formats/index.ts';
import { type KubeClient, type KubeObject, NoKindMatch } from '../../src/kube/index.ts';
import { contentOf, type TestFiles } from './checked-bundle.ts';

const installNamespace = 'operators';
const targets: Readonly<Record<string, readonly string[]>> = {
  AllNamespaces: [''],
  OwnNamespace: [installNamespace],
  SingleNamespace: ['watched'],
  MultiNamespace: ['watched', 'watched-too'],
};

/** The files of a bundle by their paths, as the installer reads them. */
export function filesOf(files: TestFiles): BundleFiles {
  const inFolder = (folder: string): BundleFiles['metadata'] =>
    Object.entries(files).flatMap(([path, content]) =>
      path.startsWith(`${folder}/`) && content !== undefined
        ? [{ kind: 'file', name: path.slice(folder.length + 1), content: Buffer.from(contentOf(content)) }]
        : [],
    );
  return { manifests: inFolder('manifests'), metadata: inFolder('metadata') };
}

/** Makes the namespaces that `installationProblems` installs into. */
export async function prepareNamespaces(kube: KubeClient): Promise<void> {
  for (const name of [installNamespace, 'watched', 'watched-too']) {
    await kube.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } }, { fieldManager: 'test' });
  }
}

async function problemOf(kube: KubeClient, object: RenderedObject): Promise<string | undefined> {
  try {
    await kube.apply(object as KubeObject, { fieldManager: 'test', force: true, isDryRun: true });
    return undefined;
  } catch (thrown) {
    if (thrown instanceof NoKindMatch) return undefined;
    return `${object.kind} ${object.metadata.name ?? ''}: ${errorMessage(thrown)}`;
  }
}

/** What an API server reports by dry run of an operator in each install mode that it supports. Kinds that the cluster does not serve are no finding about the
 *  bundle. */
export async function installationProblems(kube: KubeClient, files: BundleFiles): Promise<readonly string[]> {
  const bundle = readRegistryBundle(files);
  const certificates = findCertificateProvider('cert-manager');
  const objects = new Map<string, RenderedObject>();
  for (const mode of supportedModes(bundle.csv)) {
    const options = { installNamespace, targetNamespaces: targets[mode] ?? [], ...(certificates && { certificates }) };
    for (const object of renderBundle(bundle, options)) objects.set(JSON.stringify(object), object);
  }
  const problems: string[] = [];
  for (const object of objects.values()) {
    const problem = await problemOf(kube, object);
    if (problem !== undefined) problems.push(problem);
  }
  return problems;
}
