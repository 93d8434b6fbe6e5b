/**
 * Evaluates the expressions of Python in the comments of test feeds: literals, names, members, `and`, `or`, `not`,
 * comparisons, `len`, `ord`, `get` and `has_key`. Nothing of it runs as a program.
 */

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

export function isObserved(value: PythonValue): value is Observed {
  return typeof value === 'object' && value !== null && 'isObserved' in value
}

const TOKEN = /\s*(?:([uUbBrR]?)("""[\s\S]*?"""|'''[\s\S]*?'''|'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")|(\d+(?:\.\d+)?)|([A-Za-z_]\w*)|(==|!=|>=|<=|[-+()[\]{},.:<>]))/y

interface Token {
  readonly kind: 'text' | 'number' | 'name' | 'sign'
  readonly text: string
}

/** Throws NotAsked for what is not among the names, and SyntaxError for what it cannot read. */
export function evaluatePython(expression: string, nameOf: (name: string) => PythonValue): PythonValue {
  const tokens = tokensOf(expression)
  let at = 0
  const isNext = (text: string, kind: Token['kind'] = 'sign'): boolean => tokens[at]?.text === text && tokens[at]?.kind === kind
  const take = (text: string, kind: Token['kind'] = 'sign'): boolean => {
    if (!isNext(text, kind)) return false
    at++
    return true
  }
  const expect = (text: string): void => {
    if (!take(text)) throw new SyntaxError(`expected ${text}, found ${tokens[at]?.text ?? 'the end'} in ${expression}`)
  }
  const list = (end: string): readonly PythonValue[] => {
    const values: PythonValue[] = []
    while (!take(end)) {
      values.push(either())
      if (!take(',')) {
        expect(end)
        break
      }
    }
    return values
  }
  const either = (): PythonValue => {
    let value = both()
    while (take('or', 'name')) {
      const right = both()
      value = isTrue(value) ? value : right
    }
    return value
  }
  const both = (): PythonValue => {
    let value = negation()
    while (take('and', 'name')) {
      const right = negation()
      value = isTrue(value) ? right : value
    }
    return value
  }
  const negation = (): PythonValue => (take('not', 'name') ? !isTrue(negation()) : comparison())
  const comparison = (): PythonValue => {
    let left = sum()
    let result: PythonValue | undefined
    for (;;) {
      const operator = operatorHere()
      if (operator === undefined) return result ?? left
      const right = sum()
      const holds = compare(operator, left, right)
      result = result === undefined ? holds : result === true && holds
      left = right
    }
  }
  const operatorHere = (): string | undefined => {
    for (const sign of ['==', '!=', '>=']) if (take(sign)) return sign
    if (take('is', 'name')) return take('not', 'name') ? '!=' : '=='
    if (take('in', 'name')) return 'in'
    if (isNext('not', 'name') && tokens[at + 1]?.text === 'in') {
      at += 2
      return 'not in'
    }
    return undefined
  }
  const sum = (): PythonValue => {
    let value = postfix()
    while (take('+')) value = `${textOf(value)}${textOf(postfix())}`
    return value
  }
  const postfix = (): PythonValue => {
    let value = primary()
    for (;;) {
      if (take('[')) {
        const key = either()
        expect(']')
        value = memberOf(value, key)
      } else if (take('.')) {
        const name = tokens[at++]?.text ?? ''
        value = take('(') ? callOn(value, name, list(')')) : memberOf(value, name)
      } else return value
    }
  }
  const primary = (): PythonValue => {
    const token = tokens[at++]
    if (token?.kind === 'text') {
      let text = token.text
      while (tokens[at]?.kind === 'text') text += tokens[at++]?.text ?? ''
      return text
    }
    if (token?.kind === 'number') return Number(token.text)
    if (token?.kind === 'name') return named(token.text)
    if (token?.text === '-') return -Number(postfix())
    if (token?.text === '[') return list(']')
    if (token?.text === '{') return mapping()
    if (token?.text === '(') {
      const value = either()
      if (take(')')) return value
      expect(',')
      return [value, ...list(')')]
    }
    throw new SyntaxError(`cannot read ${expression} at ${token?.text ?? 'its end'}`)
  }
  const named = (name: string): PythonValue => {
    const literal = { None: null, True: true, False: false }[name]
    if (literal !== undefined) return literal
    if (name === 'len' || name === 'ord') {
      expect('(')
      const [value = null] = list(')')
      return measure(name, value)
    }
    return nameOf(name)
  }
  const mapping = (): PythonValue => {
    const values = new Map<string, PythonValue>()
    while (!take('}')) {
      const key = textOf(either())
      expect(':')
      values.set(key, either())
      take(',')
    }
    return values
  }
  const value = either()
  if (at < tokens.length) throw new SyntaxError(`cannot read ${expression} from ${tokens[at]?.text ?? ''} on`)
  return value
}

function tokensOf(expression: string): readonly Token[] {
  const tokens: Token[] = []
  TOKEN.lastIndex = 0
  while (TOKEN.lastIndex < expression.trimEnd().length) {
    const [match, prefix = '', quoted, number, name, sign] = TOKEN.exec(expression) ?? []
    if (match === undefined) throw new SyntaxError(`cannot read ${expression}`)
    if (quoted !== undefined) tokens.push({ kind: 'text', text: unescaped(quoted, /r/i.test(prefix)) })
    else if (number !== undefined) tokens.push({ kind: 'number', text: number })
    else if (name !== undefined) tokens.push({ kind: 'name', text: name })
    else tokens.push({ kind: 'sign', text: sign ?? '' })
  }
  return tokens
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', "'": "'", '"': '"', '\\': '\\' }

function unescaped(quoted: string, isRaw: boolean): string {
  const marks = /^(?:"""|''')/.test(quoted) ? 3 : 1
  const inner = quoted.slice(marks, -marks)
  if (isRaw) return inner
  return inner.replace(/\\(?:u([\da-f]{4})|U([\da-f]{8})|x([\da-f]{2})|(.))/gi, (all: string, four?: string, eight?: string, two?: string, one?: string) => {
    const code = four ?? eight ?? two
    return code === undefined ? (ESCAPES[one ?? ''] ?? all) : String.fromCodePoint(Number.parseInt(code, 16))
  })
}

export function isTrue(value: PythonValue): boolean {
  if (isObserved(value)) return value.isTrue
  if (Array.isArray(value)) return value.length > 0
  return value instanceof Map ? value.size > 0 : Boolean(value)
}

function textOf(value: PythonValue): string {
  if (typeof value === 'string') return value
  throw new NotAsked('it needs a text')
}

function compare(operator: string, left: PythonValue, right: PythonValue): boolean {
  if (operator === '==') return equals(left, right)
  if (operator === '!=') return !equals(left, right)
  if (operator === 'in' || operator === 'not in') {
    if (!isObserved(right)) throw new NotAsked('it looks into a list')
    const has = isTrue(memberOf(right, left))
    return operator === 'in' ? has : !has
  }
  throw new NotAsked(`it compares by ${operator}`)
}

function equals(left: PythonValue, right: PythonValue): boolean {
  if (isObserved(left)) return left.equals(isObserved(right) ? (right.value ?? null) : right)
  if (isObserved(right)) return right.equals(left)
  return JSON.stringify(plain(left)) === JSON.stringify(plain(right))
}

function plain(value: PythonValue): unknown {
  return value instanceof Map ? Object.fromEntries(value) : value
}

function memberOf(value: PythonValue, key: PythonValue): PythonValue {
  if (!isObserved(value) || (typeof key !== 'string' && typeof key !== 'number')) throw new NotAsked('it takes a member of a value')
  return value.member(key)
}

function callOn(value: PythonValue, name: string, words: readonly PythonValue[]): PythonValue {
  const [key = null, other = null] = words
  if (name === 'has_key') return isTrue(memberOf(value, key))
  if (name !== 'get') throw new NotAsked(`it calls ${name}`)
  const member = memberOf(value, key)
  return isTrue(member) ? member : other
}

function measure(name: 'len' | 'ord', value: PythonValue): PythonValue {
  if (!isObserved(value)) throw new NotAsked('it measures a value')
  return value.member(name === 'len' ? '#len' : '#ord')
}
