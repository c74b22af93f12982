import { isJsonObject, type JsonObject, type JsonValue, mapLimit } from '../../src/base/index.ts';
import { isNotFound } from '../../src/kube/index.ts';
import { readManifests } from '../install/index.ts';
import { type Check, type Finding, fail, ok, type Patient, unchecked } from './finding.ts';

/** The namespace that the manifests are written for. */
const writtenNamespace = 'rukpak-system';
const atATime = 8;
const maxReported = 8;

interface Permission {
  readonly attributes: JsonObject;
  readonly text: string;
}

interface Account {
  readonly name: string;
  readonly permissions: readonly Permission[];
}

function texts(value: JsonValue | undefined): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

function permissionsOf(rule: JsonObject, namespace: string | undefined): readonly Permission[] {
  const names = texts(rule['resourceNames']);
  return texts(rule['apiGroups']).flatMap((group) =>
    texts(rule['resources']).flatMap((plural) =>
      texts(rule['verbs']).flatMap((verb) =>
        (names.length === 0 ? [undefined] : names).map((name): Permission => {
          const [resource = '', subresource] = plural.split('/');
          const attributes = {
            group,
            resource,
            verb,
            ...(subresource === undefined ? {} : { subresource }),
            ...(name === undefined ? {} : { name }),
            ...(namespace === undefined ? {} : { namespace }),
          };
          const place = namespace === undefined ? '' : ` in ${namespace}`;
          const text = `${verb} ${plural}${group === '' ? '' : `.${group}`}${name === undefined ? '' : `/${name}`}${place}`;
          return { attributes, text };
        }),
      ),
    ),
  );
}

interface Role {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly rules?: readonly JsonObject[];
  readonly roleRef?: { readonly kind: string; readonly name: string };
  readonly subjects?: readonly { readonly kind: string; readonly name: string; readonly namespace?: string }[];
}

/** What the manifests bind to each service account. */
async function accounts(systemNamespace: string): Promise<readonly Account[]> {
  const objects = (await readManifests('least')) as unknown as readonly Role[];
  const byAccount = new Map<string, Permission[]>();
  for (const { roleRef, subjects = [], metadata } of objects) {
    const role = objects.find(
      (one) =>
        one.kind === roleRef?.kind &&
        one.metadata.name === roleRef.name &&
        (one.kind === 'ClusterRole' || one.metadata.namespace === metadata.namespace),
    );
    const namespace = metadata.namespace === writtenNamespace ? systemNamespace : metadata.namespace;
    const permissions = (role?.rules ?? []).flatMap((rule) => permissionsOf(rule, namespace));
    for (const { kind, name } of subjects) {
      if (kind === 'ServiceAccount') byAccount.set(name, [...(byAccount.get(name) ?? []), ...permissions]);
    }
  }
  return [...byAccount].map(([name, permissions]) => ({ name, permissions }));
}

async function isAllowed({ attributes }: Permission, user: JsonObject, { kube, signal }: Patient): Promise<boolean> {
  const review = await kube.create(
    {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SubjectAccessReview',
      metadata: {},
      spec: { ...user, resourceAttributes: attributes },
    },
    { fieldManager: 'longshore-doctor', signal },
  );
  return isJsonObject(review['status']) && review['status']['allowed'] === true;
}

async function exists(name: string, { kube, systemNamespace: namespace, signal }: Patient): Promise<boolean> {
  try {
    await kube.get({ apiVersion: 'v1', kind: 'ServiceAccount', namespace, name }, { signal });
    return true;
  } catch (thrown) {
    if (isNotFound(thrown)) return false;
    throw thrown;
  }
}

async function examineAccount({ name, permissions }: Account, patient: Patient): Promise<Finding> {
  const { systemNamespace } = patient;
  const what = `ServiceAccount ${systemNamespace}/${name}`;
  try {
    if (!(await exists(name, patient))) return ok(`${what}: not found; its process runs as another user`);
    const groups = ['system:serviceaccounts', `system:serviceaccounts:${systemNamespace}`, 'system:authenticated'];
    const user = { user: `system:serviceaccount:${systemNamespace}:${name}`, groups };
    const answers = await mapLimit(permissions, atATime, (permission) => isAllowed(permission, user, patient));
    const missing = permissions.filter((_, at) => answers[at] === false).map(({ text }) => text);
    if (missing.length === 0) return ok(`${what}: has all permissions that it needs`);
    const more = missing.length > maxReported ? `, and ${missing.length - maxReported} more` : '';
    const reported = `${what}: lacks permission to ${missing.slice(0, maxReported).join(', ')}${more}`;
    return fail(reported, 'apply the Roles and bindings of the manifests again: longshore install');
  } catch (thrown) {
    return unchecked(what, thrown);
  }
}

/** The service accounts have the permissions that the manifests of this version grant them. */
export const permissionsCheck: Check = {
  name: 'permissions',
  examine: async (patient) => {
    const all = await accounts(patient.systemNamespace);
    return await Promise.all(all.map((account) => examineAccount(account, patient)));
  },
};
