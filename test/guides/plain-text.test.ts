import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { parseMarkdown } from '../../src/guides/markdown.ts'
import { plainText } from '../../src/guides/plain-text.ts'

const CASES = [
  { name: 'underlines the first two levels of headings', markdown: '# A b\n## C\n### D', text: 'A b\n===\n\nC\n-\n\nD\n' },
  { name: 'wraps at the width', markdown: 'aaaa bbbb cccc dddd eeee', text: 'aaaa bbbb cccc dddd\neeee\n' },
  { name: 'leaves a word that is longer than the width whole', markdown: `a ${'b'.repeat(30)} c`, text: `a\n${'b'.repeat(30)}\nc\n` },
  { name: 'indents the lines of an item', markdown: '- aaaa bbbb cccc dddd eeee\n- f', text: '- aaaa bbbb cccc\n  dddd eeee\n- f\n' },
  { name: 'numbers an ordered list', markdown: '1. a\n1. b', text: '1. a\n2. b\n' },
  { name: 'goes on with the numbers behind code', markdown: '1. a\n```\nb\n```\n2. c\n3. d', text: '1. a\n\n    b\n\n2. c\n3. d\n' },
  { name: 'never wraps code', markdown: `\`\`\`sh\n${'c'.repeat(30)}\n\nd\n\`\`\``, text: `    ${'c'.repeat(30)}\n\n    d\n` },
  { name: 'names the command for a link to a guide', markdown: '[x](api.md#errors)', text: 'x (dateline help\napi)\n' },
  { name: 'shows the target of a link to the web', markdown: '[x](https://a.b)', text: 'x (https://a.b)\n' },
  { name: 'shows a path once', markdown: '[`src/a.ts`](../../src/a.ts)', text: '`src/a.ts`\n' },
  { name: 'drops the marks of emphasis and keeps those of code', markdown: '**a** *b* `c`', text: 'a b `c`\n' },
  { name: 'aligns the columns of a table', markdown: '| a | b |\n|---|---|\n| `cc` | d |', text: 'a   b\n--  -\ncc  d\n' },
  {
    name: 'wraps the cells of a table that is too wide',
    markdown: '| a | b |\n|---|---|\n| cc | dddd eeee ffff gggg |',
    text: 'a   b\n--  ----------------\ncc  dddd eeee ffff\n    gggg\n',
  },
  {
    name: 'lists the rows of a table in which a column would be narrow',
    markdown: '| a | b | c |\n|---|---|---|\n| x | d d d d | e e e e e e e e e e e e e e e e |',
    text: 'x\n    b: d d d d\n    c: e e e e e e e\n    e e e e e e e e\n    e\n',
  },
  {
    name: 'lists the rows of a table whose words are too wide',
    markdown: `| a | b | |\n|---|---|---|\n| x | ${'d'.repeat(12)} | ${'e'.repeat(12)} |\n| y | | f |`,
    text: `x\n    b: ${'d'.repeat(12)}\n    ${'e'.repeat(12)}\n\ny\n    f\n`,
  },
]

describe('plainText() at 20 columns', () => {
  for (const { name, markdown, text } of CASES) it(name, () => assert.equal(plainText(parseMarkdown(markdown), 20), text))
})
