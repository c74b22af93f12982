import type { JsonObject } from '../../src/base/index.ts';
import type { AdmissionPlugin, KubeObject, UserInfo } from '../core/index.ts';

function authorOf({ username, uid, groups, extra }: UserInfo): JsonObject {
  const listed = Object.entries(extra ?? {}).map(([key, values]): [string, string[]] => [key, [...values]]);
  return {
    username,
    ...(uid === undefined || uid === '' ? {} : { uid }),
    ...(groups.length === 0 ? {} : { groups: [...groups] }),
    ...(listed.length === 0 ? {} : { extra: Object.fromEntries(listed) }),
  };
}

/** Writes into a CertificateSigningRequest who makes it, whatever the request contains. */
export function requestAuthor(): AdmissionPlugin {
  return {
    name: 'RequestAuthor',
    mutate: ({ operation, resource, subresource, object, user }) => {
      const isRequest = resource.storageKey === 'certificatesigningrequests.certificates.k8s.io';
      if (!isRequest || operation !== 'CREATE' || subresource !== undefined) return Promise.resolve(undefined);
      const {
        username: _name,
        uid: _uid,
        groups: _groups,
        extra: _extra,
        ...spec
      } = (object?.['spec'] ?? {}) as JsonObject;
      return Promise.resolve({ ...object, spec: { ...spec, ...authorOf(user) } } as KubeObject);
    },
  };
}
