import type { JsonObject } from '../../../src/base/index.ts';
import { catalog, catalogSource, packageOf, sourceTarget, subscription } from '../../olm/catalog-objects.ts';
import { crd, crdTarget, deployment, group } from '../../olm/objects.ts';
import { configMap, readsConfigMaps, readsNodes } from '../../olm/rbac-objects.ts';
import type { Target } from '../../olm/scenario.ts';
import { apiService, boatRule, servingDeployment, webhook } from '../../olm/serving-objects.ts';

/** An operator that is installed, and upgraded over more than one version. Texts are those of scenarios. */
export interface Journey {
  readonly name: string;
  readonly namespaces: readonly string[];
  readonly catalogs: { readonly old: readonly JsonObject[]; readonly new: readonly JsonObject[] };
  /** What a user creates, in this order. */
  readonly objects: readonly JsonObject[];
  /** CSVs of the Subscription `boat`, before and after the upgrade. */
  readonly installed: string;
  readonly upgraded: string;
  /** Everything else goes with the namespaces. */
  readonly definitions: readonly Target[];
}

/** The address at which the upgrade is offered. */
export const upgrade: { readonly of: Target; readonly merge: JsonObject } = {
  of: sourceTarget(),
  merge: { spec: { address: '$catalog/new' } },
};

const permissions = {
  permissions: [{ serviceAccountName: 'boat', rules: [readsConfigMaps] }],
  clusterPermissions: [{ serviceAccountName: 'boat', rules: [readsNodes] }],
};
const needsDock = {
  properties: [{ type: 'olm.gvk.required', value: { group: '$id.example.com', version: 'v1', kind: 'Dock' } }],
  objects: [configMap()],
};
const dock = packageOf(
  { name: 'dock', kind: 'Dock' },
  { version: '0.1.0', csv: { install: { deployments: [deployment('dock')] } } },
);
const boat = { ...needsDock, csv: { install: { deployments: [deployment()], ...permissions } } };

/** An operator of two namespaces with permissions and a dependency; its upgrade takes two plans, the second of which skips a version. */
const fleet: Journey = {
  name: 'fleet',
  namespaces: ['a', 'b'],
  catalogs: {
    old: [...catalog({ version: '0.1.0', ...boat }), ...dock],
    new: [
      ...catalog(
        { version: '0.1.0', ...boat },
        { version: '0.2.0', replaces: '0.1.0', ...boat },
        { version: '0.3.0', replaces: '0.2.0', ...boat },
        { version: '0.4.0', replaces: '0.2.0', skips: ['0.3.0'], ...boat },
      ),
      ...dock,
    ],
  },
  objects: [group({ targets: ['a', 'b'] }), catalogSource('old'), subscription()],
  installed: 'boat.v0.1.0',
  upgraded: 'boat.v0.4.0',
  definitions: [crdTarget(), crdTarget('docks')],
};

const served = {
  apiservicedefinitions: { owned: [apiService({ group: 'api.$id.example.com' })] },
  webhookdefinitions: [
    webhook(),
    {
      type: 'ConversionWebhook',
      generateName: 'c.$id.example.com',
      deploymentName: servingDeployment,
      admissionReviewVersions: ['v1'],
      sideEffects: 'None',
      conversionCRDs: ['boats.$id.example.com'],
      rules: [boatRule],
    },
  ],
  installModes: ['OwnNamespace', 'SingleNamespace', 'MultiNamespace', 'AllNamespaces'].map((type) => {
    return { type, supported: type === 'AllNamespaces' };
  }),
};
const serving = {
  csv: { install: { deployments: [deployment(servingDeployment)], ...permissions }, spec: served },
  crds: [crd('Boat', ['v1', 'v2'])],
};

/** An operator of all namespaces that serves an API, a webhook and a conversion with certificates; its upgrade takes over all of them. */
const harbour: Journey = {
  name: 'harbour',
  namespaces: ['a'],
  catalogs: {
    old: catalog({ version: '0.1.0', ...serving }),
    new: catalog({ version: '0.1.0', ...serving }, { version: '0.2.0', replaces: '0.1.0', ...serving }),
  },
  objects: [group({ targets: [] }), catalogSource('old'), subscription()],
  installed: 'boat.v0.1.0',
  upgraded: 'boat.v0.2.0',
  definitions: [crdTarget()],
};

/** What is installed and upgraded while something fails. */
export const journeys: { readonly fleet: Journey; readonly harbour: Journey } = { fleet, harbour };
