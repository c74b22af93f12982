import type { ResourceType, Verb } from '../../core/index.ts';
import { operation, readWriteOperations } from './object-operations.ts';
import { type ApiOperation, type ApiPath, anyMedia, metaDefinition, streamMedia } from './operations.ts';
import {
  type ApiParameter,
  deleteParameters,
  listParameters,
  pathParameters,
  prettyParameter,
  selectionParameters,
  sortParameters,
  writeParameters,
} from './parameters.ts';
import { definitionName, type Subject, subjectOf } from './subject.ts';
import { subresourcePaths } from './subresource-paths.ts';

const watchEvent = metaDefinition('WatchEvent');
const status = metaDefinition('Status');

function collectionOperations(subject: Subject): ApiOperation[] {
  const { type, definition, media } = subject;
  const list = definitionName({ ...subject.kind, kind: type.listKind });
  const bodyMedia = type.isCustom ? media : anyMedia;
  const options = { schema: metaDefinition('DeleteOptions'), isRequired: false, media: bodyMedia };
  const body = { schema: definition, isRequired: true, media: bodyMedia };
  const isReview = !type.verbs.includes('get');
  const all: readonly (readonly [Verb, ApiOperation])[] = [
    ['list', listOperation(subject, { schema: list, parameters: listParameters, suffix: '' })],
    [
      'create',
      operation(
        subject,
        { verb: 'create@', action: 'post' },
        { method: 'post', parameters: isReview ? [] : writeParameters, codes: [200, 201, 202], body },
      ),
    ],
    [
      'deletecollection',
      operation(
        subject,
        { verb: 'delete@Collection', action: 'deletecollection' },
        type.isCustom
          ? { method: 'delete', parameters: listParameters, codes: [200], schema: status }
          : {
              method: 'delete',
              parameters: sortParameters([...selectionParameters, ...deleteParameters]),
              codes: [200],
              schema: status,
              body: options,
            },
      ),
    ],
  ];
  return all.filter(([verb]) => type.verbs.includes(verb)).map(([, made]) => made);
}

function listOperation(
  subject: Subject,
  about: { schema: string; parameters: readonly ApiParameter[]; suffix: string },
): ApiOperation {
  const { schema, parameters, suffix } = about;
  const made = operation(
    subject,
    { verb: 'list@', action: 'list', suffix },
    { method: 'get', parameters, codes: [200], schema },
  );
  return subject.type.isCustom ? made : { ...made, answer: { ...made.answer, media: streamMedia } };
}

function deleteOperation(subject: Subject): ApiOperation {
  const { type, definition, media } = subject;
  const schema = type.strategy.answersDeleteWithObject && type.kind !== 'Namespace' ? definition : status;
  const body = { schema: metaDefinition('DeleteOptions'), isRequired: false, media: type.isCustom ? media : anyMedia };
  const rest = { method: 'delete' as const, parameters: deleteParameters, codes: [200, 202], schema, body };
  return operation(subject, { verb: 'delete@', action: 'delete' }, rest);
}

function watchPath(
  subject: Subject,
  path: string,
  about: { id: string; action: string; place: readonly ApiParameter[] },
): ApiPath {
  const answer = { codes: [200], schema: watchEvent, media: streamMedia };
  return {
    path,
    tag: subject.tag,
    parameters: sortParameters([...listParameters, ...about.place, ...prettyParameter]),
    operations: [{ method: 'get', id: about.id, action: about.action, kind: subject.kind, parameters: [], answer }],
  };
}

/** The older paths below `/watch/`; custom resources never had them. */
function watchPaths(subject: Subject): ApiPath[] {
  const { type, root, prefix, scope, place, kind } = subject;
  if (type.isCustom || !type.verbs.includes('watch')) return [];
  const collection = subject.collection.replace(root, `${root}/watch`);
  const paths = [
    watchPath(subject, collection, { id: `watch${prefix}${scope}${kind.kind}List`, action: 'watchlist', place }),
    watchPath(subject, `${collection}/{name}`, {
      id: `watch${prefix}${scope}${kind.kind}`,
      action: 'watch',
      place: [...place, ...pathParameters('name')],
    }),
  ];
  if (!type.namespaced) return paths;
  const id = `watch${prefix}${kind.kind}ListForAllNamespaces`;
  return [...paths, watchPath(subject, `${root}/watch/${type.plural}`, { id, action: 'watchlist', place: [] })];
}

function everywherePath(subject: Subject): ApiPath[] {
  const { type, root, tag } = subject;
  if (!type.namespaced || !type.verbs.includes('list')) return [];
  const schema = definitionName({ ...subject.kind, kind: type.listKind });
  const made = listOperation({ ...subject, scope: '' }, { schema, parameters: [], suffix: 'ForAllNamespaces' });
  const parameters = sortParameters([...listParameters, ...prettyParameter]);
  return [{ path: `${root}/${type.plural}`, tag, parameters, operations: [made] }];
}

function collectionPath(subject: Subject): ApiPath {
  const { type, collection, tag, place } = subject;
  const operations = collectionOperations(subject);
  // What all operations share belongs to the path.
  const isReview = !type.verbs.includes('get');
  const isListOnly = operations.length === 1 && !isReview;
  const shared = isReview ? writeParameters : isListOnly ? listParameters : [];
  return {
    path: collection,
    tag,
    parameters: sortParameters([...shared, ...place, ...prettyParameter]),
    operations: isListOnly ? operations.map((made) => ({ ...made, parameters: [] })) : operations,
  };
}

/** Every path of a resource. */
export function resourcePaths(type: ResourceType): ApiPath[] {
  const subject = subjectOf(type);
  const named = readWriteOperations(subject, type.verbs, '');
  const operations = type.verbs.includes('delete') ? [...named, deleteOperation(subject)] : named;
  const parameters = sortParameters([...subject.place, ...pathParameters('name'), ...prettyParameter]);
  const object = { path: `${subject.collection}/{name}`, tag: subject.tag, parameters, operations };
  return [
    ...everywherePath(subject),
    ...(collectionOperations(subject).length > 0 ? [collectionPath(subject)] : []),
    ...(operations.length > 0 ? [object] : []),
    ...type.subresources.flatMap((subresource) => subresourcePaths(subject, subresource)),
    ...watchPaths(subject),
  ];
}
