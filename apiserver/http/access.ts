import type { AccessRequest, Authorizer } from '../auth/index.ts';
import { forbidden, StatusError, type UserInfo } from '../core/index.ts';
import type { RequestInfo } from './request-info.ts';

function accessOf(info: RequestInfo): AccessRequest {
  if (info.kind === 'path') return info;
  const { verb, group, plural, subresource, namespace } = info;
  const name = info.name === '' ? (info.selectedName ?? '') : info.name;
  // A Namespace is authorised as an object within itself.
  const within = group === '' && plural === 'namespaces' ? info.name : namespace;
  return { kind: 'resource', verb, group, resource: plural, subresource, namespace: within, name };
}

function escapeHtml(text: string): string {
  const names: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };
  return text.replace(/[&<>]/g, (character) => names[character] ?? character);
}

/** @throws StatusError 403 with the words of RBAC */
export function checkAccess(authorizer: Authorizer, user: UserInfo, info: RequestInfo): void {
  const access = accessOf(info);
  const decision = authorizer.decide(user, access);
  if (decision.isAllowed) return;
  const reason = decision.reason === '' ? '' : `: ${decision.reason}`;
  const who = `User ${JSON.stringify(escapeHtml(user.username))}`;
  if (access.kind === 'path') {
    const message = `forbidden: ${who} cannot ${access.verb} path ${JSON.stringify(escapeHtml(access.path))}${reason}`;
    throw new StatusError({ code: 403, reason: 'Forbidden', message, details: {} });
  }
  const { verb, group, resource, subresource, namespace, name } = access;
  const full = subresource === '' ? resource : `${resource}/${subresource}`;
  const where = namespace === '' ? 'at the cluster scope' : `in the namespace ${JSON.stringify(namespace)}`;
  const what = `resource ${JSON.stringify(full)} in API group ${JSON.stringify(group)}`;
  const why = `${who} cannot ${verb} ${what} ${where}${reason}`;
  throw forbidden({ group, plural: resource, name }, why);
}
