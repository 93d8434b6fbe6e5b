import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { parseQuery } from '../../src/http/query-string.ts'

describe('parseQuery()', () => {
  const rows: [name: string, text: string, expected: string | undefined][] = [
    ['reads a plain value', 'q=ferry', 'ferry'],
    ['takes + for a space, as form encoding writes it', 'q=ferry+line', 'ferry line'],
    ['takes %20 for a space and %2B for a plus', 'q=1%2B1%20x', '1+1 x'],
    ['decodes JSON as the clients send it', 'q=%7B%22a%22%3A1%7D', '{"a":1}'],
    ['decodes UTF-8', 'q=%C3%8Dsland', 'Ísland'],
    ['keeps what stands after the first equals sign', 'q=a=b==', 'a=b=='],
    ['reads a name without a value as the empty text', 'q', ''],
    ['decodes names too', '%71=x', 'x'],
    ['skips empty pairs', '&&q=x&&', 'x'],
    ['does not split at a semicolon', 'q=a;b=c', 'a;b=c'],
    ['tells names apart by case', 'Q=x', undefined],
    ['gives nothing for an absent name', 'p=1', undefined],
    ['ignores parameters that are not read, also broken and repeated ones', 'z=%zz&z=2&%zz=1&q=x', 'x'],
  ]
  for (const [name, text, expected] of rows) {
    it(name, () => assert.equal(parseQuery(text).get('q'), expected))
  }

  for (const [name, text, message] of [
    ['a parameter given twice', 'q=1&q=1', /"q": expected it once, found it 2 times$/],
    ['a parameter given twice in two spellings', 'q=1&%71=2', /"q"/],
    ['a cut-off escape', 'q=%4', /"q"/],
    ['an escape that is no hex', 'q=%zz', /"q"/],
    ['bytes that are no UTF-8', 'q=%ff', /"q"/],
    ['UTF-8 longer than need be', 'q=%C0%AF', /"q"/],
  ] as const) {
    it(`refuses ${name} and names the parameter`, () => {
      assert.throws(() => parseQuery(text).get('q'), { code: 'badRequest', message })
    })
  }

  it('takes 100 parameters and refuses one more', () => {
    const many = (count: number): string => Array.from({ length: count }, (_, i) => `p${i}=${i}`).join('&')
    assert.equal(parseQuery(many(100)).get('p99'), '99')
    assert.throws(() => parseQuery(many(101)), { code: 'badRequest' })
  })

  it('knows no name that every object has', () => {
    assert.equal(parseQuery('a=1').get('constructor'), undefined)
    assert.equal(parseQuery('__proto__=1').get('__proto__'), '1')
  })
})
