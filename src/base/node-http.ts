/** The module `node:http`. An import of its names would read all of them, WebSocket among them, which loads a second HTTP client: 14 MiB and 40 ms
 *  of every start. */
export function nodeHttp(): typeof import('node:http') {
  return process.getBuiltinModule('node:http');
}
