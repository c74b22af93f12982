import { expect, test } from 'vitest';
import type { JsonObject } from '../../src/base/index.ts';
import type { ReviewContext } from '../review/webhook-definition.ts';
import { accountChangeOf, readAccountFacts } from './account-facts.ts';
import { serviceAccount } from './service-account.ts';

const ours = 'core-rukpak-io-plain';

interface State {
  readonly account?: string;
  readonly provisionerClassName?: string;
  readonly config?: JsonObject;
  readonly metadata?: JsonObject;
}

function deploymentIn({ account, provisionerClassName = ours, config = {}, metadata = {} }: State): JsonObject {
  const named = account === undefined ? {} : { serviceAccount: { namespace: account, name: 'installer' } };
  return { metadata: { name: 'a', ...metadata }, spec: { provisionerClassName, config: { ...config, ...named } } };
}

/** Why a user who may impersonate the installers of some namespaces, or do everything, may not make a change; empty where that is allowed. */
async function denial(before: State | undefined, after: State, [uses, isRequired]: readonly [string, boolean]) {
  const mayDo = async (_: JsonObject, { verb, namespace }: JsonObject): Promise<boolean> => {
    await Promise.resolve();
    return uses === '*' || (verb === 'impersonate' && uses.split(' ').includes(namespace as string));
  };
  const request = {
    uid: '1',
    operation: before === undefined ? 'CREATE' : 'UPDATE',
    name: 'a',
    namespace: '',
    object: deploymentIn(after),
    oldObject: before && deploymentIn(before),
    user: { username: 'member' },
    fieldManager: '',
    propagationPolicy: '',
  } as const;
  const context = { facts: { mayDo }, isAccountRequired: isRequired, signal: AbortSignal.timeout(60_000) };
  const change = accountChangeOf(request);
  const facts = await readAccountFacts(request, change, context as unknown as ReviewContext);
  return serviceAccount(change, facts)
    .denials.map(({ text }) => text)
    .join();
}

const broken = { installNamespace: 5 };

interface Case {
  readonly what: string;
  /** Undefined: the deployment is created. */
  readonly before?: State;
  readonly after: State;
  readonly uses?: string;
  readonly isRequired?: boolean;
  /** Undefined: it is allowed. */
  readonly reason?: string;
}

const cases: readonly Case[] = [
  { what: 'one to use', after: { account: 'own' } },
  {
    what: 'that of others',
    after: { account: 'shop' },
    reason: 'may not impersonate serviceaccount "shop/installer"',
  },
  { what: 'both to use', before: { account: 'shop' }, after: { account: 'own' }, uses: 'own shop' },
  {
    what: 'its own for that of others, whose passwords its chart would get',
    before: { account: 'shop' },
    after: { account: 'own' },
    isRequired: false,
    reason: 'what is installed was installed with serviceaccount "shop/installer", which the user may not impersonate',
  },
  {
    what: 'its own for the permissions of the provisioners, where an account is required',
    before: {},
    after: { account: 'own' },
    reason: 'what is installed was installed with the permissions of the provisioners',
  },
  { what: 'the same, and everything to do', before: {}, after: { account: 'own' }, uses: '*' },
  { what: 'the same, where none is required', before: {}, after: { account: 'own' }, isRequired: false },
  {
    what: 'its own in another class of provisioners',
    before: { provisionerClassName: 'other' },
    after: { provisionerClassName: 'other', account: 'own' },
    reason: 'the permissions of the provisioners',
  },
  {
    what: 'that of others in a configuration that cannot be read',
    before: { account: 'shop' },
    after: { account: 'shop', provisionerClassName: 'other', config: broken },
    reason: 'may not remove spec.config.serviceAccount',
  },
];

test.each(cases)('a user with $what', async ({ before, after, uses = 'own', isRequired = true, reason }) => {
  const found = await denial(before, after, [uses, isRequired]);
  if (reason === undefined) expect(found).toBe('');
  else expect(found).toContain(reason);
});

const claims: Readonly<Record<string, JsonObject>> = {
  'a ClusterExtension as its owner': { ownerReferences: [{ kind: 'ClusterExtension', uid: '1', controller: true }] },
  'a PlatformOperator as its owner': { ownerReferences: [{ kind: 'PlatformOperator', uid: '1' }] },
  'the label of a package': { labels: { 'platform.openshift.io/package': 'x' } },
  'the choice of a PlatformOperator': { annotations: { 'platform.openshift.io/choice': '{}' } },
  'the choice of a ClusterExtension': { annotations: { 'olm.operatorframework.io/choice': '{}' } },
};

test.each(Object.entries(claims))(
  'a user gives only deployments whose account is to use %s, which chooses their content then, and may take it away',
  async (_, metadata) => {
    const [without, claimed] = [{ account: 'shop' }, { account: 'shop', metadata }];
    expect(await denial(without, claimed, ['own', true])).toContain(
      'may not impersonate serviceaccount "shop/installer"',
    );
    expect(await denial(without, claimed, ['shop', true])).toBe('');
    expect(await denial(claimed, without, ['own', true])).toBe('');
    expect(await denial(claimed, claimed, ['own', true])).toBe('');
  },
);

test('other owners and labels are for every user who may write a deployment', async () => {
  const metadata = { labels: { team: 'x' }, ownerReferences: [{ kind: 'ConfigMap', uid: '1' }] };
  expect(await denial({ account: 'shop' }, { account: 'shop', metadata }, ['own', true])).toBe('');
});
