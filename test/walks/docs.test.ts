/** The API reference at /docs in a real browser: reading, searching, trying operations, and the playground. */
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { buildDashboard } from '../../scripts/build-dashboard.ts'
import { describedApi } from '../../src/reference/described-api.ts'
import { openApiDocument } from '../../src/api/openapi/openapi.ts'
import { seedSample } from '../../src/content/seeds/seeding.ts'
import { accessibilityFindings, expectAccessible } from '../support/browser/accessibility.ts'
import { browserMissing, testBrowser, type Page } from '../support/browser/browser.ts'
import { startDashboard } from '../support/browser/dashboard.ts'
import { sidewaysFindings } from '../support/browser/room.ts'
import { MARKUP, spoilt, withHostileNames } from '../support/schema/hostile-description.ts'
import { storeEarlier } from '../support/service/earlier-documents.ts'
import { startService } from '../support/service/service.ts'

/** Maximum size of the scripts of the reference, with those that it shares with the dashboard; uncompressed. */
const SCRIPT_BYTES_MAX = 24_000

const { operations } = describedApi(openApiDocument({ version: '0.0.0' }))
const dashboard = await startDashboard()
const { service, cast } = dashboard
await seedSample(service.app.services.store, { flagBaseUrl: 'https://flags.example', now: service.now() })

function titleOf(id: string): string {
  return operations.find(({ operationId }) => operationId === id)?.summary ?? `no operation ${id}`
}

/** Goes to a section and opens its form. */
async function openForm(page: Page, operationId: string): Promise<Awaited<ReturnType<Page['find']>>> {
  await page.open(`/docs#/operations/${operationId}`)
  const section = await page.find({ role: 'region', name: titleOf(operationId) })
  await page.click({ role: 'DisclosureTriangle', name: 'Try it', within: section })
  await page.find({ role: 'button', name: 'Send', within: section })
  return section
}

function isAsking(page: Page): Promise<boolean> {
  return page.evaluate(() => document.querySelector('dialog[open]') !== null)
}

/** By keyboard: the focus is on what does nothing, and the next button sends. */
async function sayYes(page: Page): Promise<void> {
  await page.waitFor(() => isAsking(page), 'the question')
  await page.press('Tab', 'Enter')
}

it('the scripts of the reference are small', async () => {
  const read = async (path: string): Promise<string> => (await fetch(`${service.url}/${path}`)).text()
  const names = new Set([...(await read('docs')).matchAll(/(?:src|href)="(assets\/[^"]+\.js)"/g)].map(([, name = '']) => name))
  let bytes = 0
  for (const name of names) {
    const script = await read(name)
    bytes += Buffer.byteLength(script)
    // What it imports when it is opened, not what it does later.
    for (const [, imported = ''] of script.matchAll(/(?:\bfrom|\bimport)"\.\/([^"]+\.js)"/g)) names.add(`assets/${imported}`)
  }
  assert.ok(names.size > 0 && bytes > 1000)
  assert.ok(bytes <= SCRIPT_BYTES_MAX, `wanted at most ${SCRIPT_BYTES_MAX} bytes of scripts, found ${bytes}`)
})

describe('the API reference, for a publisher', { skip: browserMissing() }, () => {
  let page: Page
  before(async () => {
    page = await dashboard.openAs(cast.publisher, 'docs')
  })

  it('sends a request that only reads, and shows what came', async () => {
    const section = await openForm(page, 'list')
    await page.fill({ role: 'textbox', name: /^filter/, within: section }, '{"status":"draft"}')
    await page.fill({ role: 'textbox', name: /^limit/, within: section }, '1')
    await page.click({ role: 'button', name: 'Send', within: section })
    await page.reads(/200 OK/, section)
    const response = await page.text({ role: 'group', name: 'Response body', within: section })
    assert.equal((JSON.parse(response) as { data: { items: { status: string }[] } }).data.items[0]?.status, 'draft')
    await page.expectNoProblems()
  })

  it('asks before it writes, and shows the refusal of what the reader may not', async () => {
    const section = await openForm(page, 'create')
    await page.select({ role: 'combobox', name: /^model/, within: section }, 'topic')
    assert.match((await page.find({ role: 'textbox', name: /^Body/, within: section })).value ?? '', /Harbours|iconUrl/)
    const sent = async (): Promise<number> =>
      (await page.requests()).filter(({ method, url }) => method === 'POST' && /\/data\?/.test(url)).length
    await page.click({ role: 'button', name: 'Send', within: section })
    await page.find({ role: 'dialog', name: 'Send this request?' })
    await page.press('Enter')
    await page.waitFor(async () => !(await isAsking(page)), 'the end of the question')
    assert.equal(await sent(), 0)
    await page.click({ role: 'button', name: 'Send', within: section })
    await sayYes(page)
    await page.reads(/403 Forbidden/, section)
    assert.equal(await sent(), 1)
    await page.fill({ role: 'textbox', name: /^Body/, within: section }, '{\n  "name": }')
    await page.click({ role: 'button', name: 'Send', within: section })
    await page.waitFor(async () => /Line 2, column 11: } cannot stand here/.test(await page.text(section)), 'the mistake')
    await page.expectNoProblems([{ status: 403, url: '/api/v1/data?model=topic' }])
  })

  it('shows no token, neither its own nor one that a response brings', async () => {
    const section = await openForm(page, 'signInAnonymously')
    await page.click({ role: 'button', name: 'Send', within: section })
    await sayYes(page)
    await page.reads(/a token, which is not shown/, section)
    const shown = await page.evaluate(() => [document, ...document.querySelectorAll('input, textarea')].map((one) => {
      return one instanceof Document ? one.documentElement.outerHTML : (one as HTMLInputElement).value
    }))
    assert.ok(shown.length > 1 && !shown.join().includes(cast.publisher.token))
    for (const { url } of await page.requests()) assert.ok(!url.includes(cast.publisher.token), url)
    await page.expectNoProblems()
  })

  it('plays with filters: documents and the plan, as one types, in an address to share', async () => {
    await page.open('/docs#/playground')
    const section = await page.find({ role: 'region', name: 'Filter playground' })
    await page.find({ role: 'heading', name: '10 documents, and more', within: section })
    await page.fill({ role: 'textbox', name: 'Filter', within: section }, '{"status": "archived"}')
    await page.fill({ role: 'textbox', name: 'Sort', within: section }, 'updatedAt:desc')
    // Between two keys there may be time for a response to what stands there by then.
    const told = /index on status, updatedAt:desc.*decided by SQL.*as asked.*inline.*9 read, 9 returned/s
    await page.waitFor(async () => told.test(await page.text(section)), 'the plan')
    await page.click({ role: 'DisclosureTriangle', name: 'SQL', within: section })
    await page.reads(/SELECT .* FROM "headline"/, section)
    const address = await page.url()
    await page.open('/robots.txt')
    await page.open(address)
    await page.reads(/index on status, updatedAt:desc/)
    assert.equal(await page.evaluate(() => document.querySelector('textarea')?.value), '{"status": "archived"}')
    await page.expectNoProblems()
  })

  it('is accessible in both themes, with forms and schemas open', async () => {
    // The playground requests its list when it is scrolled into view, and a walk through the page checks what was there before.
    await page.open('/robots.txt')
    await page.open('/docs#/playground')
    await page.find({ role: 'heading', name: 'Plan' })
    await openForm(page, 'replace')
    await expectAccessible(page, { stopsMax: 90 })
    await page.expectNoProblems()
  })
})

describe('the API reference, in the language of the reader', { skip: browserMissing() }, () => {
  it('has its controls in the language of the dashboard, and marks what is in English', async () => {
    const page = await dashboard.openAs(cast.publisher, 'docs#/operations/list', { language: 'de' })
    await page.loaded()
    const section = await page.find({ role: 'region', name: titleOf('list') })
    await page.reads(/Angemeldet als/)
    await page.click({ role: 'DisclosureTriangle', name: 'Ausprobieren', within: section })
    await page.click({ role: 'button', name: 'Senden', within: section })
    await page.find({ role: 'group', name: 'Inhalt der Antwort', within: section })
    await page.fill({ role: 'searchbox', name: 'Suche' }, 'wholesale nonsense')
    await page.reads(/Nichts gefunden/)
    const languageOf = (selector: string): Promise<string | undefined> =>
      page.evaluate((wanted) => document.querySelector(wanted)?.closest<HTMLElement>('[lang]')?.lang, selector)
    const found = ['.search', 'h1', '[id="/operations/list-title"]', '.try button > span', '[id^="/guides/"] p', '#contents ul ul, #contents a[href="#/operations/list"]'].map(languageOf)
    assert.deepEqual(await Promise.all(found), ['de', 'en', 'en', 'de', 'en', 'en'])
    await page.expectNoProblems()
  })

  it('keeps what was typed when another language is chosen, which the dashboard has then, too', async () => {
    const page = await dashboard.openAs(cast.publisher, 'docs#/playground')
    await page.loaded()
    await page.fill({ role: 'textbox', name: 'Filter' }, '{"status": }')
    await page.reads(/Line 1, column 12/)
    await page.select({ role: 'combobox', name: 'Language' }, 'العربية')
    const filter = await page.find({ role: 'textbox', name: 'المرشح' })
    assert.equal(filter.value, '{"status": }')
    assert.equal(await page.evaluate(() => document.activeElement?.className), 'language')
    assert.deepEqual(await page.evaluate(() => [document.documentElement.dir, document.querySelector('main')?.dir]), ['rtl', 'ltr'])
    await page.evaluate(() => {
      for (const one of document.querySelectorAll<HTMLDetailsElement>('[id="/operations/create"] details')) one.open = true
    })
    await page.find({ role: 'button', name: 'إرسال', within: await page.find({ role: 'region', name: titleOf('create') }) })
    assert.deepEqual(await accessibilityFindings(page, { keyboard: false }), [])
    for (const width of [1024, 320, 1280]) {
      await page.resize({ width, height: 740 })
      assert.deepEqual(await sidewaysFindings(page), [], `${width} pixels`)
    }
    await page.open('/')
    await page.find({ role: 'heading', name: 'نظرة عامة' })
    await page.expectNoProblems()
  })
})

describe('the API reference, against attacks', { skip: browserMissing() }, () => {
  let page: Page
  before(async () => {
    page = await dashboard.openAs(cast.standard, 'docs')
  })

  it('does nothing with a hostile address', async () => {
    const inOneGo = '#/playground?model=__proto__&limit=1e99&sort=%00&filter=%7B'
    for (const hash of [
      inOneGo,
      '#javascript:document.title=1',
      '#/operations/__proto__',
      '#/%3Cimg src=x onerror=alert(1)%3E',
      '#/%',
      '#/operations/%00"]',
      `#/playground?filter=${'['.repeat(50_000)}`,
    ]) {
      await page.open(`/docs${hash}`)
      await page.evaluate(() => new Promise((done) => requestAnimationFrame(done)))
      assert.deepEqual(
        await page.evaluate(() => [
          document.title,
          document.querySelectorAll('img').length,
          document.querySelectorAll('h1').length,
        ]),
        ['Dateline API', 0, 1],
        hash.slice(0, 60),
      )
    }
    await page.reload()
    await page.find({ role: 'heading', name: /^Dateline API/ })
    await page.loaded()
    const sent = (await page.requests()).filter(({ method }) => method !== 'GET')
    assert.deepEqual(sent, [])
    await page.expectNoProblems()
  })

  it('shows markup in titles of documents as text', async () => {
    await storeEarlier(service, 'topic', { name: MARKUP, description: MARKUP, iconUrl: 'javascript:alert(1)' })
    await page.open(`/docs#/playground?model=topic&filter=${encodeURIComponent(JSON.stringify({ name: MARKUP }))}`)
    await page.click({ role: 'DisclosureTriangle', name: MARKUP })
    await page.find({ role: 'group', name: 'Document' })
    await page.reads(/Publishers and administrators see it/)
    await page.expectNoProblems()
  })

  it('shows markup in the declarations as text', async (t) => {
    const description = withHostileNames(spoilt(openApiDocument({ version: '0.0.0' })))
    const { assets } = await buildDashboard({ description })
    const { url } = await startService(t, {}, { pageAssets: assets })
    const hostile = await testBrowser(t).open(url)
    await hostile.open('/docs#/operations/list')
    await hostile.loaded()
    await hostile.reads(/<img src=x/)
    await hostile.fill({ role: 'searchbox', name: 'Search' }, 'img src=x')
    // Results are there, the folds of hostile schemas are filled, and all examples shown.
    const found = await hostile.evaluate(async () => {
      const results = document.querySelectorAll('.results a').length
      for (const fold of document.querySelectorAll('details')) fold.open = /<img/.test(fold.id + fold.dataset['members'])
      for (const choice of document.querySelectorAll('select')) choice.dispatchEvent(new Event('change', { bubbles: true }))
      await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))
      const foreign = [...document.querySelectorAll('a')].filter(({ protocol }) => !/^https?:$/.test(protocol))
      return [document.title, results, foreign.length, document.querySelectorAll('img, main script, [onerror]').length]
    })
    assert.deepEqual(found, ['Dateline API', 30, 0, 0])
    await hostile.expectNoProblems()
  })
})

describe('the API reference, signed out', { skip: browserMissing() }, () => {
  let page: Page
  before(async () => {
    page = await dashboard.open('docs')
  })

  it('can be read, says where to sign in, and sends nothing that needs a session', async () => {
    const section = await openForm(page, 'me')
    await page.reads(/You are not signed in/, section)
    const link = await page.find({ role: 'link', name: 'Sign in to the dashboard', within: section })
    assert.equal(await page.inspect(link, (one) => (one as HTMLAnchorElement).href), `${service.url}/`)
    assert.equal((await page.find({ role: 'button', name: 'Send', within: section })).states['disabled'], true)
    const open = await openForm(page, 'health')
    await page.click({ role: 'button', name: 'Send', within: open })
    await page.reads(/200 OK/, open)
    await page.open('/docs#/playground')
    await page.loaded()
    assert.ok((await page.requests()).every(({ headers }) => headers['Authorization'] === undefined))
    assert.ok((await page.requests()).every(({ url }) => !url.includes('/api/v1/data')))
    await page.expectNoProblems()
  })
})
