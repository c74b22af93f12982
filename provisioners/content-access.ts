import { isJsonObject, type JsonObject } from '../src/base/index.ts';
import type { ContentAccess, ContentUser } from '../src/content/index.ts';
import type { KubeClient, KubeObject } from '../src/kube/index.ts';

async function review(kube: KubeClient, kind: string, spec: JsonObject): Promise<JsonObject> {
  const group = kind === 'TokenReview' ? 'authentication.k8s.io' : 'authorization.k8s.io';
  const object = { apiVersion: `${group}/v1`, kind, metadata: {}, spec } as unknown as KubeObject;
  const { status } = await kube.create(object, { fieldManager: 'longshore' });
  return isJsonObject(status) ? status : {};
}

function userOf(user: JsonObject): ContentUser {
  const { username = '', groups = [], uid, extra } = user as Partial<ContentUser>;
  return { username, groups, ...(uid === undefined ? {} : { uid }), ...(extra === undefined ? {} : { extra }) };
}

/** Whether an upload is allowed by the right that RukPak's own role `bundle-uploader` gives. */
function legacyPath(action: { readonly verb: string; readonly path: string }): string | undefined {
  const isUpload = action.verb === 'update' && action.path.startsWith('/uploads/');
  return isUpload ? action.path.replace('/uploads/', '/bundles/') : undefined;
}

/** Authenticates by TokenReview, and authorizes by SubjectAccessReview on the path. */
export function createContentAccess(kube: KubeClient): ContentAccess {
  const isAllowed = async (user: ContentUser, verb: string, path: string): Promise<boolean> => {
    const { username, groups, uid, extra } = user;
    const who = {
      user: username,
      groups,
      ...(uid === undefined ? {} : { uid }),
      ...(extra === undefined ? {} : { extra }),
    };
    const spec = { ...who, nonResourceAttributes: { verb, path } } as unknown as JsonObject;
    return (await review(kube, 'SubjectAccessReview', spec))['allowed'] === true;
  };
  return {
    async authenticate({ token, certificate }) {
      if (token !== undefined) {
        const status = await review(kube, 'TokenReview', { token });
        return status['authenticated'] === true && isJsonObject(status['user']) ? userOf(status['user']) : undefined;
      }
      if (certificate === undefined) return undefined;
      const groups = [...certificate.organizations, 'system:authenticated'];
      return { username: certificate.commonName, groups };
    },
    async isAllowed(user, action) {
      if (await isAllowed(user, action.verb, action.path)) return true;
      const legacy = legacyPath(action);
      return legacy !== undefined && (await isAllowed(user, 'put', legacy));
    },
  };
}
