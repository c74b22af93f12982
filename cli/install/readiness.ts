import { setTimeout as pause } from 'node:timers/promises';
import { bundleResource, plainProvisionerClass } from '../../src/api/index.ts';
import { healthOf } from '../../src/apply/index.ts';
import { errorMessage } from '../../src/base/index.ts';
import { isKubeError, type KubeClient, type KubeObject, refOf } from '../../src/kube/index.ts';
import type { Progress } from '../output/index.ts';
import { diagnose } from './diagnosis.ts';

const pollMs = 500;
const diagnosisMs = 15_000;

/** What must be so before an installation is done. */
interface Wait {
  readonly label: string;
  /** Undefined when it is so, else what is missing. */
  readonly look: (signal: AbortSignal) => Promise<string | undefined>;
  readonly explain: (signal: AbortSignal) => Promise<readonly string[]>;
}

/** A Bundle that only an asked webhook refuses; nothing is written either way. */
async function lookAtAdmission(kube: KubeClient, signal: AbortSignal): Promise<string | undefined> {
  const git = { repository: 'https://git.example.com/probe', ref: { branch: 'main' }, directory: '../probe' };
  const spec = { provisionerClassName: plainProvisionerClass, source: { type: 'git', git } };
  const { apiVersion, kind } = bundleResource;
  const probe = { apiVersion, kind, metadata: { name: 'longshore-install-probe' }, spec } as unknown as KubeObject;
  try {
    await kube.create(probe, { fieldManager: 'longshore', isDryRun: true, signal });
    return 'the API server does not call the webhook yet';
  } catch (thrown) {
    const isRefused = isKubeError(thrown) && thrown.message.includes('directory must define path');
    return isRefused ? undefined : errorMessage(thrown);
  }
}

const admissionAdvices: readonly { readonly pattern: RegExp; readonly advice: string }[] = [
  {
    // Where it leads to is no Service.
    pattern: /Post "https:\/\/(?!rukpak-webhook-service\.)/,
    advice:
      'a webhook beside the cluster was registered (longshore up --cluster): if it is no more, remove it and install again: "kubectl delete validatingwebhookconfiguration rukpak-validating-webhook-configuration crd-validation-webhook; kubectl delete mutatingwebhookconfiguration longshore-mutating-webhook-configuration"',
  },
  {
    pattern: /x509|certificate/,
    advice:
      'the API server does not trust the certificate of the webhook, which publishes its authority when it starts; see "kubectl logs -n rukpak-system deployment/rukpak-webhooks"',
  },
  {
    pattern: /failed calling webhook/,
    advice:
      'the API server does not reach the webhook: see "kubectl get pods,endpointslices -n rukpak-system", and that nothing keeps API servers from port 9443 of these pods',
  },
  {
    pattern: /is forbidden: User/,
    advice: 'the user who installs must be able to create Bundles, to verify admission',
  },
  {
    pattern: /does not call the webhook/,
    advice:
      'check the ValidatingWebhookConfiguration rukpak-validating-webhook-configuration and run the command again',
  },
];

/** Why admission does not work, and what to do, in lines for a person. */
export function explainAdmission(missing: string | undefined): readonly string[] {
  if (missing === undefined) return ['admission: works by now'];
  const advice = admissionAdvices.find(({ pattern }) => pattern.test(missing))?.advice;
  return [`admission: ${missing}`, ...(advice === undefined ? [] : [`  → ${advice}`])];
}

function deploymentWait(kube: KubeClient, requested: KubeObject): Wait {
  return {
    label: `deployment ${requested.metadata.name ?? ''}`,
    look: async (signal) => {
      const { state, message } = healthOf(await kube.get(refOf(requested), { signal }), Date.now());
      return state === 'Current' ? undefined : message;
    },
    explain: async (signal) => await diagnose(kube, await kube.get(refOf(requested), { signal }), signal),
  };
}

function waitsFor(kube: KubeClient, objects: readonly KubeObject[]): Wait[] {
  const deployments = objects.filter(({ kind }) => kind === 'Deployment');
  return [
    ...deployments.map((deployment) => deploymentWait(kube, deployment)),
    {
      label: 'admission',
      look: (signal) => lookAtAdmission(kube, signal),
      explain: async (signal) => explainAdmission(await lookAtAdmission(kube, signal)),
    },
  ];
}

async function untilMet(wait: Wait, progress: Progress, signal: AbortSignal): Promise<boolean> {
  while (!signal.aborted) {
    const missing = await wait.look(signal).catch((thrown: unknown) => errorMessage(thrown));
    if (missing === undefined) return true;
    progress.show(`waiting for ${wait.label}: ${missing}`);
    await pause(pollMs, undefined, { signal }).catch(() => undefined);
  }
  return false;
}

/** Waits until the Deployments are available and the API server asks the webhook. Resolves to nothing when all is so in time, else to what is
 *  missing, in lines for a person. */
export async function untilInstalled(
  kube: KubeClient,
  objects: readonly KubeObject[],
  options: { readonly progress: Progress; readonly timeoutMs: number },
): Promise<readonly string[]> {
  const signal = AbortSignal.timeout(options.timeoutMs);
  const late: Wait[] = [];
  for (const wait of waitsFor(kube, objects)) {
    if (await untilMet(wait, options.progress, signal)) options.progress.finish(`${wait.label} ready`);
    else late.push(wait);
  }
  options.progress.clear();
  const explained = late.map(async ({ label, look, explain }) => {
    const ended = AbortSignal.timeout(diagnosisMs);
    try {
      // Those that were never looked at may be ready.
      return (await look(ended)) === undefined ? [] : await explain(ended);
    } catch (thrown) {
      return [`${label}: ${errorMessage(thrown)}`];
    }
  });
  return (await Promise.all(explained)).flat();
}
