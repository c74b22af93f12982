/** What a step of the pipeline throws to answer with a text instead of a `Status`, as kube-apiserver does in a few places. */
export class PlainError extends Error {
  readonly code: number;

  constructor(code: number, text: string) {
    super(text);
    this.name = 'PlainError';
    this.code = code;
  }
}
