/** Guides as sections of the page at /docs. */
import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { describe, it } from 'node:test'
import { guideTitle, guideView } from '../../src/reference/guide-view.ts'
import { GUIDES, readGuide } from '../../src/guides/guides.ts'
import { MARKUP } from '../support/schema/hostile-description.ts'

const view = (markdown: string): string => guideView({ topic: 'mail', markdown: `# Mail\n\n${markdown}` }).markup
/** What follows the heading. */
const body = (markdown: string): string =>
  view(markdown)
    .replace(/^[^]*?<\/a>\n<\/div>/, '')
    .replace('</section>', '')
    .replace(/\n/g, '')

describe('a guide in the reference', () => {
  for (const [name, markdown, wanted] of [
    ['a paragraph', 'one **two** *three* `four`', '<p>one <strong>two</strong> <em>three</em> <code>four</code></p>'],
    ['a list', '- one\n- two', '<ul><li>one</li><li>two</li></ul>'],
    ['an ordered list', '1. one\n2. two', '<ol><li>one</li><li>two</li></ol>'],
    ['an ordered list that goes on', '2. two\n3. three', '<ol start="2"><li>two</li><li>three</li></ol>'],
    ['a heading of the third level', '### Two words', '<h4 id="/guides/mail/two-words">Two words</h4>'],
    [
      'a table',
      '| a |\n|---|\n| `b` |',
      '<table><thead><tr><th scope="col">a</th></tr></thead><tbody><tr><td><code>b</code></td></tr></tbody></table>',
    ],
    ['a link to a guide', '[it](backups.md)', '<p><a href="#/guides/backups">it</a></p>'],
    ['a link to a part of a guide', '[it](backups.md#the-file)', '<p><a href="#/guides/backups/the-file">it</a></p>'],
    ['a link within the guide', '[it](#two-words)', '<p><a href="#/guides/mail/two-words">it</a></p>'],
    ['a link to the web', '[it](https://example.org/?a=1&b)', '<p><a href="https://example.org/?a=1&amp;b">it</a></p>'],
    ['a link to a file of the repository', '[it](../examples/tide.ts)', '<p>it</p>'],
  ] as const) {
    it(`shows ${name}`, () => assert.equal(body(markdown), wanted))
  }

  it('shows code that names this service with its URL', () => {
    const shown = body('```sh\ncurl http://127.0.0.1:8080/healthz\n```')
    assert.match(shown, /curl <span data-service>[^<]*<\/span>\/healthz<\/code>/)
  })

  it('has a section with an id of its own for each heading of the second level', () => {
    const html = view('one\n\n## Two `words`\n\ntwo')
    const ids = [...html.matchAll(/<section id="([^"]*)"/g)].map(([, id]) => id)
    assert.deepEqual(ids, ['/guides/mail', '/guides/mail/two-words'])
    assert.match(html, /data-kind="Guide" data-title="Two words"/)
    assert.equal(guideTitle({ topic: 'mail', markdown: '# The `mail`' }), 'The mail')
  })

  it('shows markup as text, and follows no link that could run code', () => {
    for (const markdown of [
      MARKUP,
      `- ${MARKUP}`,
      `## ${MARKUP}`,
      `| ${MARKUP} |\n|---|\n| ${MARKUP} |`,
      `\`\`\`sh\n${MARKUP}\n\`\`\``,
      `\`${MARKUP}\``,
      `[${MARKUP}](https://example.org/"onclick="alert(1))`,
    ]) {
      assert.doesNotMatch(view(markdown), /<(?:img|script)|" ?onclick/, markdown)
    }
    for (const target of ['javascript:x', 'data:text/html,x', '//evil.example', 'JavaScript:x.md', 'mail.md?x']) {
      assert.equal(body(`[it](${target})`), '<p>it</p>', target)
    }
  })
})

it('every file of data/guides is a guide with a title', () => {
  const files = readdirSync(new URL('../../data/guides', import.meta.url)).sort()
  assert.deepEqual(GUIDES.map(({ topic }) => `${topic}.md`).sort(), files)
  for (const { topic } of GUIDES) assert.match(readGuide(topic), /^# \S/, topic)
})
