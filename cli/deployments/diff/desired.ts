import { readFile } from 'node:fs/promises';
import {
  type Rendition,
  ServingCertificates,
  termsFor,
  withoutDefinitionsOfOthers,
} from '../../../provisioners/index.ts';
import {
  apiVersion,
  bundleDeploymentResource,
  ownerKindLabel,
  ownerNameLabel,
  parseBundle,
  parseBundleDeployment,
} from '../../../src/api/index.ts';
import { fileProblem, parseYaml, systemClock, TerminalError } from '../../../src/base/index.ts';
import { extractArchive, type Staging } from '../../../src/content/index.ts';
import { type ChartRenderer, formatOf, readStaged } from '../../../src/formats/index.ts';
import type { KubeClient, KubeObject } from '../../../src/kube/index.ts';
import { definitionOf } from '../../../src/sources/definitions/index.ts';
import { stagePath } from '../../bundle-files/index.ts';
import { type ContentClient, describeRefusal } from '../../client/index.ts';
import type { OptionValues } from '../../command/index.ts';
import { openFilledStaging, type WorkFolder } from '../../input/index.ts';
import { pullInto, type Transfer } from '../../oci/index.ts';
import type { diffOptions } from '../options.ts';

/** What a deployment is compared with. */
export interface Desired extends Rendition {
  /** The deployment as it would be. */
  readonly deployment: KubeObject;
}

export interface Finding extends Transfer {
  readonly client: ContentClient;
  readonly work: WorkFolder;
  readonly deployment: KubeObject;
  readonly systemNamespace: string;
  /** Renders charts. */
  readonly charts: ChartRenderer;
  /** What to compare with; empty: the newest Bundle of the deployment. */
  readonly requested: Partial<OptionValues<typeof diffOptions>>;
}

function classOf(deployment: KubeObject): string {
  return parseBundleDeployment(deployment).spec.template.spec.provisionerClassName;
}

/** The objects of a bundle, as the deployment would install them.
 *  @throws TerminalError InvalidBundle, UnknownProvisioner, ConversionFailed */
async function render(staging: Staging, deployment: KubeObject, finding: Finding): Promise<Rendition> {
  const className = classOf(deployment);
  const content = await readStaged(formatOf(className), staging, '');
  const { kube } = finding.client;
  const { signal } = finding;
  const reading = { kube, systemNamespace: finding.systemNamespace, signal };
  const terms = await termsFor(deployment, className, reading);
  const rendered = await content.render(terms, { charts: finding.charts, signal });
  const certificates = new ServingCertificates({ clock: systemClock });
  const { definitions } = rendered;
  const objects = await withoutDefinitionsOfOthers(
    { objects: rendered.objects as unknown as KubeObject[], definitions },
    { kube, deployment, signal },
  );
  return {
    ...rendered,
    objects: await certificates.complete(deployment.metadata.name ?? '', [...objects], {
      kube,
      isFirst: false,
      signal,
    }),
  };
}

async function stageImage(ref: string, finding: Finding): Promise<Staging> {
  return await openFilledStaging(finding.work, (staging) => pullInto(staging, ref, { ...finding, isOperator: true }));
}

/** The deployment's newest Bundle: the one of its template. */
async function newestBundle(kube: KubeClient, name: string, signal: AbortSignal): Promise<KubeObject> {
  const labelSelector = `${ownerKindLabel}=${bundleDeploymentResource.kind},${ownerNameLabel}=${name}`;
  const { items } = await kube.list({ apiVersion, kind: 'Bundle', labelSelector }, { signal });
  const timeOf = ({ metadata }: KubeObject): string => metadata.creationTimestamp ?? '';
  const [newest] = [...items].sort((a, b) => (timeOf(a) < timeOf(b) ? 1 : -1));
  if (newest !== undefined) return newest;
  throw new TerminalError(
    'NoBundle',
    `bundledeployment "${name}" has no Bundle yet; name what to compare with --bundle`,
  );
}

/** The content of the deployment's newest Bundle.
 *  @throws TerminalError NoBundle, NoContent */
export async function stageOwn({ client, work, deployment, signal }: Finding): Promise<Staging> {
  const bundle = parseBundle(await newestBundle(client.kube, deployment.metadata.name ?? '', signal));
  const { name } = bundle.metadata;
  const url = bundle.status?.contentURL;
  if (url === undefined) {
    const text = `bundle "${name}" is not unpacked (phase ${bundle.status?.phase ?? 'unknown'}): it has no content to compare with`;
    throw new TerminalError('NoContent', text);
  }
  const response = await client.open({ url, signal });
  if (response.statusCode !== 200) throw new TerminalError('NoContent', await describeRefusal('GET', url, response));
  const options = { what: url, hasWhiteouts: false, signal };
  return await openFilledStaging(work, (staging) =>
    extractArchive(response as AsyncIterable<Buffer>, staging, options),
  );
}

/** The deployment that a file holds, under the name and identity of the one that is there.
 *  @throws TerminalError InvalidObject, WrongDeployment, NotFound */
async function readDeployment(path: string, live: KubeObject): Promise<KubeObject> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (thrown) {
    throw new TerminalError('NotFound', `${path}: ${fileProblem(thrown)}`, { cause: thrown });
  }
  const desired = parseYaml(path, text) as unknown as KubeObject;
  const { name } = parseBundleDeployment(desired).metadata;
  if (name !== live.metadata.name) {
    const found = `expected the BundleDeployment "${live.metadata.name}", found "${name}"`;
    throw new TerminalError('WrongDeployment', `${path}: ${found}`);
  }
  const { labels, annotations } = live.metadata;
  const metadata = {
    ...live.metadata,
    labels: { ...labels, ...desired.metadata.labels },
    annotations: { ...annotations, ...desired.metadata.annotations },
  };
  return { ...desired, metadata } as KubeObject;
}

async function stageTemplate(deployment: KubeObject, finding: Finding): Promise<Staging> {
  const { source } = parseBundleDeployment(deployment).spec.template.spec;
  if (definitionOf(source).isImage === true && source.image !== undefined)
    return await stageImage(source.image.ref, finding);
  const text = `source type "${source.type}" is fetched by the provisioners alone: get its files and name them with --bundle`;
  throw new TerminalError('UnsupportedSource', text);
}

/** Finds what the options name: `--bundle` (a folder or OCI layout), `--image`, the template of the deployment in the file `-f`, or else the
 *  deployment's own newest Bundle. With `-f` and one of the first two, that is the content of the deployment in the file.
 *  @throws TerminalError InvalidOption, and what the ways throw */
export async function findDesired(finding: Finding): Promise<Desired> {
  const { bundle, image, filename: file } = finding.requested;
  if (bundle !== undefined && image !== undefined) {
    throw new TerminalError('InvalidOption', '--bundle and --image: expected one of them, found both');
  }
  const deployment = file === undefined ? finding.deployment : await readDeployment(file, finding.deployment);
  await using staging = await stageDesired(finding, {
    bundle,
    image,
    deployment: file === undefined ? undefined : deployment,
  });
  return { deployment, ...(await render(staging, deployment, finding)) };
}

async function stageDesired(
  finding: Finding,
  request: {
    readonly bundle: string | undefined;
    readonly image: string | undefined;
    readonly deployment: KubeObject | undefined;
  },
): Promise<Staging> {
  if (request.bundle !== undefined) return (await stagePath(request.bundle, finding)).staging;
  if (request.image !== undefined) return await stageImage(request.image, finding);
  return request.deployment === undefined ? await stageOwn(finding) : await stageTemplate(request.deployment, finding);
}
