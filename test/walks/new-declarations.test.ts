// night: it copies and builds the whole program
/**
 * A new model and a new field appear in the dashboard by their declaration alone: the program is copied, a model is
 * declared in one file and one line, a field in one line, and nothing else is touched.
 */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, describe, it } from 'node:test'
import { buildDashboard } from '../../scripts/build-dashboard.ts'
import { PAGE_ASSETS_FILE, packAssets } from '../../src/app/page-assets.ts'
import { browserMissing, testBrowser } from '../support/browser/browser.ts'
import { temporaryDirectory } from '../../scripts/tools/temporary-directory.ts'

const ROOT = join(import.meta.dirname, '../..')
const EMAIL = 'editor@example.org'

const PODCAST = `import { constant, createdAt, id, model, nonBlankText, text, updatedAt } from './schema.ts'
import { status } from './workflow.ts'

export const podcast = model({
  name: 'podcast',
  description: '',
  fields: { id: id(), name: nonBlankText(), hostName: text(), createdAt: createdAt(), updatedAt: updatedAt(), status: status(), type: constant('podcast') },
  extras: 'keep',
  access: { list: 'everybody', read: 'everybody', create: 'admin', replace: 'admin', remove: 'admin' },
  search: ['name'],
  indexes: [['name'], ['updatedAt:desc']],
})
`

/** The program with one more model, and one more field of topics. */
async function copyWithDeclarations(): Promise<string> {
  const root = temporaryDirectory({ after })
  for (const part of ['src', 'data', 'package.json']) cpSync(join(ROOT, part), join(root, part), { recursive: true })
  const change = (path: string, from: string, to: string): void => {
    const text = readFileSync(join(root, path), 'utf8')
    assert.ok(text.includes(from), `${path} has no ${from}`)
    writeFileSync(join(root, path), text.replace(from, to))
  }
  writeFileSync(join(root, 'src/models/podcast.ts'), PODCAST)
  change('src/models/registry.ts', 'import { remoteConfig }', "import { podcast } from './podcast.ts'\nimport { remoteConfig }")
  change('src/models/registry.ts', '  language,\n', '  language,\n  podcast,\n')
  change('src/models/topic.ts', '    createdAt: createdAt(),\n', '    houseMotto: text(),\n    createdAt: createdAt(),\n')
  const { assets } = await buildDashboard({ root })
  mkdirSync(join(root, 'dist/dashboard'), { recursive: true })
  writeFileSync(join(root, 'dist/dashboard', PAGE_ASSETS_FILE), packAssets(assets))
  return root
}

describe('what is newly declared', { skip: browserMissing() }, () => {
  const browser = testBrowser({ after })

  it('has its list, its search and its editor without a change of the dashboard', async () => {
    const root = await copyWithDeclarations()
    const data = ['--data-dir', join(root, 'data-directory')]
    const start = (...words: readonly string[]) => {
      const child = spawn(process.execPath, [join(root, 'src/main.ts'), ...words, ...data], {
        stdio: ['ignore', 'pipe', 'ignore'],
      })
      return { child, lines: createInterface({ input: child.stdout })[Symbol.asyncIterator]() }
    }
    const service = start('serve', '--port', '0', '--admin-email', EMAIL)
    after(async () => {
      service.child.kill()
      if (service.child.exitCode === null) await once(service.child, 'exit')
    })
    const ready: unknown = (await service.lines.next()).value
    const { url } = JSON.parse(String(ready)) as { readonly url: string }
    const token = String((await start('token', '--email', EMAIL).lines.next()).value)

    const page = await browser.open(url)
    await page.open('/robots.txt')
    await page.evaluate((kept) => sessionStorage.setItem('dateline.token', kept), token)
    await page.open('/')
    await page.click({ role: 'link', name: 'Podcasts' })
    await page.find({ role: 'heading', name: 'Podcasts' })
    await page.open('/#/podcasts/new')
    await page.fill({ role: 'textbox', name: 'Name' }, 'Tide tables')
    await page.fill({ role: 'textbox', name: 'Host name' }, 'Ada')
    await page.click({ role: 'button', name: 'Publish' })
    await page.find({ role: 'heading', name: 'Tide tables' })
    await page.click({ role: 'link', name: 'Podcasts', within: await page.find({ role: 'navigation', name: 'Main' }) })
    await page.fill({ role: 'searchbox', name: 'Search Podcasts' }, 'tables')
    await page.find({ role: 'row', name: /Tide tables/ })

    await page.open('/#/topics/new')
    await page.find({ role: 'textbox', name: 'House motto' })
    await page.expectNoProblems([{ status: 400, url: '/data/check' }])
  })
})
