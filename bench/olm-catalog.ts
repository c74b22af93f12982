import { type JsonObject, objectAt, parseYaml, parseYamlDocuments, textAt } from '../src/base/index.ts';
import { bundleDocument } from '../src/catalog/index.ts';
import { corpusBundle } from '../test/support/index.ts';

/** Published operators that watch all namespaces and need nothing but Kubernetes; no two own the same kind. The first ones are timed one by one. */
const bundles: readonly string[] = [
  'ruptura-operator/0.9.1',
  'eclipse-amlen-operator/1.0.1',
  'jumpstarter-operator/0.9.0-rc.2',
  'pulsar-resources-operator/0.4.5',
  'aws-neuron-operator/0.0.3',
  'ack-athena-controller/1.7.1',
  'ack-cloudtrail-controller/1.6.0',
  'ack-lambdamicrovms-controller/0.2.1',
  'ack-pipes-controller/1.5.0',
  'ack-route53resolver-controller/1.8.1',
  'cluster-impairment-operator/1.0.4',
  'clusterpulse/1.0.2',
  'community-trivy-operator/2.1.1',
  'datatrucker-operator/2.0.0',
  'devopsinabox/0.0.45',
  'gitops-primer/0.0.9',
  'ncn-operator/0.9.8',
  'pubsubplus-eventbroker-operator/1.4.2',
  'sap-hana-express-operator/1.0.2',
  'sigstore-helm-operator/0.0.1',
];

/** A published operator, and the documents of a catalog that offers it in the channel `stable`. */
export interface OfferedOperator {
  readonly packageName: string;
  /** Name of its ClusterServiceVersion. */
  readonly csv: string;
  readonly documents: readonly JsonObject[];
}

function textsOf(files: ReturnType<typeof corpusBundle>['metadata']): [string, string][] {
  return files.flatMap((file): [string, string][] =>
    file.kind === 'file' ? [[file.name, file.content.toString('utf8')]] : [],
  );
}

function offered(bundle: string): OfferedOperator {
  const { manifests = [], metadata } = corpusBundle(bundle);
  const objects = textsOf(manifests).flatMap(([name, text]) => parseYamlDocuments(name, text) as JsonObject[]);
  const [annotations = ''] = textsOf(metadata).flatMap(([name, text]) => (name === 'annotations.yaml' ? [text] : []));
  const parts = { objects, dependencies: undefined, properties: undefined };
  const { document } = bundleDocument({
    ...parts,
    annotations: objectAt(parseYaml('annotations.yaml', annotations) as JsonObject, 'annotations'),
  });
  const [packageName, csv] = [textAt(document, 'package'), textAt(document, 'name')];
  const derived = (document['properties'] as JsonObject[]).filter(({ type }) => type !== 'olm.bundle.object');
  const inlined = objects.map((data): JsonObject => ({ type: 'olm.bundle.object', value: { data } }));
  return {
    packageName,
    csv,
    documents: [
      { schema: 'olm.package', name: packageName, defaultChannel: 'stable' },
      { schema: 'olm.channel', package: packageName, name: 'stable', entries: [{ name: csv }] },
      // With an image, OLM would start a Job that unpacks it.
      { schema: 'olm.bundle', package: packageName, name: csv, image: '', properties: [...derived, ...inlined] },
    ],
  };
}

/** Twenty published operators of the corpus. */
export function offeredOperators(): readonly OfferedOperator[] {
  return bundles.map(offered);
}
