/** Feeds: a site becomes a feed by its address, rules are tried, lists are imported, failures are mended, and one story of two feeds is merged. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { DAY_MS } from '../../src/base/duration.ts'
import type { JsonObject } from '../../src/base/json.ts'
import { expectAccessible } from '../support/browser/accessibility.ts'
import { browserMissing, type Page } from '../support/browser/browser.ts'
import { button, confirm, link, startDashboard } from '../support/browser/dashboard.ts'
import { sidewaysFindings } from '../support/browser/room.ts'
import { serverThat } from '../support/service/scripted-http.ts'

const dashboard = await startDashboard({ outboundAllow: '127.0.0.1' })
const { service, cast } = dashboard
const HOSTILE = `<img src=x onerror="window.hacked=1"><script>window.hacked=2</script>`
const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
const item = (id: string, title: string, category = ''): string =>
  `<item><guid>${id}</guid><title>${escaped(escaped(title))}</title><link>https://harbour.example.org/${id}</link><category>${category}</category>` +
  `<description>Two boats a day.</description><enclosure url="https://harbour.example.org/${id}.jpg" type="image/jpeg" length="1"/></item>`
const rss = (title: string, ...items: readonly string[]): string =>
  `<rss version="2.0"><channel><title>${title}</title><link>https://harbour.example.org</link><description>A small paper</description><language>is</language>${items.join('')}</channel></rss>`
const alternate = (href: string, title: string): string => `<link rel="alternate" type="application/rss+xml" title="${title}" href="${href}">`

const PATHS: Record<string, string> = {
  '/': `<html><head>${alternate('/feed.xml', 'The Harbour Post')}${alternate('/sport.xml', 'Harbour Sport')}</head></html>`,
  '/feed.xml': rss('The Harbour Post', item('ferry', 'New ferry line opens'), item('regatta', 'Regatta won', 'Sport'), item('hostile', HOSTILE, 'Sport')),
  '/sport.xml': rss('Harbour Sport', item('sail', 'Sailing begins')),
  '/island.xml': rss('The Island Gazette', item('island', 'New Ferry Line opens!')),
}
const { url } = await serverThat({ after }, ({ url: path = '' }, response) => {
  const body = PATHS[path]
  if (body === undefined) response.writeHead(404).end()
  else response.writeHead(200, { 'content-type': path === '/' ? 'text/html' : 'application/rss+xml' }).end(body)
})

async function storeFeed(members: JsonObject): Promise<string> {
  const body = { topic: null, country: null, language: null, arrival: 'draft', paused: false, rules: [], retentionDays: null, retentionItems: null, username: '', siteUrl: '', ...members }
  const response = await service.data('POST', '', { model: 'feed' }, { token: cast.admin.token, body })
  assert.equal(response.status, 201, response.text)
  await service.app.feeds.idle()
  return String(response.at('data.id'))
}
const feeds = async (): Promise<readonly JsonObject[]> => (await service.call('GET', '/api/v1/feeds', { token: cast.admin.token })).at('data.items') as readonly JsonObject[]
const isUnharmed = (page: Page): Promise<boolean> => page.evaluate(() => !('hacked' in window) && document.querySelector('main img:not(.picture), main script') === null)

describe('feeds', { skip: browserMissing() }, () => {
  let page: Page
  let [topic, source] = ['', '']
  before(async () => {
    topic = await dashboard.store('topic', { name: 'Harbours' })
    source = await dashboard.store('source', { name: 'The Quay', url: 'https://quay.example.org' })
    page = await dashboard.openAs(cast.admin, '#/feeds')
  })
  const choose = async (name: string, text: string): Promise<void> => {
    await page.fill({ role: 'combobox', name }, text)
    await page.click({ role: 'option', name: new RegExp(text) })
  }

  it('an administrator adds one by the address of a site, with a new source', async () => {
    await page.find({ role: 'StaticText', name: 'There are no feeds yet' })
    await expectAccessible(page)
    await page.click(link('Add a feed'))
    await page.fill({ role: 'textbox', name: 'Address of a feed or site' }, 'http://127.0.0.2/')
    await page.click(button('Preview'))
    await page.reads(/No feed was found\. .*outbound-allow/, { role: 'main' })
    await page.fill({ role: 'textbox', name: 'Address of a feed or site' }, url)
    await page.click(button('Preview'))
    await page.find({ role: 'heading', name: 'The Harbour Post' })
    for (const name of [/The Harbour Post .*feed\.xml/, /Harbour Sport .*sport\.xml/]) await page.find({ role: 'radio', name })
    await page.reads(/Missing: a country and a topic/, { role: 'main' })
    assert.ok(await isUnharmed(page), 'a title is text')
    await page.reads(/<script>window\.hacked=2<\/script>/, { role: 'main' })
    await choose('Topic', 'Harbours')
    await choose('Country', 'Iceland')
    // The driver tells of a choice by `change` alone, browsers by `input` as well.
    await page.select({ role: 'combobox', name: 'Items arrive as' }, 'Published')
    await page.inspect({ role: 'combobox', name: 'Items arrive as' }, (select) => void select.dispatchEvent(new Event('input')))
    assert.ok(!(await page.text({ role: 'main' })).includes('Missing'))
    const published = (): Promise<boolean> => page.evaluate(() => document.querySelectorAll('.preview-items .tag.good').length === 3)
    await page.waitFor(published, 'the items to be published')
    assert.equal((await page.find({ role: 'textbox', name: 'Name' })).value, 'The Harbour Post')
    assert.equal((await page.find({ role: 'combobox', name: 'Language', within: await page.find({ role: 'main' }) })).value, 'Icelandic')
    assert.equal((await page.find({ role: 'combobox', name: 'Headquarters' })).value, 'Iceland')
    await page.click({ role: 'checkbox', name: 'Keep copies of the pictures of its items' })
    await expectAccessible(page)
    await page.click(button('Add a feed'))
    // The preview has the heading of the feed's own page.
    await page.gone(button('Preview'))
    await page.find({ role: 'heading', name: 'The Harbour Post' })
    await service.app.feeds.idle()
    await page.reload()
    await page.find(link('New ferry line opens'))
    await page.find(link(HOSTILE))
    assert.ok(await isUnharmed(page))
    const [made] = await feeds()
    assert.deepEqual([made?.['address'], made?.['status'], made?.['itemsOfDay']], [`${url}/feed.xml`, 'working', 3])
    assert.equal((await dashboard.read('feed', String(made?.['id'])))['keepsPictures'], true)
    await page.reads(/its pictures are not kept, as this site does not know its own address: set --public-url/i, { role: 'main' })
    await expectAccessible(page)
    await page.expectNoProblems([{ status: 400, url: '/admin/feeds/preview' }])
  })

  it('a rule shows which of the last items it touches, and is stored', async () => {
    await page.click(button('Add a rule'))
    await page.select({ role: 'combobox', name: 'Which text' }, 'Categories')
    await page.fill({ role: 'textbox', name: 'Text' }, 'sport')
    await page.reads(/Tried on the last 3 items; dropped: 0/, { role: 'main' })
    await page.click({ role: 'checkbox', name: 'Drop these items: they become no headlines' })
    await page.reads(/Tried on the last 3 items; dropped: 2/, { role: 'main' })
    await page.click({ role: 'DisclosureTriangle', name: 'Finds 2 items' })
    await page.reads(/Regatta won/, await page.find({ role: 'group', name: 'Rule 1' }))
    assert.ok(await isUnharmed(page))
    await page.select({ role: 'combobox', name: 'For items where' }, 'A filter finds them')
    await page.fill({ role: 'textbox', name: 'Filter as JSON' }, '{"titel":"x"}')
    await page.reads(/members of an item/, await page.find({ role: 'group', name: 'Rule 1' }))
    await page.select({ role: 'combobox', name: 'For items where' }, 'A text contains')
    await page.reads(/dropped: 2/, { role: 'main' })
    await expectAccessible(page)
    await page.click(button('Save'))
    const [made] = await feeds()
    const stored = (): Promise<JsonObject> => dashboard.read('feed', String(made?.['id']))
    await page.waitFor(async () => ((await stored())['rules'] as readonly unknown[]).length === 1, 'the rule to be stored')
    assert.deepEqual(((await stored())['rules'] as readonly JsonObject[])[0]?.['filter'], '{"categories":{"$regex":"sport","$options":"i"}}')
    await page.expectNoProblems([{ status: 400, url: '/feeds/rules' }])
  })

  it('one story of two feeds is shown as also in the other, and merged', async () => {
    const island = await storeFeed({ title: 'The Island Gazette', address: `${url}/island.xml`, source: { id: source }, topic: { id: topic } })
    const own = String((await service.call('GET', `/api/v1/feeds/${island}/items`, { token: cast.admin.token })).at('data.items.0.headline'))
    await page.open(`/#/headlines/${own}`)
    await page.find(link('The Island Gazette'))
    await page.find({ role: 'heading', name: 'Also in' })
    await page.find(link('New ferry line opens'))
    // A draft that lacks something takes the place of none.
    await page.gone(button(/^Merge/))
    await expectAccessible(page)
    await page.click(link('New ferry line opens'))
    await page.find(link('New Ferry Line opens!'))
    await page.click(button('Merge: The Island Gazette'))
    await confirm(page, 'Merge')
    await page.gone({ role: 'heading', name: 'Also in' })
    const all = await service.data('GET', '', { model: 'headline', incomplete: true }, { token: cast.admin.token, isUndescribed: true })
    assert.deepEqual((all.at('data.items') as readonly JsonObject[]).map(({ title }) => String(title)).filter((title) => /ferry/i.test(title)), ['New ferry line opens'])
    await page.expectNoProblems()
  })

  it('a feed that fails says what helps, and takes the address that its site names', async () => {
    PATHS['/'] = alternate('/moved.xml', 'Lost Times')
    PATHS['/moved.xml'] = rss('Lost Times', item('lost', 'Found again'))
    const lost = await storeFeed({ title: 'Lost Times', address: `${url}/lost.xml`, source: { id: source } })
    for (let day = 0; day < 4; day++) {
      service.advance(DAY_MS)
      await service.app.feeds.idle()
    }
    await page.open('/#/feeds?q=Lost')
    await page.reads(/There is nothing at this address \(404\)[^]*The site names http:[^]*moved\.xml as its feed[^]*Failing since/, { role: 'main' })
    await expectAccessible(page)
    await page.click(button(/^Pause: Lost Times$/))
    await page.find(button('Resume: Lost Times'))
    await page.click(button('Resume: Lost Times'))
    await page.find(button('Pause: Lost Times'))
    await page.click(button(/^Use that address: http.*: Lost Times$/))
    await page.waitFor(async () => (await dashboard.read('feed', lost))['address'] === `${url}/moved.xml`, 'the address to be taken')
    await page.click(button('Delete: Lost Times'))
    await page.reads(/Its headlines stay/, await page.find({ role: 'dialog' }))
    await confirm(page, 'Delete')
    await page.gone(link('Lost Times'))
    await page.click(button('Undo'))
    await page.find(link('Lost Times'))
    await page.expectNoProblems()
  })

  it('the audit trail names feeds where they act and are acted on, and leads to them', async () => {
    const [harbour] = (await feeds()).filter(({ title }) => title === 'The Harbour Post')
    const hrefs = (): Promise<readonly (string | null)[]> =>
      page.evaluate(() => ['.records td:nth-child(3)', '.records td:nth-child(5)'].map((cells) => [...document.querySelectorAll(`${cells} a`)].find((one) => one.textContent === 'The Harbour Post')?.getAttribute('href') ?? null))
    await page.open('/#/operations?part=audit')
    await page.find({ role: 'table', name: 'Audit trail' })
    const href = `#/feeds/${String(harbour?.['id'])}`
    assert.deepEqual(await hrefs(), [href, href])
    await page.expectNoProblems()
  })

  it('a list of 200 feeds is checked, then added, with a report by line', async () => {
    const lines = Array.from({ length: 200 }, (_, i) => `<outline type="rss" text="Paper ${i}" xmlUrl="${url}/paper-${i}.xml"/>`)
    const opml = `<opml version="2.0"><body>\n${lines.join('\n')}\n<outline text="Bad" xmlUrl="javascript:window.hacked=1"/>\n<outline text="${escaped(HOSTILE).replaceAll('"', '&quot;')}" xmlUrl="${url}/island.xml"/>\n</body></opml>`
    await page.open('/#/feeds/opml')
    await page.click(button('Check only'))
    await page.reads(/Choose a file/, { role: 'main' })
    await page.evaluate((text) => {
      const input = document.querySelector<HTMLInputElement>('input[type=file]')
      const files = new DataTransfer()
      files.items.add(new File([text], 'feeds.opml'))
      if (input !== null) input.files = files.files
    }, opml)
    await choose('Source', 'The Quay')
    await page.click(button('Check only'))
    await page.reads(/200 feeds would be added · known: 1, rejected: 1/, { role: 'main' })
    assert.equal((await feeds()).length, 3)
    await expectAccessible(page)
    await page.click(button('Add feeds'))
    await page.reads(/200 feeds added · known: 1, rejected: 1/, { role: 'main' })
    assert.ok(await isUnharmed(page))
    assert.equal((await feeds()).length, 203)
    await page.open('/#/feeds')
    await page.fill({ role: 'searchbox', name: 'Search feeds' }, 'Paper 199')
    await page.find(link('Paper 199'))
    await page.gone(link('Paper 198'))
    await page.expectNoProblems()
  })

  it('publishers see feeds, and change none; in German and in Arabic; on a phone', async () => {
    const reading = await dashboard.openAs(cast.publisher, '#/feeds?q=Harbour')
    await reading.find(link('The Harbour Post'))
    for (const name of [/^Fetch now:/, /^Pause:/, /^Delete:/]) await reading.gone(button(name))
    await reading.gone(link('Add a feed'))
    await reading.click(link('The Harbour Post'))
    await reading.find({ role: 'heading', name: 'Settings' })
    await reading.gone(button('Save'))
    assert.equal((await reading.find({ role: 'textbox', name: 'Title' })).states['disabled'], true)
    await expectAccessible(reading)
    await reading.expectNoProblems()
    for (const language of ['de', 'ar'] as const) {
      const own = await dashboard.openAs(cast.admin, '#/feeds?q=Harbour', { language })
      await own.find({ role: 'heading', name: language === 'de' ? 'Feeds' : 'الخلاصات' })
      for (const hash of ['#/feeds?q=Harbour', '#/feeds/rules', '#/feeds/opml', `#/feeds/new?address=${encodeURIComponent(`${url}/sport.xml`)}`]) {
        await own.open(`/${hash}`)
        await own.resize({ width: 1280, height: 800 })
        await own.loaded()
        await expectAccessible(own)
        await own.resize({ width: 360, height: 780 })
        assert.deepEqual(await sidewaysFindings(own), [], hash)
      }
      await own.expectNoProblems()
    }
  })
})
