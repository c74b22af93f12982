import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { addAbortSignal } from 'node:stream';
import type { GraphQLSchema } from 'graphql';
import { errorMessage, isJsonObject, JoinedPieces, parseJson } from '../../base/index.ts';
import type { CatalogQuery } from '../http/catalog-handler.ts';
import type { CatalogIndex } from '../store/catalog-index.ts';
import { lengthProblem, limitProblem } from './query-limits.ts';
import { buildQuerySchema, type GraphqlPackage, type QueryContext } from './query-schema.ts';

const maxBodyBytes = 1024 * 1024;
const maxQueryCharacters = 100_000;
const deadlineMs = 5_000;
/** Of documents, for one query. */
const maxReadBytes = 64 * 1024 * 1024;
const maxErrors = 10;
/** Each may hold as many documents as one may read. */
const queriesAtATime = 4;
/** For the client to take its answer. */
const takeDeadlineMs = 30_000;

/** Undefined: it is too large. */
async function readBody(request: IncomingMessage, signal: AbortSignal): Promise<string | undefined> {
  const pieces = new JoinedPieces();
  for await (const piece of addAbortSignal(signal, request) as AsyncIterable<Buffer>) {
    pieces.add(piece);
    if (pieces.sizeBytes > maxBodyBytes) return undefined;
  }
  return pieces.join().toString('utf8');
}

function refuse(response: ServerResponse, status: number, text: string): void {
  // What is left of the body is not read.
  response.setHeader('connection', 'close');
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' });
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
  const length = lengthProblem(document);
  if (length !== undefined) return withErrors(400, [length]);
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
  const reported = errors?.slice(0, maxErrors).map(({ message, path }) => ({ message, path }));
  return { status: 200, body: { data, ...(reported === undefined ? {} : { errors: reported }) } };
}

/** Answers queries, one after the other or several at a time. */
class QueryDesk {
  readonly #schemas = new WeakMap<CatalogIndex, GraphQLSchema>();
  #underWay = 0;

  /** A query counts until its client has its answer: as long it is in memory. */
  async take(query: CatalogQuery): Promise<void> {
    if (this.#underWay >= queriesAtATime) {
      return refuse(query.response, 503, 'too many queries at a time: try again later');
    }
    this.#underWay += 1;
    try {
      await this.#answer(query);
    } finally {
      this.#underWay -= 1;
    }
  }

  async #answer({ index, request, response, signal: gone }: CatalogQuery): Promise<void> {
    const signal = AbortSignal.any([gone, AbortSignal.timeout(deadlineMs)]);
    const found = queryIn(await readBody(request, signal));
    if ('problem' in found) return refuse(response, 400, found.problem);
    const graphql = await import('graphql');
    const schema = this.#schemas.get(index) ?? buildQuerySchema(graphql, index.schemas());
    this.#schemas.set(index, schema);
    const context: QueryContext = { index, signal, leftBytes: maxReadBytes };
    const { status, body } = await run(graphql, schema, { query: found.query, context });
    response.writeHead(status, { 'content-type': 'application/json', 'x-content-type-options': 'nosniff' });
    response.end(`${JSON.stringify(body)}\n`);
    await once(response, 'finish', { signal: AbortSignal.any([gone, AbortSignal.timeout(takeDeadlineMs)]) });
  }
}

/** Answers queries of GraphQL over catalogs, no more than 4 at a time; the package behind it is loaded with the first one. */
export function createQueryAnswer(): (query: CatalogQuery) => Promise<void> {
  const desk = new QueryDesk();
  return (query) => desk.take(query);
}
