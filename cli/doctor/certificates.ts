import {
  certificateExpiryMs,
  certificateStartMs,
  formatTimestamp,
  isServingCertificate,
  type ServingPair,
} from '../../src/base/index.ts';
import { findObject, type KubeObject } from '../../src/kube/index.ts';
import { objectsAt, textAt } from './fields.ts';
import { type Check, type Finding, fail, ok, type Patient, spokenAge, unchecked, warn } from './finding.ts';
import { caBundleOf, readConfigurations } from './webhooks.ts';

/** They are renewed when a third of their life is left. */
const lateShare = 1 / 4;
const renew =
  'check the logs of its issuer (longshore controllers --issue-certificates, cert-manager, the service CA): it should have been renewed';

function decodedAt(secret: KubeObject, key: string): string {
  return Buffer.from(textAt(secret, 'data', key), 'base64').toString('utf8');
}

function pairIn(secret: KubeObject): ServingPair {
  const certificatePem = decodedAt(secret, 'tls.crt');
  return { certificatePem, privateKeyPem: decodedAt(secret, 'tls.key'), caBundlePem: decodedAt(secret, 'ca.crt') };
}

async function secretCalled(name: string, { kube, systemNamespace, signal }: Patient): Promise<KubeObject | undefined> {
  return await findObject(kube, { apiVersion: 'v1', kind: 'Secret', namespace: systemNamespace, name }, { signal });
}

function ageOf(what: string, certificatePem: string, nowMs: number): Finding {
  let endMs: number;
  let startMs: number;
  try {
    [startMs, endMs] = [certificateStartMs(certificatePem), certificateExpiryMs(certificatePem)];
  } catch {
    return fail(`${what}: tls.crt is not a certificate`, renew);
  }
  if (endMs < nowMs) return fail(`${what}: expired at ${formatTimestamp(endMs)}`, renew);
  if (startMs > nowMs + 60_000)
    return fail(`${what}: not valid before ${formatTimestamp(startMs)}`, 'check the clocks of the cluster');
  const left = `${what}: ${spokenAge(endMs - nowMs)} left`;
  return endMs - nowMs < (endMs - startMs) * lateShare ? warn(left, renew) : ok(left);
}

/** The certificate, and whether those who connect trust it. */
async function examineSecret(
  name: string,
  patient: Patient,
  trusted: () => Promise<readonly string[]>,
): Promise<readonly Finding[]> {
  const what = `Secret ${patient.systemNamespace}/${name}`;
  try {
    const secret = await secretCalled(name, patient);
    if (secret === undefined) return [ok(`${what}: not found; certificates have another source`)];
    const pair = pairIn(secret);
    const isTrusted = (caBundlePem: string): boolean => isServingCertificate(pair, { caBundlePem, dnsNames: [] });
    if (!(await trusted()).every(isTrusted)) {
      const advice =
        'restart the server that uses it; if cert-manager or the service CA injects the authority, check that it does';
      return [fail(`${what}: not signed by the authority that its clients trust`, advice)];
    }
    return [ageOf(what, pair.certificatePem, patient.nowMs)];
  } catch (thrown) {
    return [unchecked(what, thrown)];
  }
}

async function examine(patient: Patient): Promise<readonly Finding[]> {
  const ofWebhook = async (): Promise<string[]> =>
    (await readConfigurations(patient)).flatMap((found) => objectsAt(found, 'webhooks').map(caBundleOf));
  const ofContent = async (): Promise<string[]> => {
    const published = await secretCalled('rukpak-ca', patient);
    return published === undefined ? [] : [decodedAt(published, 'ca.crt')];
  };
  const found = await Promise.all([
    examineSecret('rukpak-webhook-certificate', patient, ofWebhook),
    examineSecret('core-cert', patient, ofContent),
  ]);
  return found.flat();
}

/** The serving certificates hold, for a while, and are trusted. */
export const certificateCheck: Check = { name: 'certificates', examine };
