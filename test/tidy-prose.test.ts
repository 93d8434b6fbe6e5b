/** Sentences that `npm run tidy` refuses in texts for readers, and the like that it takes. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { proseProblems, textProblems } from '../scripts/tidy/prose.ts'

const words = (count: number): string => Array.from({ length: count }, () => 'word').join(' ')
const reasons = (markdown: string): readonly string[] => proseProblems(markdown).map(({ reason }) => reason)

it('proseProblems() finds sentences of more than 30 words in paragraphs, items and cells', () => {
  for (const [before, after] of [['', ''], ['- ', ''], ['| a |\n|---|\n| ', ' |']] as const) {
    assert.deepEqual(reasons(`${before}${words(31)}.${after}`), ['31 words'])
    assert.deepEqual(reasons(`${before}${words(30)}. One ${words(29)}.${after}`), [])
  }
  assert.deepEqual(reasons(`| a |\n|---|\n| ${words(20)}; ${words(20)} |`), [])
  assert.deepEqual(reasons(`\`\`\`sh\n${words(40)}\n\`\`\``), [])
  assert.deepEqual(reasons(`${words(29)} \`${words(9)}\`.`), [])
})

it('proseProblems() finds phrases that hide the actor, and "at once" for immediately', () => {
  assert.deepEqual(reasons('Two, of which one is that which goes on as ever.'), ['"of which"', '"that which"', '"as ever"'])
  assert.deepEqual(reasons('It ends at once. Publish many at once, or 200 documents at once.'), ['"at once"'])
})

it('textProblems() reads texts and their plural forms', () => {
  const texts = { done: 'It ends at once.', count: { one: 'one', other: 'gone at once' } }
  assert.equal(textProblems(JSON.stringify(texts)).length, 2)
})
