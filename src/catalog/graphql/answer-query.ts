import type { IncomingMessage, ServerResponse } from 'node:http';
import type { GraphQLSchema } from 'graphql';
import { errorMessage, isJsonObject, parseJson } from '../../base/index.ts';
import type { CatalogQuery } from '../http/catalog-handler.ts';
import type { CatalogIndex } from '../store/catalog-index.ts';
import { limitProblem } from './query-limits.ts';
import { buildQuerySchema, type GraphqlPackage, type QueryContext } from './query-schema.ts';

const maxBodyBytes = 1024 * 1024;
const maxQueryCharacters = 100_000;
const deadlineMs = 5_000;
/** Of documents, for one query. */
const maxReadBytes = 64 * 1024 * 1024;
const maxErrors = 10;

async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const pieces: Buffer[] = [];
  let sizeBytes = 0;
  for await (const piece of request as AsyncIterable<Buffer>) {
    sizeBytes += piece.length;
    if (sizeBytes > maxBodyBytes) return undefined;
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}

function refuse(response: ServerResponse, text: string): void {
  // What is left of the body is not read.
  response.setHeader('connection', 'close');
  response.writeHead(400, { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' });
  response.end(`${text}\n`);
}

/** The query of a body, or what is wrong with it. */
function queryIn(body: string | undefined): { readonly query: string } | { readonly problem: string } {
  let parsed: unknown;
  try {
    parsed = body === undefined ? undefined : parseJson('request body', body);
  } catch {
    parsed = undefined;
  }
  const query = isJsonObject(parsed as never) ? (parsed as { query?: unknown }).query : undefined;
  if (!isJsonObject(parsed as never) || (query !== undefined && typeof query !== 'string')) {
    return { problem: 'Invalid request body' };
  }
  if (query === undefined || query === '') return { problem: 'Query cannot be empty' };
  return query.length > maxQueryCharacters ? { problem: 'Query too large' } : { query };
}

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

function withErrors(status: number, messages: readonly string[]): Answer {
  return { status, body: { errors: messages.slice(0, maxErrors).map((message) => ({ message })) } };
}

async function run(
  graphql: GraphqlPackage,
  schema: GraphQLSchema,
  { query, context }: { readonly query: string; readonly context: QueryContext },
): Promise<Answer> {
  const { parse, validate, execute } = graphql;
  let document: ReturnType<typeof parse>;
  try {
    document = parse(query, { maxTokens: maxQueryCharacters / 10 });
  } catch (thrown) {
    return withErrors(400, [errorMessage(thrown)]);
  }
  const faults = validate(schema, document, undefined, { maxErrors });
  // Fragments in circles are called that, not many.
  if (faults.some(({ message }) => message.startsWith('Cannot spread fragment'))) {
    return withErrors(
      400,
      faults.map(({ message }) => message),
    );
  }
  const problem = limitProblem(document);
  if (problem !== undefined) return withErrors(400, [problem]);
  if (faults.length > 0)
    return withErrors(
      400,
      faults.map(({ message }) => message),
    );
  const { data, errors } = await execute({ schema, document, contextValue: context });
  const told = errors?.slice(0, maxErrors).map(({ message, path }) => ({ message, path }));
  return { status: 200, body: { data, ...(told === undefined ? {} : { errors: told }) } };
}

/** Answers queries of GraphQL over catalogs; the package behind it is loaded with the first one. */
export function createQueryAnswer(): (query: CatalogQuery) => Promise<void> {
  const schemas = new WeakMap<CatalogIndex, GraphQLSchema>();
  return async ({ index, request, response, signal }) => {
    const found = queryIn(await readBody(request));
    if ('problem' in found) return refuse(response, found.problem);
    const graphql = await import('graphql');
    const schema = schemas.get(index) ?? buildQuerySchema(graphql, index.schemas());
    schemas.set(index, schema);
    const context: QueryContext = {
      index,
      signal: AbortSignal.any([signal, AbortSignal.timeout(deadlineMs)]),
      leftBytes: maxReadBytes,
    };
    const { status, body } = await run(graphql, schema, { query: found.query, context });
    response.writeHead(status, { 'content-type': 'application/json', 'x-content-type-options': 'nosniff' });
    response.end(`${JSON.stringify(body)}\n`);
  };
}
