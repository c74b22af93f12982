import { goJsonHash, type JsonValue, joinName } from '../../base/index.ts';
import type { Permission, PolicyRule } from './csv.ts';

function ruleForm(rule: PolicyRule): JsonValue {
  const form: Record<string, JsonValue> = { verbs: rule.verbs === null ? null : [...rule.verbs] };
  for (const key of ['apiGroups', 'resources', 'resourceNames', 'nonResourceURLs'] as const) {
    const list = rule[key];
    if (list !== undefined && list.length > 0) form[key] = [...list];
  }
  return form;
}

/** The account that an entry means. */
export function accountOf(permission: Permission): string {
  return permission.serviceAccountName === '' ? 'default' : permission.serviceAccountName;
}

/** Name of the role and the binding that are made of a permission.
 *  @see docs/spec/registry-v1-rendering.md#rbac-objects */
export function permissionName(csvName: string, permission: Permission): string {
  const rules = permission.rules === null ? null : permission.rules.map(ruleForm);
  const hash = goJsonHash({ serviceAccountName: permission.serviceAccountName, rules });
  return joinName(`${csvName}-${accountOf(permission)}`, hash);
}

/** Names of what serves the webhooks of a Deployment.
 *  @see docs/spec/registry-v1-rendering.md#service-certificate-secret-issuer */
export interface ServingNames {
  readonly service: string;
  /** Of the Certificate and of its Secret. */
  readonly certificate: string;
  readonly issuer: string;
}

/** The names that follow from a Deployment's. */
export function servingNames(deploymentName: string): ServingNames {
  const service = joinName(deploymentName.replaceAll('.', '-'), 'service');
  const certificate = joinName(service, 'cert');
  return { service, certificate, issuer: joinName(certificate, 'selfsigned-issuer') };
}

/** Name of a webhook configuration and of the webhook in it. */
export function webhookName(generateName: string): string {
  return generateName.replace(/-$/, '');
}
