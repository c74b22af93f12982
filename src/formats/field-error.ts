import { type FieldPath, TerminalError } from '../base/index.ts';

/** An object that is not as it should be, and which value of it. */
export class FieldError extends TerminalError {
  /** From the root of the object. */
  readonly path: FieldPath;

  constructor(path: FieldPath, message: string) {
    super('InvalidBundle', message);
    this.path = path;
  }
}
