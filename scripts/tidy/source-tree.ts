/** Our source files as a tree: their texts, what they import, what they export, and their code alone. */
import { globSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'

/** Paths from the root of the project, with `/`, and the text of each file. */
export type Tree = ReadonlyMap<string, string>

export function readTree(root: string): Tree {
  const patterns = ['src/**/*.ts', 'test/**/*.ts', 'scripts/**/*.{ts,mjs}', 'README.md', 'data/guides/*.md', 'package.json']
  const paths = globSync(patterns, { cwd: root }).map((path) => path.replaceAll('\\', '/'))
  return new Map(paths.sort().map((path) => [path, readFileSync(join(root, path), 'utf8')]))
}

export interface Import {
  readonly from: string
  /** As written. */
  readonly specifier: string
  /** The path in the tree that a relative specifier leads to. */
  readonly to: string | undefined
  /** The names taken; undefined where all of them are (`import * as`, `await import()`). */
  readonly names: readonly string[] | undefined
}

export function importsOf(path: string, text: string): readonly Import[] {
  const code = withoutComments(text)
  const made = (specifier: string, names: readonly string[] | undefined): Import => {
    const to = specifier.startsWith('.') ? posix.join(posix.dirname(path), specifier) : undefined
    return { from: path, specifier, to, names }
  }
  const clauses = [...code.matchAll(/^(?:import|export)\s+(?:type\s+)?([^'"`;=()]*?)\s*from\s+['"]([^'"]+)['"]/gm)]
  const rest = [
    ...code.matchAll(/\bimport\s*\(\s*['"]([^'"]+)['"]/g),
    ...code.matchAll(/^import\s+['"]([^'"]+)['"]/gm),
    // A worker thread starts from a file that nothing imports.
    ...code.matchAll(/new URL\(\s*['"](\.[^'"]+\.ts)['"]\s*,\s*import\.meta\.url/g),
  ]
  return [
    ...clauses.map(([, clause = '', specifier = '']) => made(specifier, namesIn(clause))),
    ...rest.map(([, specifier = '']) => made(specifier, undefined)),
  ]
}

/** `{ a, type B, c as d }` → a, B, c. */
function namesIn(clause: string): readonly string[] | undefined {
  if (clause.includes('*')) return undefined
  const braces = /\{([^}]*)\}/.exec(clause)?.[1] ?? ''
  const names = braces.split(',').map(
    (part) =>
      part
        .trim()
        .replace(/^type\s+/, '')
        .split(/\s+as\s+/)[0] ?? '',
  )
  return names.filter((name) => name !== '')
}

export interface Export {
  readonly name: string
  readonly isType: boolean
}

export function exportsOf(text: string): readonly Export[] {
  const code = codeOf(text)
  const declared = code.matchAll(
    /^export\s+(?:async\s+)?(function\*?|(?:abstract\s+)?class|interface|type|const|let)\s+([\w$]+)/gm,
  )
  const listed = code.matchAll(/^export\s+(?:type\s+)?\{([^}]*)\}/gm)
  return [
    ...[...declared].map(([, kind = '', name = '']) => ({ name, isType: kind === 'interface' || kind === 'type' })),
    ...[...listed]
      .flatMap(([, names = '']) =>
        names.split(',').map(
          (part) =>
            part
              .trim()
              .split(/\s+as\s+/)
              .at(-1) ?? '',
        ),
      )
      .filter((name) => name !== '')
      .map((name) => ({ name, isType: false })),
  ]
}

/** The text with comments blanked; every other character keeps its place. */
export function withoutComments(text: string): string {
  return blank(text, { strings: false })
}

/** The text with comments, strings and regular expressions blanked; every other character keeps its place. */
export function codeOf(text: string): string {
  return blank(text, { strings: true })
}

/** What may stand before a `/` that begins a regular expression and not a division. */
const BEFORE_PATTERN = /(?:^|[(,=:[!&|?{};+\-*%<>~^]|\b(?:return|typeof|case|of|in|do|else|throw|await|yield))\s*$/
const LITERAL = {
  "'": /'(?:\\[^]|[^\\'\n])*'?/y,
  '"': /"(?:\\[^]|[^\\"\n])*"?/y,
  '/': /\/(?:\\.|\[(?:\\.|[^\\\]\n])*\]|[^\\/[\n])+\/[a-z]*/y,
  '//': /\/\/[^\n]*/y,
  '/*': /\/\*[^]*?(?:\*\/|$)/y,
}

/** Each rule reads all sources. */
const blanked = { code: new Map<string, string>(), withStrings: new Map<string, string>() }

function blank(text: string, { strings }: { readonly strings: boolean }): string {
  const known = strings ? blanked.code : blanked.withStrings
  const found = known.get(text) ?? blankOnce(text, strings)
  known.set(text, found)
  return found
}

function blankOnce(text: string, strings: boolean): string {
  let out = ''
  /** For each template literal we are inside of, the depth of braces of its `${`. */
  const templates: number[] = []
  let depth = 0
  let at = 0
  const take = (length: number, isBlanked: boolean): void => {
    const part = text.slice(at, at + length)
    out += isBlanked ? part.replace(/[^\n]/g, ' ') : part
    at += length
  }
  const literal = (pattern: RegExp): number => {
    pattern.lastIndex = at
    return pattern.exec(text)?.[0].length ?? 1
  }
  const template = (): void => {
    const [part] = /^(?:\\[^]|\$(?!\{)|[^\\`$])*/.exec(text.slice(at)) ?? ['']
    take(part.length, strings)
    if (text.startsWith('${', at)) {
      templates.push(depth++)
      take(2, strings)
    } else take(1, strings)
  }
  while (at < text.length) {
    const unit = text[at] ?? ''
    if (text.startsWith('//', at)) take(literal(LITERAL['//']), true)
    else if (text.startsWith('/*', at)) take(literal(LITERAL['/*']), true)
    else if (unit === "'" || unit === '"') take(literal(LITERAL[unit]), strings)
    else if (unit === '/' && BEFORE_PATTERN.test(out.slice(-40))) take(literal(LITERAL['/']), strings)
    else if (unit === '`') {
      take(1, strings)
      template()
    } else if (unit === '}' && templates.at(-1) === depth - 1) {
      templates.pop()
      depth--
      take(1, strings)
      template()
    } else {
      if (unit === '{') depth++
      if (unit === '}') depth--
      take(1, false)
    }
  }
  return out
}
