import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { parseMarkdown } from '../../src/guides/markdown.ts'

const text = (words: string) => ({ kind: 'text', text: words })
const code = (words: string) => ({ kind: 'code', text: words })

const BLOCKS = [
  { name: 'a heading', markdown: '## Two `words`', blocks: [{ kind: 'heading', level: 2, spans: [text('Two '), code('words')] }] },
  { name: 'a paragraph over lines', markdown: 'one\ntwo\n', blocks: [{ kind: 'paragraph', spans: [text('one two')] }] },
  {
    name: 'two paragraphs',
    markdown: 'one\n\ntwo',
    blocks: [
      { kind: 'paragraph', spans: [text('one')] },
      { kind: 'paragraph', spans: [text('two')] },
    ],
  },
  {
    name: 'a list after a paragraph, with an item over lines',
    markdown: 'These:\n- one\n  more\n- two',
    blocks: [
      { kind: 'paragraph', spans: [text('These:')] },
      { kind: 'list', firstNumber: undefined, items: [[text('one more')], [text('two')]] },
    ],
  },
  { name: 'a paragraph that goes on with a number', markdown: 'The status is\n409. Try again.', blocks: [{ kind: 'paragraph', spans: [text('The status is 409. Try again.')] }] },
  { name: 'an ordered list', markdown: '1. one\n2. two', blocks: [{ kind: 'list', firstNumber: 1, items: [[text('one')], [text('two')]] }] },
  {
    name: 'a table with empty cells and an escaped bar',
    markdown: '| a | |\n|---|---|\n| `x\\|y` | z |',
    blocks: [{ kind: 'table', header: [[text('a')], []], rows: [[[code('x|y')], [text('z')]]] }],
  },
  {
    name: 'code, in which nothing else is seen',
    markdown: '```sh\n# a `b`\n\n- c\n```\nend',
    blocks: [
      { kind: 'code', language: 'sh', text: '# a `b`\n\n- c' },
      { kind: 'paragraph', spans: [text('end')] },
    ],
  },
  { name: 'nothing for a comment', markdown: '<!-- endpoints -->\n\na', blocks: [{ kind: 'paragraph', spans: [text('a')] }] },
]

const SPANS = [
  { markdown: '`**a** [b](c)`', spans: [code('**a** [b](c)')] },
  { markdown: '**a `b`** *c*', spans: [{ kind: 'strong', spans: [text('a '), code('b')] }, text(' '), { kind: 'emphasis', spans: [text('c')] }] },
  { markdown: 'see [the `api`](api.md#x).', spans: [text('see '), { kind: 'link', target: 'api.md#x', spans: [text('the '), code('api')] }, text('.')] },
  { markdown: '2 * 3 * 4 and snake_case_name', spans: [text('2 * 3 * 4 and snake_case_name')] },
]

describe('parseMarkdown()', () => {
  for (const { name, markdown, blocks } of BLOCKS) it(`reads ${name}`, () => assert.deepEqual(parseMarkdown(markdown), blocks))

  for (const { markdown, spans } of SPANS) {
    it(`reads ${markdown}`, () => assert.deepEqual(parseMarkdown(markdown), [{ kind: 'paragraph', spans }]))
  }
})
