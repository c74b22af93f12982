/** Objects that kubectl is given. */
export function configMap(
  name: string,
  data: Readonly<Record<string, string>>,
  labels?: Readonly<Record<string, string>>,
): object {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, ...(labels === undefined ? {} : { labels }) }, data };
}

export function deployment(name: string, replicas: number, image = 'registry.example.com/image:1'): object {
  const labels = { app: name };
  const template = {
    metadata: { labels },
    spec: { containers: [{ name: 'main', image, ports: [{ containerPort: 80 }] }] },
  };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name },
    spec: { replicas, selector: { matchLabels: labels }, template },
  };
}

/** A namespaced kind `Thing` in `group`, with a scale and descriptions. */
export function thingDefinition(group: string): object {
  const spec = {
    type: 'object',
    description: 'The desired state of a thing.',
    properties: { replicas: { type: 'integer', description: 'How many of them.' }, colour: { type: 'string' } },
  };
  const schema = {
    type: 'object',
    description: 'A thing.',
    properties: { spec, status: { type: 'object', properties: { replicas: { type: 'integer' } } } },
  };
  const version = {
    name: 'v1',
    served: true,
    storage: true,
    schema: { openAPIV3Schema: schema },
    subresources: { status: {}, scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' } },
    additionalPrinterColumns: [{ name: 'Colour', type: 'string', jsonPath: '.spec.colour' }],
  };
  const names = { plural: 'things', singular: 'thing', kind: 'Thing', shortNames: ['th'] };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `things.${group}` },
    spec: { group, scope: 'Namespaced', names, versions: [version] },
  };
}
