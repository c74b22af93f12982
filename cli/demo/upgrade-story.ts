import { join, relative } from 'node:path';
import { TerminalError } from '../../src/base/index.ts';
import { playStep, type Stage } from './stage.ts';
import { patience, type Step } from './story.ts';

const examples = 'examples/release';
const components = ['dns', 'storage', 'metrics', 'console'];
const channel = 'stable-1.1';

/** Where the releases of the story are. */
export interface ReleasePlaces {
  /** The release that the cluster is installed with, by digest. */
  readonly first: string;
  /** URL of the update service. */
  readonly updates: string;
  /** The file with the signature of the second one, as a ConfigMap, in the folder of the story. */
  readonly signature: string;
}

function build(version: string, previous: readonly string[], repository: string): Step {
  const facts = ['--version', version, '--channel', channel, ...previous.flatMap((one) => ['--previous', one])];
  const images = ['--images', `${examples}/${version}/images.yaml`];
  const target = ['--push', `${repository}:${version}`];
  return { longshore: ['release', 'build', `${examples}/${version}`, ...facts, ...images, ...target] };
}

/** Builds both releases into a repository, and serves the updates between them. */
export async function publishReleases(stage: Stage, repository: string): Promise<ReleasePlaces> {
  const comment =
    'A release has the manifests of all components of a cluster. Two are built; the second one is signed, and an update service offers it, with a known risk.';
  await playStep({ comment }, stage);
  const built = await playStep(build('1.0.0', [], repository), stage);
  await playStep(build('1.1.0', ['1.0.0'], repository), stage);
  const key = ['--key', `${examples}/signing/signing-key.asc`, '--signatures-to', join(stage.cwd, 'signatures')];
  const signed = await playStep({ longshore: ['release', 'sign', `${repository}:1.1.0`, ...key] }, stage);
  const offered = ['1.0.0', '1.1.0'].flatMap((version) => ['--release', `${repository}:${version}`]);
  const serve = ['release', 'graph', 'serve', `${examples}/graph-data`, ...offered, '--bind-address', '127.0.0.1'];
  const served = await playStep({ background: ['longshore', ...serve, '--port', '0'] }, stage);
  const digest = /sha256:[0-9a-f]{64}/.exec(built)?.[0];
  const updates = /http:\S+/.exec(served)?.[0];
  const signature = /^wrote (.+)$/m.exec(signed)?.[1];
  if (digest === undefined || updates === undefined || signature === undefined) {
    const found = `${built}${signed}${served}`;
    throw new TerminalError('DemoFailed', `expected the digest of a release, a signature and a URL, found ${found}`);
  }
  return { first: `${repository}@${digest}`, updates, signature: relative(stage.cwd, signature) };
}

const installChapter: readonly Step[] = [
  {
    comment:
      'The update engine installs the first release, runlevel by runlevel. The operators of its components, which the embedded server does not run, roll out their parts and report.',
  },
  { background: ['node', `${examples}/operators.js`, ...components] },
  { kubectl: ['wait', 'clusterversion/version', '--for=condition=Available', patience] },
  { kubectl: ['get', 'clusterversion,clusteroperators'] },
];

function updatesChapter({ updates }: ReleasePlaces): readonly Step[] {
  const upstream = JSON.stringify({ spec: { upstream: updates } });
  return [
    { comment: 'Updates come from a channel of an update service. The next release has a risk that applies here.' },
    { kubectl: ['patch', 'clusterversion', 'version', '--type=merge', '-p', upstream] },
    { longshore: ['upgrade', 'channel', channel] },
    { kubectl: ['wait', 'clusterversion/version', '--for=condition=RetrievedUpdates', patience] },
    { longshore: ['upgrade', 'recommend'] },
    { longshore: ['upgrade', '--to', '1.1.0'], isRefused: true },
  ];
}

const waitReason = '{.status.conditions[?(@.type=="Progressing")].reason}';

function acceptChapter({ signature }: ReleasePlaces): readonly Step[] {
  return [
    {
      comment: 'The risk is accepted. The first release has a key, which must have signed the next one: it is refused.',
    },
    { longshore: ['upgrade', '--to', '1.1.0', '--allow-not-recommended'] },
    { kubectl: ['wait', 'clusterversion/version', '--for=condition=ReleaseAccepted=false', patience] },
    { longshore: ['upgrade'] },
    { comment: 'The signature comes as a ConfigMap, and the update begins.' },
    { kubectl: ['apply', '-f', signature] },
  ];
}

const updateChapter: readonly Step[] = [
  { comment: 'The risk happens: storage of 1.1.0 refuses its settings, and the update waits for it.' },
  { kubectl: ['wait', 'clusteroperator/storage', '--for=condition=Degraded', patience] },
  { kubectl: ['wait', 'clusterversion/version', `--for=jsonpath=${waitReason}=ClusterOperatorDegraded`, patience] },
  { kubectl: ['get', 'clusteroperators'] },
  { longshore: ['upgrade', 'status'] },
];

const fixChapter: readonly Step[] = [
  { comment: 'The settings are corrected; the update continues where it is.' },
  { kubectl: ['patch', 'configmap', 'settings', '-n', 'storage', '--type=merge', '-p', '{"data":{"replicas":"2"}}'] },
  { kubectl: ['wait', 'clusterversion/version', '--for=condition=Progressing=false', patience] },
  { kubectl: ['get', 'clusterversion,clusteroperators'] },
  { kubectl: ['get', 'configmaps', '-n', 'metrics'] },
  { longshore: ['upgrade'] },
];

/** A cluster that is installed and updated by releases, from beginning to end. */
export function upgradeStory(places: ReleasePlaces): readonly Step[] {
  return [...installChapter, ...updatesChapter(places), ...acceptChapter(places), ...updateChapter, ...fixChapter];
}
