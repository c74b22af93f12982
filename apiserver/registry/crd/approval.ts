import { goQuote, objectAt, textAt } from '../../../src/base/index.ts';
import { type FieldError, invalidField, requiredField } from '../../../src/schema/index.ts';
import { asJson, type KubeObject } from '../../core/index.ts';

const annotation = 'api-approved.kubernetes.io';
const help = 'see https://github.com/kubernetes/enhancements/pull/1111';
const rule = `protected groups must have approval annotation "${annotation}"`;

/** The approval annotation of a CustomResourceDefinition in a protected group; undefined for other groups.
 *  `reason` and `message` are those of the condition KubernetesAPIApprovalPolicyConformant. */
export interface Approval {
  readonly isConformant: boolean;
  readonly reason: 'ApprovedAnnotation' | 'UnapprovedAnnotation' | 'MissingAnnotation' | 'InvalidAnnotation';
  readonly message: string;
}

function isUrl(text: string): boolean {
  return /^[a-zA-Z][a-zA-Z0-9+.-]*:\/\/[^\s/?#]+/.test(text);
}

/** See `Approval`. */
export function approvalOf(crd: KubeObject): Approval | undefined {
  const group = textAt(objectAt(asJson(crd), 'spec'), 'group');
  if (!/(^|\.)(k8s\.io|kubernetes\.io)$/.test(group)) return undefined;
  const text = textAt(crd.metadata.annotations, annotation);
  if (text === '') return { isConformant: false, reason: 'MissingAnnotation', message: `${rule}, ${help}` };
  if (text.startsWith('unapproved')) {
    return { isConformant: false, reason: 'UnapprovedAnnotation', message: `not approved: ${goQuote(text)}` };
  }
  if (isUrl(text)) return { isConformant: true, reason: 'ApprovedAnnotation', message: `approved in ${text}` };
  const message = `${rule} with either a URL or a reason starting with "unapproved", ${help}`;
  return { isConformant: false, reason: 'InvalidAnnotation', message };
}

/** Errors of the annotation; what was so before stays accepted. */
export function approvalErrors(crd: KubeObject, old: KubeObject | undefined): FieldError[] {
  const approval = approvalOf(crd);
  if (approval === undefined || (old !== undefined && approvalOf(old)?.reason === approval.reason)) return [];
  const field = `metadata.annotations[${annotation}]`;
  if (approval.reason === 'MissingAnnotation') return [requiredField(field, approval.message)];
  if (approval.reason !== 'InvalidAnnotation') return [];
  return [invalidField(field, textAt(crd.metadata.annotations, annotation), approval.message)];
}
