import type { Verb } from '../../core/index.ts';
import { type ApiOperation, anyMedia, metaDefinition } from './operations.ts';
import { patchParameters, queryParameters, writeParameters } from './parameters.ts';
import type { Subject } from './subject.ts';

function patchMedia(subject: Subject): string[] {
  const forms = ['application/json-patch+json', 'application/merge-patch+json'];
  const strategic = subject.type.isCustom ? [] : ['application/strategic-merge-patch+json'];
  return [...forms, ...strategic, 'application/apply-patch+yaml'];
}

/** An operation that answers with objects of one kind. `@` in the verb stands for group and version. */
export function operation(
  subject: Subject,
  about: { verb: string; action: string; suffix?: string },
  rest: Pick<ApiOperation, 'method' | 'parameters'> & {
    codes: readonly number[];
    schema?: string;
    body?: ApiOperation['body'];
  },
): ApiOperation {
  const { kind, prefix, scope, media, definition } = subject;
  const { method, parameters, codes, schema = definition, body } = rest;
  return {
    method,
    id: `${about.verb.replace('@', prefix)}${scope}${kind.kind}${about.suffix ?? ''}`,
    action: about.action,
    kind,
    parameters,
    ...(body === undefined ? {} : { body }),
    answer: { codes, schema, media },
  };
}

/** Reading, replacing and patching an object or a subresource that is the object. */
export function readWriteOperations(subject: Subject, verbs: readonly Verb[], suffix: string): ApiOperation[] {
  const { definition, media, type } = subject;
  const bodyMedia = type.isCustom ? media : anyMedia;
  const body = { schema: definition, isRequired: true, media: bodyMedia };
  const patchBody = { schema: metaDefinition('Patch'), isRequired: true, media: patchMedia(subject) };
  const getParameters = type.isCustom ? queryParameters('resourceVersion') : [];
  const all: readonly (readonly [Verb, ApiOperation])[] = [
    [
      'get',
      operation(
        subject,
        { verb: 'read@', action: 'get', suffix },
        { method: 'get', parameters: getParameters, codes: [200] },
      ),
    ],
    [
      'update',
      operation(
        subject,
        { verb: 'replace@', action: 'put', suffix },
        { method: 'put', parameters: writeParameters, codes: [200, 201], body },
      ),
    ],
    [
      'patch',
      operation(
        subject,
        { verb: 'patch@', action: 'patch', suffix },
        { method: 'patch', parameters: patchParameters, codes: type.isCustom ? [200] : [200, 201], body: patchBody },
      ),
    ],
  ];
  return all.filter(([verb]) => verbs.includes(verb)).map(([, made]) => made);
}
