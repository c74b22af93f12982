import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isNotFound, type KubeClient, type KubeObject, type ObjectRef } from '../../src/kube/index.ts';
import { eventually } from '../support/index.ts';
import { configMap, crd, type Files } from './contents.ts';
import { bundleDeployment, conditionOf, errorOf, startWorld, type World } from './world.ts';

const apiVersion = 'core.rukpak.io/v1alpha1';
const rbac = 'rbac.authorization.k8s.io';
const installed = { type: 'Installed', status: 'True', reason: 'InstallationSucceeded' };
const lacking = { type: 'Installed', status: 'False', reason: 'PermissionsMissing' };
const asTest = { fieldManager: 'test' };

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world[Symbol.asyncDispose]());

const deploymentRef = (name: string): ObjectRef => ({ apiVersion, kind: 'BundleDeployment', name });

function configMapRef(place: string, name: string): ObjectRef {
  return { apiVersion: 'v1', kind: 'ConfigMap', namespace: place, name };
}

async function make(...objects: readonly Record<string, unknown>[]): Promise<void> {
  for (const object of objects) await world.kube.apply(object as unknown as KubeObject, { ...asTest, force: true });
}

/** A namespace with the service account `installer`. */
async function tenant(name: string): Promise<void> {
  await make(
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name } },
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'installer', namespace: name } },
  );
}

const subjectsOf = (place: string): unknown[] => [{ kind: 'ServiceAccount', name: 'installer', namespace: place }];

/** Lets the installer of a namespace do something there. */
async function grant(place: string, rules: readonly unknown[]): Promise<void> {
  await make(
    { apiVersion: `${rbac}/v1`, kind: 'Role', metadata: { name: 'installer', namespace: place }, rules },
    {
      apiVersion: `${rbac}/v1`,
      kind: 'RoleBinding',
      metadata: { name: 'installer', namespace: place },
      roleRef: { apiGroup: rbac, kind: 'Role', name: 'installer' },
      subjects: subjectsOf(place),
    },
  );
}

/** The same in the whole cluster. */
async function grantEverywhere(place: string, rules: readonly unknown[]): Promise<void> {
  const name = `installer-${place}`;
  await make(
    { apiVersion: `${rbac}/v1`, kind: 'ClusterRole', metadata: { name }, rules },
    {
      apiVersion: `${rbac}/v1`,
      kind: 'ClusterRoleBinding',
      metadata: { name },
      roleRef: { apiGroup: rbac, kind: 'ClusterRole', name },
      subjects: subjectsOf(place),
    },
  );
}

const verbs = ['get', 'create', 'patch', 'delete'];
const configMaps = { apiGroups: [''], resources: ['configmaps'], verbs };

function deploymentOf(name: string, files: Files, config?: unknown): KubeObject {
  const object = bundleDeployment(name, world.imageSource(`${name}:v1`, files));
  const spec = { ...(object['spec'] as object), ...(config === undefined ? {} : { config }) };
  return { ...object, spec } as unknown as KubeObject;
}

async function deploy(name: string, files: Files, place = name): Promise<void> {
  const config = { serviceAccount: { namespace: place, name: 'installer' } };
  await world.kube.create(deploymentOf(name, files, config), asTest);
}

async function pivot(name: string, files: Files): Promise<void> {
  const { image } = world.imageSource(`${name}:v2`, files);
  const source = { type: 'image', image };
  await world.kube.patch(deploymentRef(name), { spec: { template: { spec: { source } } } }, asTest);
}

async function messageWith(name: string, expected: typeof lacking): Promise<string> {
  return conditionOf(await world.deploymentWith(name, expected), expected.type)?.message ?? '';
}

async function whenDeleted(...refs: readonly ObjectRef[]): Promise<void> {
  await eventually(async () => {
    for (const ref of refs) expect(isNotFound(await errorOf(world.kube.get(ref))), JSON.stringify(ref)).toBe(true);
  });
}

const twoMaps = (place: string): Files => ({
  'manifests/a.yaml': configMap('first', place, { a: '1' }),
  'manifests/b.yaml': configMap('second', place, { b: '2' }),
});

describe('the service account of a deployment', () => {
  test('Q15 installs, upgrades and removes with its own permissions', async () => {
    await tenant('own');
    await grant('own', [configMaps]);
    await deploy('own', twoMaps('own'));
    await world.deploymentWith('own', installed);
    const { metadata } = await world.kube.get(configMapRef('own', 'first'));
    expect(metadata.ownerReferences).toMatchObject([
      { kind: 'BundleDeployment', name: 'own', blockOwnerDeletion: false },
    ]);
    await pivot('own', { 'manifests/a.yaml': configMap('first', 'own', { a: '2' }) });
    await whenDeleted(configMapRef('own', 'second'));
    await world.deploymentWith('own', installed);
    await world.kube.delete(configMapRef('own', 'first'));
    await eventually(async () =>
      expect((await world.kube.get(configMapRef('own', 'first')))['data']).toEqual({ a: '2' }),
    );
    await world.kube.delete(deploymentRef('own'));
    await whenDeleted(deploymentRef('own'), configMapRef('own', 'first'));
  });

  test('Q15 lacks permissions: all of them are named at once, and nothing is written before they are there', async () => {
    await tenant('lacking');
    const role = `apiVersion: ${rbac}/v1
kind: Role
metadata: {name: reader, namespace: lacking}
rules: [{apiGroups: [""], resources: [secrets], verbs: [get, list]}]
`;
    const binding = `apiVersion: ${rbac}/v1
kind: RoleBinding
metadata: {name: viewers, namespace: lacking}
roleRef: {apiGroup: ${rbac}, kind: ClusterRole, name: view}
subjects: [{kind: Group, name: viewers, apiGroup: ${rbac}}]
`;
    const kind = crd('Parcel', 'lacking.example.com');
    await deploy('lacking', {
      ...twoMaps('lacking'),
      'manifests/c.yaml': role,
      'manifests/d.yaml': binding,
      'manifests/e.yaml': kind,
      'manifests/f.yaml':
        'apiVersion: lacking.example.com/v1alpha1\nkind: Parcel\nmetadata: {name: one, namespace: lacking}\n',
    });
    const message = await messageWith('lacking', lacking);
    const all = 'get, create, patch, delete';
    for (const line of [
      'serviceaccount "lacking/installer" lacks permissions, so nothing was changed; missing: ',
      `${all} configmaps "first", "second" in namespace "lacking"`,
      `${all} roles.${rbac} "reader" in namespace "lacking"`,
      'get, list secrets in namespace "lacking" (granted by Role "reader" in namespace "lacking")',
      `${all} rolebindings.${rbac} "viewers" in namespace "lacking"`,
      `bind clusterroles.${rbac} "view" in namespace "lacking" (granted by RoleBinding "viewers" in namespace "lacking")`,
      `${all} customresourcedefinitions.apiextensions.k8s.io "parcels.lacking.example.com"`,
      'list parcels.lacking.example.com',
      `${all} parcels.lacking.example.com "one" in namespace "lacking"`,
      'longshore permissions bd/lacking prints all required permissions',
    ]) {
      expect(message).toContain(line);
    }
    expect(isNotFound(await errorOf(world.kube.get(configMapRef('lacking', 'first'))))).toBe(true);

    await grantEverywhere('lacking', [
      { apiGroups: ['apiextensions.k8s.io'], resources: ['customresourcedefinitions'], verbs },
      { apiGroups: ['lacking.example.com'], resources: ['parcels'], verbs: ['list'] },
    ]);
    await grant('lacking', [
      configMaps,
      { apiGroups: [rbac], resources: ['roles', 'rolebindings'], verbs },
      { apiGroups: [''], resources: ['secrets'], verbs: ['get', 'list'] },
      { apiGroups: ['lacking.example.com'], resources: ['parcels'], verbs },
    ]);
    const rest = await eventually(async () => {
      const text = await messageWith('lacking', lacking);
      expect(text).not.toContain('configmaps "first"');
      return text;
    });
    expect(rest).toContain('(granted by RoleBinding "viewers" in namespace "lacking")');
    expect(rest).not.toContain('parcels');
    await grantEverywhere('lacking', [
      { apiGroups: ['apiextensions.k8s.io'], resources: ['customresourcedefinitions'], verbs },
      { apiGroups: ['lacking.example.com'], resources: ['parcels'], verbs: ['list'] },
      { apiGroups: [rbac], resources: ['clusterroles'], resourceNames: ['view'], verbs: ['bind'] },
    ]);
    await world.deploymentWith('lacking', installed);
  });

  test('other obstacles to an installation are reported together with what the account lacks', async () => {
    await tenant('opposed');
    await grant('opposed', [configMaps, { apiGroups: [''], resources: ['services'], verbs }]);
    await make({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'taken', namespace: 'opposed' } });
    const service = (ports: string): string =>
      `apiVersion: v1\nkind: Service\nmetadata: {name: opposed, namespace: opposed}\nspec: {ports: ${ports}}\n`;
    const secret = 'apiVersion: v1\nkind: Secret\nmetadata: {name: key, namespace: opposed}\n';
    const files = {
      'manifests/a.yaml': configMap('taken', 'opposed', { a: '1' }),
      'manifests/b.yaml': service('[{port: 99999}]'),
      'manifests/c.yaml': 'apiVersion: opposed.example.com/v1\nkind: Nothing\nmetadata: {name: one}\n',
      'manifests/d.yaml': secret,
    };
    await deploy('opposed', files);
    const message = await messageWith('opposed', lacking);
    const others = [
      'resource mapping not found for name: "one"',
      'Service "opposed" in namespace "opposed"',
      'Invalid value: 99999',
      'ConfigMap "taken" in namespace "opposed" exists',
    ];
    for (const text of ['secrets "key" in namespace "opposed"', '; besides: [', ...others]) {
      expect(message).toContain(text);
    }
    await grant('opposed', [configMaps, { apiGroups: [''], resources: ['services', 'secrets'], verbs }]);
    const rest = await eventually(async () => {
      const found = await world.kube.get(deploymentRef('opposed'));
      const text = conditionOf(found, 'Installed')?.message ?? '';
      expect(text).not.toContain('secrets "key"');
      return text;
    });
    for (const text of others) expect(rest).toContain(text);
    expect(
      isNotFound(
        await errorOf(world.kube.get({ apiVersion: 'v1', kind: 'Secret', namespace: 'opposed', name: 'key' })),
      ),
    ).toBe(true);
  });

  test('Q15 that is missing is reported, and the installation starts when it exists', async () => {
    await make({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'later' } });
    await grant('later', [configMaps]);
    await deploy('later', twoMaps('later'));
    expect(await messageWith('later', lacking)).toContain('serviceaccount "installer" not found in namespace "later"');
    await tenant('later');
    await world.deploymentWith('later', installed);
  });

  test('Q15 may not create the install namespace: that is reported, and it is created when it may', async () => {
    await tenant('making');
    await grantEverywhere('making', [configMaps]);
    const config = { serviceAccount: { namespace: 'making', name: 'installer' }, installNamespace: 'made' };
    const nameless = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: placed}\n';
    await world.kube.create(deploymentOf('making', { 'manifests/a.yaml': nameless }, config), asTest);
    expect(await messageWith('making', lacking)).toContain('create namespaces; patch, delete namespaces "made" (');
    await grantEverywhere('making', [
      configMaps,
      { apiGroups: [''], resources: ['namespaces'], verbs: ['create', 'patch', 'delete'] },
    ]);
    await world.deploymentWith('making', installed);
    await world.kube.get(configMapRef('made', 'placed'));
    await world.kube.delete(deploymentRef('making'));
    await whenDeleted(deploymentRef('making'), { apiVersion: 'v1', kind: 'Namespace', name: 'made' });
  });

  test('Q15 upgrades to a version that brings a role and its binding, though it may not bind at will', async () => {
    await tenant('growing');
    const holds = { apiGroups: [''], resources: ['secrets'], verbs: ['get'] };
    await grant('growing', [configMaps, { apiGroups: [rbac], resources: ['roles', 'rolebindings'], verbs }, holds]);
    await deploy('growing', twoMaps('growing'));
    await world.deploymentWith('growing', installed);
    const head = `apiVersion: ${rbac}/v1\nmetadata: {name: reader, namespace: growing}\n`;
    const role = `${head}kind: Role\nrules: [${JSON.stringify(holds)}]\n`;
    const subjects = `[{kind: Group, name: readers, apiGroup: ${rbac}}]`;
    const binding = `${head}kind: RoleBinding\nroleRef: {apiGroup: ${rbac}, kind: Role, name: reader}\nsubjects: ${subjects}\n`;
    await pivot('growing', { ...twoMaps('growing'), 'manifests/c.yaml': role, 'manifests/d.yaml': binding });
    const ref = { apiVersion: `${rbac}/v1`, kind: 'RoleBinding', namespace: 'growing', name: 'reader' };
    await eventually(() => world.kube.get(ref));
    await world.deploymentWith('growing', installed);
  });

  test('Q15 that lost its permissions blocks the removal, which reports it and continues when they are back', async () => {
    await tenant('losing');
    await grant('losing', [configMaps]);
    await deploy('losing', twoMaps('losing'));
    await world.deploymentWith('losing', installed);
    await grant('losing', []);
    await world.kube.delete(deploymentRef('losing'));
    const message = await messageWith('losing', { type: 'Removing', status: 'True', reason: 'RemovalFailed' });
    expect(message).toContain('missing: delete configmaps "first", "second" in namespace "losing"');
    await world.kube.get(configMapRef('losing', 'first'));
    await grant('losing', [configMaps]);
    await whenDeleted(deploymentRef('losing'), configMapRef('losing', 'first'));
  });

  test('Q15 does not reach the objects of others outside of its permissions', async () => {
    await tenant('inside');
    await tenant('outside');
    await grant('inside', [configMaps]);
    await world.kube.create(
      {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'first', namespace: 'outside' },
        data: { kept: 'yes' },
      } as KubeObject,
      asTest,
    );
    await deploy('inside', { ...twoMaps('inside'), 'manifests/z.yaml': configMap('first', 'outside', { kept: 'no' }) });
    const message = await messageWith('inside', lacking);
    expect(message).toContain('get, create, patch, delete configmaps "first" in namespace "outside"');
    expect(message).not.toContain('namespace "inside"');
    expect((await world.kube.get(configMapRef('outside', 'first')))['data']).toEqual({ kept: 'yes' });
    expect(isNotFound(await errorOf(world.kube.get(configMapRef('inside', 'first'))))).toBe(true);
  });
});

describe('if every deployment must have an account', () => {
  test('Q15 one without is denied, and an existing one is left unchanged', async () => {
    await using strict = await startWorld(['--require-service-account']);
    const plain = bundleDeployment('plain', strict.imageSource('plain:v1', twoMaps('default')));
    const denial =
      'bundledeployment.spec.config.serviceAccount must be set: the namespace and name of a service account';
    expect(String(await errorOf(strict.kube.create(plain, asTest)))).toContain(denial);
    // As one that was there before the webhook began to ask for it.
    const webhooks = { apiVersion: 'admissionregistration.k8s.io/v1', kind: 'ValidatingWebhookConfiguration' };
    await strict.kube.delete({ ...webhooks, name: 'rukpak-validating-webhook-configuration' });
    await eventually(() => strict.kube.create(plain, asTest));
    const found = await strict.deploymentWith('plain', lacking);
    expect(conditionOf(found, 'Installed')?.message).toContain('run with --require-service-account');
    expect(isNotFound(await errorOf(strict.kube.get(configMapRef('default', 'first'))))).toBe(true);
    const config = { serviceAccount: { namespace: 'default', name: 'default' } };
    await strict.kube.patch(deploymentRef('plain'), { spec: { config } }, asTest);
    await eventually(async () => {
      const { message = '' } = conditionOf(await strict.deploymentWith('plain', lacking), 'Installed') ?? {};
      expect(message).toContain(
        'missing: get, create, patch, delete configmaps "first", "second" in namespace "default"',
      );
    });
  });
});

describe('at admission', () => {
  const everybody = 'deployers-of-bundles';

  /** A user who may do everything with BundleDeployments, and with some accounts. */
  async function person(name: string, accountsOf: readonly string[] = []): Promise<KubeClient> {
    await make(
      {
        apiVersion: `${rbac}/v1`,
        kind: 'ClusterRole',
        metadata: { name: everybody },
        rules: [{ apiGroups: ['core.rukpak.io'], resources: ['bundledeployments'], verbs: ['*'] }],
      },
      {
        apiVersion: `${rbac}/v1`,
        kind: 'ClusterRoleBinding',
        metadata: { name: `${everybody}-${name}` },
        roleRef: { apiGroup: rbac, kind: 'ClusterRole', name: everybody },
        subjects: [{ kind: 'User', name, apiGroup: rbac }],
      },
    );
    for (const place of accountsOf) {
      const impersonate = {
        apiGroups: [''],
        resources: ['serviceaccounts'],
        resourceNames: ['installer'],
        verbs: ['impersonate'],
      };
      await make(
        {
          apiVersion: `${rbac}/v1`,
          kind: 'Role',
          metadata: { name: 'impersonate', namespace: place },
          rules: [impersonate],
        },
        {
          apiVersion: `${rbac}/v1`,
          kind: 'RoleBinding',
          metadata: { name: 'impersonate', namespace: place },
          roleRef: { apiGroup: rbac, kind: 'Role', name: 'impersonate' },
          subjects: [{ kind: 'User', name, apiGroup: rbac }],
        },
      );
    }
    return world.kube.actingAs({ user: name, groups: ['system:authenticated'] });
  }

  test('Q15 only users who may impersonate the account can set it, or change what uses it', async () => {
    await tenant('shared');
    await grant('shared', [configMaps]);
    const stranger = await person('stranger');
    const member = await person('member', ['shared']);
    const desired = deploymentOf('shared', twoMaps('shared'), {
      serviceAccount: { namespace: 'shared', name: 'installer' },
    });
    const denial =
      'user "stranger" may not impersonate serviceaccount "shared/installer" (spec.config.serviceAccount): allow the verb "impersonate" on serviceaccounts "installer" in namespace "shared", or specify another account';
    await eventually(async () => expect(String(await errorOf(stranger.create(desired, asTest)))).toContain(denial));
    await eventually(() => member.create(desired, asTest));
    await world.deploymentWith('shared', installed);

    const ref = deploymentRef('shared');
    const { image } = world.imageSource('shared:v2', { 'manifests/a.yaml': configMap('first', 'shared', { a: '9' }) });
    const next = { spec: { template: { spec: { source: { type: 'image', image } } } } };
    expect(String(await errorOf(stranger.patch(ref, next, asTest)))).toContain(denial);
    const adopt = { metadata: { annotations: { 'core.rukpak.io/adopt': 'true' } } };
    expect(String(await errorOf(stranger.patch(ref, adopt, asTest)))).toContain(denial);
    await stranger.patch(ref, { metadata: { labels: { team: 'x' }, annotations: { note: 'y' } } }, asTest);

    await tenant('elsewhere');
    const other = await person('other', ['elsewhere']);
    const own = { spec: { config: { serviceAccount: { namespace: 'elsewhere', name: 'installer' } } } };
    expect(String(await errorOf(other.patch(ref, own, asTest)))).toContain(
      'user "other" may not change spec.config.serviceAccount: what is installed was installed with serviceaccount "shared/installer"',
    );
    const without = { spec: { config: { serviceAccount: null } } };
    const taken = String(await errorOf(member.patch(ref, without, asTest)));
    expect(taken).toContain('user "member" may not remove spec.config.serviceAccount');
    await member.patch(ref, next, asTest);
    await eventually(async () =>
      expect((await world.kube.get(configMapRef('shared', 'first')))['data']).toEqual({ a: '9' }),
    );
    await world.kube.patch(ref, without, asTest);
  });

  test.each([
    {
      account: 'shared',
      text: 'spec.config.serviceAccount: expected {namespace, name} of a service account, found "shared"',
    },
    {
      account: { namespace: 'shared' },
      text: 'spec.config.serviceAccount.name: expected the name of a service account',
    },
    {
      account: { namespace: 'shared', name: 'x\nImpersonate-Group: system:masters' },
      text: 'spec.config.serviceAccount.name',
    },
    {
      account: { namespace: 'a:b', name: 'x' },
      text: 'spec.config.serviceAccount.namespace: expected the name of a namespace',
    },
    { account: { namespace: 'a', name: 'x', groups: ['y'] }, text: 'expected namespace and name, nothing else' },
  ])('an account of another form is refused: $text', async ({ account, text }) => {
    const desired = deploymentOf('misnamed', twoMaps('shared'), { serviceAccount: account });
    expect(String(await errorOf(world.kube.create(desired, asTest)))).toContain(text);
  });
});
