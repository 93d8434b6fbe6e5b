/** What `npm run tidy` finds in a source file. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { functionsIn } from '../../scripts/tidy/functions.ts'
import { repeatedBlocks } from '../../scripts/tidy/repeated-blocks.ts'

const lengths = (text: string): number[] => functionsIn(text).map(({ lines }) => lines)

describe('the functions of a file', () => {
  for (const [name, text] of [
    ['a declaration', 'function f(a: string) {\n  g()\n}'],
    ['one with the type of its result', 'export async function f({ a }: A): Promise<Map<string, B>> {\n  g()\n}'],
    ['an arrow function', 'const f = (a: string): void => {\n  g()\n}'],
    ['a method', 'const a = {\n  f(b) {\n    g()\n  },\n}'],
    ['a generic one', 'function f<T>(a: T) {\n  g()\n}'],
    ['one with braces in texts and comments', "function f() {\n  g('}') // }\n}"],
  ] as const) {
    it(`finds ${name}`, () => assert.deepEqual(lengths(text), [3]))
  }

  it('finds functions in functions, and leaves out blocks, objects and types', () => {
    const text = [
      'interface A {',
      '  b: { c: string }',
      '}',
      'function outer() {',
      '  if (a) {',
      '    for (const b of c) {',
      '      d({ e: 1 })',
      '    }',
      '  }',
      '  return () => {',
      '    while (f(g())) {',
      '    }',
      '  }',
      '}',
    ].join('\n')
    assert.deepEqual(functionsIn(text), [
      { line: 10, lines: 4, start: 'return () => {' },
      { line: 4, lines: 11, start: 'function outer() {' },
    ])
  })
})

describe('repeated blocks', () => {
  const block = Array.from({ length: 7 }, (_, i) => `  const value${i} = compute(argument${i}, another${i})`)

  it('are found once, at their full length, with each place', () => {
    const files = new Map([
      ['src/a.ts', ["import { b } from './b.ts'", 'function a() {', ...block, '}'].join('\n')],
      ['src/b.ts', ['// a comment', '', 'function b() {', '', ...block.slice(0, 3), '', ...block.slice(3), '  return 1', '}'].join('\n')],
    ])
    assert.deepEqual(repeatedBlocks(files), [{ lines: 7, places: ['src/a.ts:3', 'src/b.ts:5'] }])
  })

  it('are neither imports nor fewer than six lines', () => {
    const imports = Array.from({ length: 9 }, (_, i) => `import { value${i}, another${i} } from './file${i}.ts'`)
    const text = [...imports, ...block.slice(0, 5)].join('\n')
    assert.deepEqual(repeatedBlocks(new Map([['src/a.ts', text], ['src/b.ts', text]])), [])
  })
})
