import { openBareCluster } from '../../support/bare-cluster.ts';
import { testBundle, tideCsv, tideFiles, validateBundle } from '../../support/checked-bundle.ts';
import { filesOf, installationProblems, prepareNamespaces } from '../../support/installable.ts';
import { type FuzzTarget, promised } from './target.ts';

const csvFile = 'manifests/tide-gauge.clusterserviceversion.yaml';
const webhooks = `  webhookdefinitions:
  - type: ValidatingAdmissionWebhook
    generateName: v.tide.example
    deploymentName: tide-gauge
    containerPort: 9443
    sideEffects: None
    admissionReviewVersions: [v1]
    rules: [{apiGroups: [tide.example], apiVersions: [v1], operations: [CREATE], resources: [gauges]}]
  install:
`;

/** `bundle validate` and a cluster give one result: what has no error is accepted by an API server. */
export function validatedBundles(): FuzzTarget {
  return {
    name: 'validated bundles',
    seeds: [tideCsv, tideCsv.replace('  install:\n', webhooks)].map((text) => Buffer.from(text)),
    words: [
      'null',
      '[]',
      '{}',
      '""',
      '- ',
      ': ',
      '*',
      '0',
      '-1',
      '65536',
      'A_b',
      'x'.repeat(64),
      'permissions',
      'label',
    ],
    open: async () => {
      const cluster = await openBareCluster();
      await prepareNamespaces(cluster.kube);
      return {
        attempt: async (input) => {
          const files = { ...tideFiles, [csvFile]: input };
          const findings = validateBundle(testBundle(files), { select: ['default', 'installation'] });
          if (findings.some(({ severity }) => severity === 'error')) return 'refused';
          const [problem] = await installationProblems(cluster.kube, filesOf(files));
          promised(problem === undefined, `validated, and refused by the cluster: ${problem ?? ''}`);
          return 'accepted';
        },
        [Symbol.asyncDispose]: () => cluster[Symbol.asyncDispose](),
      };
    },
  };
}
