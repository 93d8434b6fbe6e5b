/**
 * Evaluates the expressions of Python in the comments of test feeds, as Python's own parser reads them: literals, names, members,
 * `and`, `or`, `not`, comparisons, `len`, `ord`, `get` and `has_key` (docs.python.org/3/library/ast.html). Nothing of it runs as a
 * program.
 */
import { spawnSync } from 'node:child_process'

/** What a name or member is, when only this file's reader can tell whether it equals an expected value. */
export interface Observed {
  readonly isObserved: true
  equals(expected: PythonValue): boolean
  readonly isTrue: boolean
  /** Of a text. */
  readonly value?: string | undefined
  member(key: string | number): PythonValue
}

export type PythonValue = null | boolean | number | string | readonly PythonValue[] | ReadonlyMap<string, PythonValue> | Observed

/** The expression asks for what this reader does not have. */
export class NotAsked extends Error {
  override readonly name = 'NotAsked'
}

type Operator = { readonly node: string }

export type PythonNode =
  | { readonly node: 'Constant'; readonly value: null | boolean | number | string }
  | { readonly node: 'Name'; readonly id: string }
  | { readonly node: 'Subscript'; readonly value: PythonNode; readonly slice: PythonNode }
  | { readonly node: 'Attribute'; readonly value: PythonNode; readonly attr: string }
  | { readonly node: 'Compare'; readonly left: PythonNode; readonly ops: readonly Operator[]; readonly comparators: readonly PythonNode[] }
  | { readonly node: 'BoolOp'; readonly op: Operator; readonly values: readonly PythonNode[] }
  | { readonly node: 'UnaryOp'; readonly op: Operator; readonly operand: PythonNode }
  | { readonly node: 'BinOp'; readonly left: PythonNode; readonly right: PythonNode }
  | { readonly node: 'Tuple' | 'List'; readonly elts: readonly PythonNode[] }
  | { readonly node: 'Dict'; readonly keys: readonly PythonNode[]; readonly values: readonly PythonNode[] }
  | { readonly node: 'Call'; readonly func: PythonNode; readonly args: readonly PythonNode[] }

const PARSE = `
import ast, json, sys
def shown(node):
    if isinstance(node, list): return [shown(one) for one in node]
    if not isinstance(node, ast.AST): return node
    return {'node': type(node).__name__, **{name: shown(value) for name, value in ast.iter_fields(node)}}
print(json.dumps([shown(ast.parse(text, mode='eval').body) for text in json.load(sys.stdin)]))
`

/** The expressions as trees, by one start of Python. Throws what Python says where it cannot read one. */
export function parsePython(expressions: readonly string[]): readonly PythonNode[] {
  const { status, stdout, stderr, error } = spawnSync('python3', ['-c', PARSE], { input: JSON.stringify(expressions), encoding: 'utf8', maxBuffer: 2 ** 26 })
  if (status !== 0) throw new SyntaxError(error?.message ?? stderr)
  return JSON.parse(stdout) as readonly PythonNode[]
}

/** Throws NotAsked for what is not among the names, and for what this reader does not compare. */
export function evaluatePython(tree: PythonNode, nameOf: (name: string) => PythonValue): PythonValue {
  const evaluate = (node: PythonNode): PythonValue => evaluatePython(node, nameOf)
  switch (tree.node) {
    case 'Constant':
      return tree.value
    case 'Name':
      return nameOf(tree.id)
    case 'Subscript':
      return memberOf(evaluate(tree.value), evaluate(tree.slice))
    case 'Attribute':
      return memberOf(evaluate(tree.value), tree.attr)
    case 'Compare': {
      const values = [tree.left, ...tree.comparators].map(evaluate)
      return tree.ops.map(({ node }, i) => compare(node, values[i] ?? null, values[i + 1] ?? null)).every((holds) => holds)
    }
    case 'BoolOp': {
      // All of them are asked, so that a part of an expectation that holds by itself hides none that is not asked.
      const values = tree.values.map(evaluate)
      return values.find((value) => isTrue(value) === (tree.op.node === 'Or')) ?? values.at(-1) ?? null
    }
    case 'UnaryOp':
      return tree.op.node === 'Not' ? !isTrue(evaluate(tree.operand)) : -Number(evaluate(tree.operand))
    case 'BinOp':
      return textOf(evaluate(tree.left)) + textOf(evaluate(tree.right))
    case 'Tuple':
    case 'List':
      return tree.elts.map(evaluate)
    case 'Dict':
      return new Map(tree.keys.map((key, i) => [textOf(evaluate(key)), evaluate(tree.values[i] ?? key)]))
    case 'Call':
      return call(tree.func, tree.args.map(evaluate), evaluate)
  }
}

function call(func: PythonNode, words: readonly PythonValue[], evaluate: (node: PythonNode) => PythonValue): PythonValue {
  const [first = null, other = null] = words
  if (func.node === 'Name' && (func.id === 'len' || func.id === 'ord')) {
    if (!isObserved(first)) throw new NotAsked('it measures a value')
    return first.member(`#${func.id}`)
  }
  if (func.node !== 'Attribute' || (func.attr !== 'get' && func.attr !== 'has_key')) throw new NotAsked('it calls another function')
  const member = memberOf(evaluate(func.value), first)
  if (func.attr === 'has_key') return isTrue(member)
  return isTrue(member) ? member : other
}

export function isTrue(value: PythonValue): boolean {
  if (isObserved(value)) return value.isTrue
  if (Array.isArray(value)) return value.length > 0
  return value instanceof Map ? value.size > 0 : Boolean(value)
}

function isObserved(value: PythonValue): value is Observed {
  return typeof value === 'object' && value !== null && 'isObserved' in value
}

function textOf(value: PythonValue): string {
  if (typeof value === 'string') return value
  throw new NotAsked('it needs a text')
}

function compare(operator: string, left: PythonValue, right: PythonValue): boolean {
  if (operator === 'Eq' || operator === 'Is') return equals(left, right)
  if (operator === 'NotEq' || operator === 'IsNot') return !equals(left, right)
  if ((operator !== 'In' && operator !== 'NotIn') || !isObserved(right)) throw new NotAsked(`it compares by ${operator}`)
  return isTrue(memberOf(right, left)) === (operator === 'In')
}

function equals(left: PythonValue, right: PythonValue): boolean {
  if (isObserved(left)) return left.equals(isObserved(right) ? (right.value ?? null) : right)
  if (isObserved(right)) return right.equals(left)
  const plain = (value: PythonValue): unknown => (value instanceof Map ? Object.fromEntries(value) : value)
  return JSON.stringify(plain(left)) === JSON.stringify(plain(right))
}

function memberOf(value: PythonValue, key: PythonValue): PythonValue {
  if (!isObserved(value) || (typeof key !== 'string' && typeof key !== 'number')) throw new NotAsked('it takes a member of a value')
  return value.member(key)
}
