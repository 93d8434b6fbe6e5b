/** What the README and the guides say about the program is what the program is. */
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { posix, join } from 'node:path'
import { it } from 'node:test'
import { OPERATORS } from '../../src/api/openapi/openapi-filter.ts'
import { SETTINGS } from '../../src/config/settings.ts'
import { parseMarkdown, type Block, type Span, type Spans } from '../../src/guides/markdown.ts'
import { DOCUMENTS, ROOT } from '../support/service/documented-commands.ts'
import { runHere } from '../support/service/in-process.ts'

function guide(topic: string): string {
  return DOCUMENTS.get(`data/guides/${topic}.md`) ?? ''
}

it('the table of settings is that of the program', () => {
  for (const { flag, environment, shown, meaning } of SETTINGS) {
    const row = `| \`${flag}\` | ${environment.map((name) => `\`${name}\``).join(', ')} | ${shown} | ${meaning} |`
    assert.ok(guide('settings').includes(`${row}\n`), `the guide lacks the row ${row}`)
  }
})

it('the table of operators is that of the program', () => {
  for (const { name, about, example } of OPERATORS) {
    const row = `| \`${name}\` | ${about} | \`${JSON.stringify(example).replaceAll('|', '\\|')}\` |`
    assert.ok(guide('queries').includes(`${row}\n`), `the guide lacks the row ${row}`)
  }
})

it('the table of commands is that of the program', async () => {
  const { stdout } = await runHere(['help'])
  const [commands = ''] = stdout.split('\nGuides:')
  const names = [...commands.matchAll(/^ {2}(\w[\w-]*(?: \w[\w-]*)?) {2,}/gm)].map(([, name = '']) => name)
  assert.ok(names.length > 10, stdout)
  const rows = [...guide('operations').matchAll(/^\| `([a-z][a-z-]*(?: [a-z][a-z-]*)?)(?: [^`]*)?`/gm)].map(([, name = '']) => name)
  assert.deepEqual(
    names.filter((name) => !rows.includes(name)),
    [],
  )
})

/** The targets of all links of a document. */
function targetsIn(text: string): readonly string[] {
  const ofSpans = (spans: Spans): readonly string[] =>
    spans.flatMap((span) => [
      ...(span.kind === 'link' ? [span.target] : []),
      ...('spans' in span ? ofSpans(span.spans) : []),
    ])
  const ofBlock = (block: Block): readonly string[] => {
    if (block.kind === 'list') return block.items.flatMap(ofSpans)
    if (block.kind === 'table') return [block.header, ...block.rows].flat().flatMap(ofSpans)
    return block.kind === 'code' ? [] : ofSpans(block.spans)
  }
  return parseMarkdown(text).flatMap(ofBlock)
}

it('every link leads to a file', () => {
  let checked = 0
  for (const [path, text] of DOCUMENTS) {
    for (const target of targetsIn(text).filter((one) => !/^(?:https?:|#)/.test(one))) {
      const [file = ''] = target.split('#')
      assert.ok(existsSync(join(ROOT, posix.join(posix.dirname(path), file))), `${path} links to ${target}`)
      checked++
    }
  }
  assert.ok(checked > 20)
})

it('every path in the guide on contributing exists', () => {
  const paths = [...guide('contributing').matchAll(/`((?:src|test|data|scripts)\/[^`\s]*)`/g)].map(([, path = '']) => path)
  assert.ok(paths.length > 40)
  assert.deepEqual(
    paths.filter((path) => !existsSync(join(ROOT, path))),
    [],
  )
})

it('the walk of a request is a list of at most twelve files', () => {
  const lists = parseMarkdown(guide('contributing')).flatMap((block) => (block.kind === 'list' && block.firstNumber !== undefined ? [block.items] : []))
  const walks = lists.filter((items) => items.every((spans) => isSource(spans[0])))
  assert.equal(walks.length, 4)
  for (const items of walks) {
    assert.ok(items.length <= 12)
    for (const [, ...rest] of items) assert.ok(!rest.some(isSource), 'one file an item')
  }
})

function isSource(span: Span | undefined): boolean {
  return span?.kind === 'code' && span.text.startsWith('src/')
}

it('the guides keep to the subset of Markdown that help and the pages print', () => {
  for (const [path, text] of DOCUMENTS) {
    // Only hosts of repositories show the README, and they know a picture for each colour scheme.
    const shown = path === 'README.md' ? text.replace(/^<picture>.*?^<\/picture>$/gms, '') : text
    const prose = shown.replace(/^```.*?^```$/gms, '').replace(/`[^`\n]*`/g, '')
    assert.doesNotMatch(prose, /!\[|^>|^ +- |<[a-z/][^@>]*>|^(?:\*|\+) |^=+$|^-{3,}$/m, path)
    const languages = [...text.matchAll(/^```(\S*)\n/gm)].map(([, language = '']) => language).filter((_, i) => i % 2 === 0)
    for (const language of languages) assert.match(language, /^(?:|sh|console|ts|json|ini|nginx|dockerfile|html)$/, path)
  }
})
