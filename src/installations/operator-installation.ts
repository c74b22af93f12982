import type { KubeObject } from '../kube/index.ts';
import type { Installation, InstallationStep, StatusWord } from './contract/index.ts';
import { explainOperator, type Progress } from './explain.ts';
import { firstLine, identityOf } from './installation.ts';
import type { InstalledOperator } from './installed-operator.ts';

const wordByState: Readonly<Record<Progress['state'], StatusWord>> = {
  installed: 'Healthy',
  approval: 'Waiting',
  progressing: 'Progressing',
  failed: 'Failed',
};

function wordOf({ subscription }: InstalledOperator, progress: Progress): StatusWord {
  if (subscription.metadata.deletionTimestamp !== undefined) return 'Deleting';
  const isInstalled = (subscription.status?.installedCSV ?? '') !== '';
  return progress.state === 'failed' && isInstalled ? 'Degraded' : wordByState[progress.state];
}

const stages = ['Subscription', 'InstallPlan', 'ClusterServiceVersion'] as const;
const stageTitles: Readonly<Record<(typeof stages)[number], string>> = {
  Subscription: 'Resolved',
  InstallPlan: 'Plan executed',
  ClusterServiceVersion: 'Running',
};

function stateOf(progress: Progress): InstallationStep['state'] {
  if (progress.state === 'installed') return 'done';
  if (progress.state === 'approval') return 'waiting';
  return progress.state === 'failed' ? 'failed' : 'running';
}

/** The object that decides stands at its stage; what comes before it is done. */
function stepsOf(operator: InstalledOperator, progress: Progress): readonly InstallationStep[] {
  const [kind = ''] = progress.object.split(' ');
  const found = stages.findIndex((stage) => stage === kind);
  const current = found === -1 ? 0 : found;
  const { plan, csv, subscription } = operator;
  const { installedCSV = '' } = subscription.status ?? {};
  const doneTexts = [
    subscription.status?.currentCSV ?? '',
    plan === undefined ? '' : `InstallPlan ${plan.metadata.name}`,
    csv?.metadata.name ?? '',
  ];
  return stages.map((stage, index): InstallationStep => {
    const title = stageTitles[stage];
    const isLast = index === stages.length - 1;
    const kept = isLast && installedCSV !== '' ? `${installedCSV} stays until then` : '';
    if (index > current) return { title, state: 'idle', reason: '', text: kept, since: '', advice: [] };
    const isCurrent = index === current && progress.state !== 'installed';
    if (!isCurrent) return { title, state: 'done', reason: '', text: doneTexts[index] ?? '', since: '', advice: [] };
    const text = [`${progress.object}: ${progress.text}`, ...progress.details].join('\n');
    const advice = progress.advice === undefined ? [] : [progress.advice];
    return { title, state: stateOf(progress), reason: '', text, since: '', advice };
  });
}

function pendingOf(
  plan: InstalledOperator['plan'],
  progress: Progress,
): Pick<Installation, 'pendingPlan' | 'pendingBundles'> {
  if (progress.state !== 'approval' || plan === undefined) return { pendingPlan: '', pendingBundles: [] };
  return { pendingPlan: plan.metadata.name, pendingBundles: plan.spec.clusterServiceVersionNames };
}

/** The version in a name of a ClusterServiceVersion: `tide-gauge.v0.1.0` is 0.1.0. */
function versionIn(name: string): string {
  return /\.v?(\d.*)$/.exec(name)?.[1] ?? name;
}

function versionsOf({
  spec,
  status,
}: InstalledOperator['subscription']): Pick<Installation, 'version' | 'available' | 'source'> {
  const { installedCSV = '', currentCSV = '' } = status ?? {};
  const isUpdate = installedCSV !== '' && currentCSV !== installedCSV;
  return {
    version: versionIn(installedCSV),
    available: isUpdate ? versionIn(currentCSV) : '',
    source: `${spec.name} of ${spec.sourceNamespace}/${spec.source}, channel ${spec.channel ?? 'default'}`,
  };
}

/** A Subscription with what belongs to it as an installation. */
export function installationOfOperator(operator: InstalledOperator): Installation {
  const { subscription, plan } = operator;
  const progress = explainOperator(operator);
  const status = wordOf(operator, progress);
  return {
    ...identityOf(subscription as unknown as KubeObject),
    type: 'Operator',
    ...versionsOf(subscription),
    status,
    message: progress.state === 'installed' ? '' : `${progress.object}: ${firstLine(progress.text)}`,
    needsUser: ['Waiting', 'Failed', 'Degraded'].includes(status),
    advice: progress.advice === undefined ? [] : [progress.advice],
    steps: stepsOf(operator, progress),
    ...pendingOf(plan, progress),
  };
}
