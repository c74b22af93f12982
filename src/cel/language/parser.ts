import { type Expression, type FieldEntry, type MapEntry, nodesOf, optionalSelection } from './expression.ts';
import { behindOperand, operatorNames, products, relations, reserved, sums } from './grammar.ts';
import { BadLiteral, readLiteral } from './literals.ts';
import { balance, type Term } from './logic.ts';
import { copiedBy, expandMacro, type MacroCall } from './macros.ts';
import type { Issue } from './source-text.ts';
import { operandStart, RuleFault, TokenCursor, TooManyFaults } from './token-cursor.ts';
import { endOfText, type TokenKind, tokenize } from './tokens.ts';

const maxCodePoints = 100_000;
const maxDepth = 250;
/** What macros copy, and copy again where they stand behind each other: dozens of nodes are usual. */
const maxCopiedNodes = 250;

/** Ends reading: the expression is nested too deep. */
class TooDeep extends Error {
  override message = `expression recursion limit exceeded: ${maxDepth}`;
}

/** Ends reading: macros make too much of the expression. */
class TooLarge extends Error {
  override message = `macros copy more than ${maxCopiedNodes} parts of the expression`;
}

class Parser {
  readonly issues: Issue[] = [];
  readonly #cursor: TokenCursor;
  #depth = 0;
  #leftToCopy = maxCopiedNodes;

  constructor(text: string) {
    const report = (issue: Issue): void => {
      this.issues.push(issue);
    };
    this.#cursor = new TokenCursor(text, tokenize(text, report), report);
  }

  start(): Expression {
    const root = this.#expression();
    try {
      this.#cursor.expect(endOfText, new Set());
    } catch (error) {
      if (!(error instanceof RuleFault)) throw error;
    }
    return root;
  }

  #report(offset: number, message: string): Expression {
    this.issues.push({ offset, message });
    return { kind: 'broken', offset };
  }

  #deeper(): void {
    this.#depth += 1;
    if (this.#depth > maxDepth) throw new TooDeep();
  }

  /** Reads by `rule`; after a failure continues at the next token that may follow. */
  #guard(rule: () => Expression): Expression {
    const { offset } = this.#cursor.peek();
    try {
      return rule();
    } catch (error) {
      if (!(error instanceof RuleFault)) throw error;
      this.#cursor.recover();
      return { kind: 'broken', offset };
    }
  }

  #within<T>(closers: readonly TokenKind[], rule: () => T): T {
    this.#cursor.closers.push(...closers);
    const result = rule();
    this.#cursor.closers.length -= closers.length;
    return result;
  }

  #expression(): Expression {
    this.#deeper();
    const condition = this.#chain("'||'", '_||_', () => this.#chain("'&&'", '_&&_', () => this.#relation()));
    const question = this.#cursor.takeIf("'?'");
    this.#depth -= question === undefined ? 1 : 0;
    if (question === undefined) return condition;
    const result = this.#guard(() => {
      const yes = this.#within(["':'"], () =>
        this.#chain("'||'", '_||_', () => this.#chain("'&&'", '_&&_', () => this.#relation())),
      );
      this.#cursor.expect("':'", operandStart);
      return this.#callOrMacro({
        name: '_?_:_',
        offset: question.offset,
        target: undefined,
        args: [condition, yes, this.#expression()],
      });
    });
    this.#depth -= 1;
    return result;
  }

  #chain(operator: TokenKind, name: string, next: () => Expression): Expression {
    const terms: Term[] = [{ offset: 0, node: next() }];
    for (let token = this.#cursor.takeIf(operator); token !== undefined; token = this.#cursor.takeIf(operator)) {
      terms.push({ offset: token.offset, node: next() });
    }
    return balance(name, terms);
  }

  #leftChain(operators: ReadonlySet<TokenKind>, next: () => Expression): Expression {
    let left = next();
    let length = 0;
    while (operators.has(this.#cursor.peek().kind)) {
      const token = this.#cursor.take();
      const right = next();
      const name = operatorNames.get(token.kind) ?? `_${token.text}_`;
      left = { kind: 'call', offset: token.offset, name, target: undefined, args: [left, right] };
      length += 1;
      if (length + this.#depth > maxDepth) throw new TooDeep();
    }
    return left;
  }

  #relation(): Expression {
    return this.#leftChain(relations, () =>
      this.#leftChain(sums, () => this.#leftChain(products, () => this.#unary())),
    );
  }

  #unary(): Expression {
    return this.#guard(() => {
      this.#cursor.sync(operandStart);
      if (this.#cursor.is("'!'")) return this.#not();
      return this.#cursor.is("'-'") && !this.#isNegativeNumber() ? this.#negate() : this.#member();
    });
  }

  #isNegativeNumber(): boolean {
    return this.#cursor.is('NUM_INT', 1) || this.#cursor.is('NUM_FLOAT', 1);
  }

  #not(): Expression {
    const { offset } = this.#cursor.peek();
    let count = 0;
    while (this.#cursor.takeIf("'!'") !== undefined) count += 1;
    if (!operandStart.has(this.#cursor.peek().kind)) throw this.#cursor.extraneous(operandStart);
    if (this.#cursor.is("'-'") && !this.#isNegativeNumber()) throw this.#cursor.noAlternative(1);
    const operand = this.#member();
    return count % 2 === 0 ? operand : { kind: 'call', offset, name: '!_', target: undefined, args: [operand] };
  }

  #negate(): Expression {
    const { offset } = this.#cursor.peek();
    let count = 0;
    while (this.#cursor.is("'-'", count)) count += 1;
    const next = this.#cursor.peek(count).kind;
    if (!operandStart.has(next) || next === "'!'") throw this.#cursor.noAlternative(count);
    for (let index = 0; index < count; index += 1) this.#cursor.take();
    const operand = this.#member();
    return count % 2 === 0 ? operand : { kind: 'call', offset, name: '-_', target: undefined, args: [operand] };
  }

  #member(): Expression {
    let node = this.#primary();
    for (let length = 0; ; length += 1) {
      if (length + this.#depth > maxDepth) throw new TooDeep();
      if (this.#cursor.is("'.'")) node = this.#selection(node);
      else if (this.#cursor.is("'['")) node = this.#index(node);
      else return node;
    }
  }

  #selection(operand: Expression): Expression {
    const next = this.#cursor.peek(1).kind;
    if (!['IDENTIFIER', 'ESC_IDENTIFIER', "'?'"].includes(next)) throw this.#cursor.noAlternative(1);
    const dot = this.#cursor.take();
    const isOptional = this.#cursor.takeIf("'?'") !== undefined;
    const name = this.#cursor.peek();
    if (name.kind !== 'IDENTIFIER' && name.kind !== 'ESC_IDENTIFIER') {
      throw this.#cursor.mismatch(['IDENTIFIER', 'ESC_IDENTIFIER']);
    }
    this.#cursor.take();
    if (name.kind === 'ESC_IDENTIFIER') this.#report(name.offset, "unsupported syntax: '`'");
    if (isOptional) return optionalSelection(operand, dot.offset, name);
    if (name.kind === 'IDENTIFIER' && this.#cursor.is("'('")) return this.#methodCall(operand, name.text);
    return { kind: 'select', offset: dot.offset, operand, field: name.text, isTest: false };
  }

  #methodCall(target: Expression, name: string): Expression {
    const { offset } = this.#cursor.peek();
    const args = this.#arguments();
    return this.#callOrMacro({ name, offset, target, args });
  }

  #index(operand: Expression): Expression {
    const { offset } = this.#cursor.take();
    const index = this.#within(["']'"], () => {
      this.#cursor.sync(new Set([...operandStart, "'?'"]));
      const isOptional = this.#cursor.takeIf("'?'") !== undefined;
      return { isOptional, node: this.#expression() };
    });
    this.#cursor.expect("']'", this.#behind());
    const name = index.isOptional ? '_[?_]' : '_[_]';
    return { kind: 'call', offset, name, target: undefined, args: [operand, index.node] };
  }

  #behind(): ReadonlySet<TokenKind> {
    return new Set([...behindOperand, ...this.#cursor.closers]);
  }

  /** `(a, b)`, from the parenthesis on. */
  #arguments(): Expression[] {
    this.#cursor.take();
    const args = this.#within(["')'", "','"], () => {
      this.#cursor.sync(new Set([...operandStart, "')'"]));
      if (this.#cursor.is("')'")) return [];
      const found = [this.#expression()];
      while (this.#cursor.takeIf("','") !== undefined) found.push(this.#expression());
      return found;
    });
    this.#cursor.expect("')'", this.#behind());
    return args;
  }

  #callOrMacro(call: MacroCall): Expression {
    const copied = copiedBy(call);
    if (copied !== undefined) this.#leftToCopy -= nodesOf(copied, this.#leftToCopy);
    if (this.#leftToCopy <= 0) throw new TooLarge();
    const expanded = expandMacro(call);
    if (expanded === undefined) return { kind: 'call', ...call };
    return 'fault' in expanded ? this.#report(expanded.offset, expanded.fault) : expanded;
  }

  #primary(): Expression {
    const token = this.#cursor.peek();
    switch (token.kind) {
      case "'('":
        return this.#nested();
      case "'['":
        return this.#list();
      case "'{'":
        return this.#map();
      case "'.'":
      case 'IDENTIFIER':
        return this.#named();
      default:
        return this.#literal();
    }
  }

  #nested(): Expression {
    this.#cursor.take();
    const inner = this.#within(["')'"], () => this.#expression());
    this.#cursor.expect("')'", this.#behind());
    return inner;
  }

  #named(): Expression {
    const start = this.#cursor.peek();
    const length = this.#messageNameLength();
    if (length > 0) return this.#message(length);
    const dot = this.#cursor.takeIf("'.'");
    if (!this.#cursor.is('IDENTIFIER')) throw this.#cursor.mismatch(['IDENTIFIER']);
    const name = this.#cursor.take();
    const text = (dot === undefined ? '' : '.') + name.text;
    if (!this.#cursor.is("'('")) {
      if (reserved.has(name.text)) return this.#report(start.offset, `reserved identifier: ${name.text}`);
      return { kind: 'ident', offset: name.offset, name: text };
    }
    const { offset } = this.#cursor.peek();
    const args = this.#arguments();
    if (reserved.has(name.text)) return this.#report(start.offset, `reserved identifier: ${name.text}`);
    return this.#callOrMacro({ name: text, offset, target: undefined, args });
  }

  /** How many tokens lie before the brace of `a.b{`; 0 if it is not a message. */
  #messageNameLength(): number {
    let length = this.#cursor.is("'.'") ? 1 : 0;
    while (this.#cursor.is('IDENTIFIER', length)) {
      length += 1;
      if (this.#cursor.is("'{'", length)) return length;
      if (!this.#cursor.is("'.'", length)) return 0;
      length += 1;
    }
    return 0;
  }

  #message(length: number): Expression {
    let name = '';
    for (let index = 0; index < length; index += 1) name += this.#cursor.take().text;
    const { offset } = this.#cursor.take();
    const fields: FieldEntry[] = [];
    this.#within(["'}'", "','"], () => {
      this.#cursor.sync(new Set(['IDENTIFIER', 'ESC_IDENTIFIER', "'?'", "','", "'}'"]));
      while (!this.#cursor.is("'}'") && !this.#cursor.is("','")) {
        fields.push(this.#fieldEntry());
        this.#cursor.sync(new Set(["'}'", "','"]));
        if (!this.#cursor.is("','") || this.#cursor.is("'}'", 1)) return;
        this.#cursor.take();
      }
    });
    this.#closeWithComma("'}'");
    return { kind: 'struct', offset, name, fields };
  }

  #fieldEntry(): FieldEntry {
    const isOptional = this.#cursor.takeIf("'?'") !== undefined;
    if (!this.#cursor.is('IDENTIFIER')) throw this.#cursor.mismatch(['IDENTIFIER', 'ESC_IDENTIFIER']);
    const name = this.#cursor.take().text;
    const { offset } = this.#cursor.expect("':'", operandStart);
    return { offset, name, value: this.#expression(), isOptional };
  }

  #closeWithComma(closer: TokenKind): void {
    this.#cursor.sync(new Set([closer, "','"]));
    this.#cursor.takeIf("','");
    this.#cursor.expect(closer, this.#behind());
  }

  #list(): Expression {
    const { offset } = this.#cursor.take();
    const elements: Expression[] = [];
    const optionals = new Set<number>();
    this.#within(["']'", "','"], () => {
      this.#cursor.sync(new Set([...operandStart, "'?'", "','", "']'"]));
      while (!this.#cursor.is("']'") && !this.#cursor.is("','")) {
        if (this.#cursor.takeIf("'?'") !== undefined) optionals.add(elements.length);
        elements.push(this.#expression());
        if (!this.#goesOn()) return;
        this.#cursor.take();
      }
    });
    this.#closeWithComma("']'");
    return { kind: 'list', offset, elements, optionals };
  }

  /** Whether a comma follows, and after it another item. */
  #goesOn(): boolean {
    const next = this.#cursor.peek(1).kind;
    return this.#cursor.is("','") && (operandStart.has(next) || next === "'?'");
  }

  #map(): Expression {
    const { offset } = this.#cursor.take();
    const entries: MapEntry[] = [];
    this.#within(["'}'", "','"], () => {
      this.#cursor.sync(new Set([...operandStart, "'?'", "','", "'}'"]));
      this.#guard(() => {
        while (!this.#cursor.is("'}'") && !this.#cursor.is("','")) {
          entries.push(this.#mapEntry());
          if (!this.#goesOn()) break;
          this.#cursor.take();
        }
        return { kind: 'broken', offset };
      });
    });
    this.#closeWithComma("'}'");
    return { kind: 'map', offset, entries };
  }

  #mapEntry(): MapEntry {
    const isOptional = this.#cursor.takeIf("'?'") !== undefined;
    const key = this.#within(["':'"], () => this.#expression());
    this.#cursor.expect("':'", operandStart);
    return { key, value: this.#expression(), isOptional };
  }

  #literal(): Expression {
    const { offset } = this.#cursor.peek();
    const sign = this.#cursor.takeIf("'-'") === undefined ? 1n : -1n;
    const token = this.#cursor.take();
    const value = readLiteral(token, sign);
    if (value instanceof BadLiteral) return this.#report(offset, value.message);
    return { kind: 'literal', offset, value };
  }
}

/** An expression that was read, with what is wrong with it. */
export interface Parsed {
  readonly root: Expression;
  readonly issues: readonly Issue[];
}

/** Reads an expression, expanding macros; at most 100,000 characters and 250 levels of nesting. */
export function parseExpression(text: string): Parsed {
  const broken: Expression = { kind: 'broken', offset: -1 };
  const size = Array.from(text).length;
  if (size > maxCodePoints) {
    const message = `expression code point size exceeds limit: size: ${size}, limit ${maxCodePoints}`;
    return { root: broken, issues: [{ offset: -1, message }] };
  }
  const parser = new Parser(text);
  try {
    return { root: parser.start(), issues: parser.issues };
  } catch (error) {
    if (error instanceof TooManyFaults) return { root: broken, issues: parser.issues };
    if (!(error instanceof TooDeep || error instanceof TooLarge)) throw error;
    return { root: broken, issues: [...parser.issues, { offset: -1, message: error.message }] };
  }
}
