/** The lists of documents, in a real browser: finding, sorting, choosing and changing many, by hand and by keys. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { JsonObject } from '../../src/base/json.ts'
import { buildDashboard } from '../../scripts/build-dashboard.ts'
import { bodyOf } from '../../scripts/tools/data-bodies.ts'
import { browserMissing, testBrowser, type Page } from '../support/browser/browser.ts'
import { confirm } from '../support/browser/dashboard.ts'
import type { Signed } from '../support/service/service.ts'
import { startSuiteService } from '../support/service/suite-service.ts'

const HEADLINES = 130
const HOSTILE = '<img src=x onerror=alert(1)> \u202Egnp.exe\u202D <script>alert(2)</script>'

const { assets } = await buildDashboard()
const service = await startSuiteService({}, { pageAssets: assets })
const browser = testBrowser({ after })

describe('the list of headlines', { skip: browserMissing() }, () => {
  let page: Page
  let admin: Signed
  let publisher: Signed
  const ids: string[] = []
  let topics: readonly [string, string]

  async function make(model: string, members: JsonObject): Promise<string> {
    const body = { ...bodyOf(model), ...members }
    const response = await service.data('POST', '', { model }, { token: admin.token, body })
    assert.equal(response.status, 201, response.text)
    return String(response.at('data.id'))
  }

  async function statusOf(i: number): Promise<unknown> {
    const response = await service.data('GET', `/${ids[i]}`, { model: 'headline' }, { token: admin.token })
    return response.status === 200 ? response.at('data.status') : response.status
  }

  async function openAs(who: Signed, place: string): Promise<void> {
    await page.open('/')
    await page.evaluate((token) => sessionStorage.setItem('dateline.token', token), who.token)
    // Another address before the hash makes the browser reload the page.
    await page.open(`/?${Math.random()}#${place}`)
    await page.find({ role: 'grid', name: 'Headlines' })
  }

  /** The titles of the rows from top to bottom. */
  async function titles(): Promise<string[]> {
    return page.evaluate(() =>
      [...document.querySelectorAll('.table-body .row:not(.empty)')]
        .sort((a, b) => Number(a.getAttribute('aria-rowindex')) - Number(b.getAttribute('aria-rowindex')))
        .map((row) => row.querySelector('.main')?.textContent ?? ''),
    )
  }

  async function waitForTitles(first: string | undefined, count?: number): Promise<void> {
    const what = `${first} in the first of ${count ?? 'some'} rows`
    await page.waitFor(async () => {
      const found = await titles()
      return found[0] === first && (count === undefined || found.length === count)
    }, what)
  }

  function hash(): Promise<string> {
    return page.evaluate(() => location.hash)
  }

  function row(i: number) {
    return { role: 'checkbox', name: `Select Story ${String(i).padStart(3, '0')}` }
  }

  before(async () => {
    admin = await service.admin()
    publisher = await service.userWith('pia@example.org', { dashboardRole: 'publisher' })
    topics = [await make('topic', { name: 'Weather' }), await make('topic', { name: 'Sea' })]
    for (let i = 0; i < HEADLINES; i++) {
      service.advance(1000)
      ids.push(
        await make('headline', {
          title: i === 7 ? HOSTILE : `Story ${String(i).padStart(3, '0')}`,
          status: i % 10 === 3 ? 'draft' : 'active',
          topic: { id: topics[i % 2] ?? '' },
        }),
      )
    }
    page = await browser.open(service.url)
    await openAs(admin, '/headlines')
  })

  it('shows the newest first, and reads on to the end with few rows in the document', async () => {
    await waitForTitles('Story 129')
    const most = await page.evaluate(async () => {
      let rows = 0
      while (!/results/.test(document.querySelector('.table-foot')?.textContent ?? '')) {
        scrollTo(0, document.documentElement.scrollHeight)
        await new Promise((done) => requestAnimationFrame(done))
        rows = Math.max(rows, document.querySelectorAll('.table-body .row').length)
      }
      return rows
    })
    assert.ok(most < 60, `${most} rows were in the document at once`)
    await page.waitFor(async () => (await page.text()).includes(`${HEADLINES} results`), 'the end')
    await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight))
    await page.waitFor(async () => (await titles()).at(-1) === 'Story 000', 'the last row')
    assert.equal(await page.evaluate(() => document.querySelector('[role=grid]')?.getAttribute('aria-rowcount')), '131')
    assert.equal(await page.evaluate(() => document.querySelector('.screen-head .total')?.textContent), String(HEADLINES))
    await page.expectNoProblems()
  })

  it('shows markup and marks of direction in titles as text', async () => {
    await page.waitFor(async () => (await titles()).includes(HOSTILE), 'the hostile title')
    assert.equal(await page.evaluate(() => document.querySelectorAll('main img, main script').length), 0)
    await page.expectNoProblems()
  })

  it('comes back to where the reader was, with what is there by then', async () => {
    const before = await page.evaluate(() => scrollY)
    assert.ok(before > 1_000, `the end of the list is at ${before}`)
    await page.click({ role: 'link', name: 'Story 004' })
    await page.waitFor(async () => (await hash()) === `#/headlines/${ids[4]}`, 'the editor')
    await service.data('DELETE', `/${ids[2]}`, { model: 'headline' }, { token: admin.token })
    await page.back()
    await page.waitFor(async () => (await titles()).includes('Story 004'), 'the row that was opened')
    assert.ok(Math.abs((await page.evaluate(() => scrollY)) - before) < 60)
    await page.waitFor(async () => !(await titles()).includes('Story 002'), 'the row that is deleted to go')
    await page.press('j')
    await page.focuses(/^Story 004/)
    await page.expectNoProblems()
  })

  it('searches while the reader types, and keeps it in the address', async () => {
    await page.evaluate(() => scrollTo(0, 0))
    await page.press('/')
    await page.type({ role: 'searchbox', name: 'Search Headlines' }, 'story 12')
    await waitForTitles('Story 129', 10)
    assert.equal(await hash(), '#/headlines?q=story+12')
    await page.reload()
    await waitForTitles('Story 129', 10)
    await page.fill({ role: 'searchbox', name: 'Search Headlines' }, '')
    await page.waitFor(async () => (await hash()) === '#/headlines', 'the address of the whole list')
    await waitForTitles('Story 129')
    await page.expectNoProblems()
  })

  it('filters by what the server offers, shows it as chips, and takes it back', async () => {
    await page.click({ role: 'button', name: 'Filter' })
    await page.click({ role: 'button', name: 'Topic' })
    await page.type({ role: 'searchbox', name: 'Search Topic' }, 'wea')
    await page.click({ role: 'checkbox', name: 'Weather' })
    await waitForTitles('Story 128')
    await page.press('Escape')
    await page.click({ role: 'button', name: 'Filter' })
    await page.click({ role: 'button', name: 'Status' })
    await page.click({ role: 'checkbox', name: 'Draft' })
    await page.reads(/No results/)
    await page.press('Escape')
    await page.click({ role: 'button', name: 'Remove filter Topic: Weather' })
    await waitForTitles('Story 123', 13)
    await page.open(`/?shared#/headlines?topic=${topics[1]}&status=draft`)
    await waitForTitles('Story 123', 13)
    await page.click({ role: 'button', name: 'Clear all' })
    await waitForTitles('Story 129')
    await page.expectNoProblems()
  })

  it('filters by dates, by keys alone, shows it as a chip, and takes it back', async () => {
    await page.click({ role: 'button', name: 'Filter' })
    await page.click({ role: 'button', name: 'Updated', within: await page.find({ role: 'group', name: 'Filter' }) })
    await page.focuses('Today')
    await page.press('Enter')
    await page.reads(/No results/)
    assert.equal(await hash(), '#/headlines?updatedAt=today')
    await page.find({ role: 'button', name: 'Remove filter Updated: Today' })
    await page.press('Tab', 'Tab', 'Tab', '0', '3', '0', '1', '2', '0', '2', '6')
    await page.press('Enter')
    await waitForTitles('Story 129')
    assert.equal(await hash(), '#/headlines?updatedAt=2026-03-01..')
    await page.press('Escape')
    await page.click({ role: 'button', name: /^Remove filter Updated: since/ })
    await waitForTitles('Story 129')
    assert.equal(await hash(), '#/headlines')
    await page.expectNoProblems()
  })

  it('keeps a list under a name, which the menu and the palette open, also in another browser', async () => {
    await page.open('/?views#/headlines?status=draft&sort=title')
    await waitForTitles('Story 003', 13)
    await page.click({ role: 'button', name: 'Views' })
    await page.focuses('Name of this view')
    await page.type({ role: 'textbox', name: 'Name of this view' }, 'My drafts')
    await page.press('Enter')
    assert.equal(await page.inspect({ role: 'link', name: 'My drafts' }, (element) => element.getAttribute('aria-current')), 'page')
    await page.press('Escape')
    await page.evaluate(() => localStorage.removeItem('dateline.choices'))
    await page.open('/?other#/headlines')
    await waitForTitles('Story 129')
    await page.press('Ctrl+k')
    await page.type({ role: 'combobox', name: 'Search or run an action' }, 'my dr')
    await page.find({ role: 'option', name: /My drafts/ })
    await page.press('Enter')
    await waitForTitles('Story 003', 13)
    await page.expectNoProblems()
  })

  it('is in the order of the date that the documents of a tab have', async () => {
    await page.open('/?tab#/headlines?status=active')
    await page.find({ role: 'columnheader', name: /^Published/ })
    await waitForTitles('Story 129')
    await page.open('/?after#/headlines')
    await waitForTitles('Story 129')
    // Back leads from a tab to the one before, not out of the list.
    await page.click({ role: 'link', name: /^Drafts/ })
    await waitForTitles('Story 123')
    await page.back()
    await waitForTitles('Story 129')
    assert.equal(await hash(), '#/headlines')
    await page.expectNoProblems()
  })

  it('is walked by keys, which choose rows', async () => {
    await page.inspect({ role: 'button', name: 'Sort by Status' }, (button) => button.focus())
    await page.press('Tab')
    await page.focuses(/^Story 129/)
    await page.press('ArrowDown', 'ArrowDown', 'ArrowUp')
    await page.focuses(/^Story 128/)
    await page.press('Space', 'ArrowDown', 'Shift+ArrowDown')
    await page.reads(/3 selected/)
    // The bar covers no row that has the focus.
    await page.press('PageDown')
    const between = await page.evaluate(() => {
      const [row, bar] = ['.row:focus', '.bulk'].map((one) => document.querySelector(one)?.getBoundingClientRect())
      return row === undefined || bar === undefined ? undefined : bar.top - row.bottom
    })
    assert.ok(between !== undefined && between >= 0, `${between} pixels between the row and the bar`)
    await page.press('End')
    await page.press('Home')
    await page.focuses(/^Story 129/)
    await page.click({ role: 'button', name: 'Clear selection' })
  })

  // The table was as wide as the navigation, which is not printed.
  it('prints its rows on the whole page, in light colours, without what changes them', async () => {
    await page.evaluate(() => (document.documentElement.dataset['theme'] = 'dark'))
    await page.devTools('Emulation.setEmulatedMedia', { media: 'print' })
    const printed = await page.evaluate(() => ({
      share: (document.querySelector('.table')?.getBoundingClientRect().width ?? 0) / innerWidth,
      ground: getComputedStyle(document.documentElement).colorScheme,
      tools: [...document.querySelectorAll('nav, .top, .list-tools, .screen-head > .button')].filter((one) => one.checkVisibility()).length,
    }))
    await page.devTools('Emulation.setEmulatedMedia', { media: '' })
    await page.evaluate(() => delete document.documentElement.dataset['theme'])
    assert.ok(printed.share > 0.9, `${printed.share} of the page`)
    assert.deepEqual([printed.ground, printed.tools], ['light', 0])
  })

  it('chooses all that match, also those that are not loaded', async () => {
    await page.open('/?every#/headlines')
    await waitForTitles('Story 129')
    const total = HEADLINES - 1
    await page.find({ role: 'columnheader', name: /^Select all/ })
    await page.click({ role: 'checkbox', name: 'Select all loaded rows' })
    await page.reads(/\d+ selected/)
    assert.equal((await page.find({ role: 'checkbox', name: 'Select all loaded rows' })).states['checked'], 'mixed')
    await page.click({ role: 'button', name: `Select all ${total}` })
    await page.reads(new RegExp(`\\b${total} selected`))
    assert.equal((await page.findAll({ role: 'button', name: /^Select all/ })).length, 0)
    await page.click({ role: 'checkbox', name: 'Select all loaded rows' })
    await page.waitFor(async () => (await page.findAll({ role: 'button', name: 'Clear selection' })).length === 0, 'nothing to be chosen')
    await page.expectNoProblems()
  })

  it('changes many at once, and restores what has not changed since', async () => {
    await page.click(row(129))
    await page.inspect(row(125), (box) => {
      box.dispatchEvent(new MouseEvent('click', { bubbles: true, shiftKey: true }))
    })
    await page.reads(/5 selected/)
    await page.click({ role: 'button', name: 'Archive' })
    // One click took all of them offline.
    await page.reads(/Archive 5 headlines\?\s+5 of them are live and will disappear for readers/, { role: 'dialog' })
    assert.equal(await statusOf(125), 'active')
    await confirm(page, 'Archive')
    await page.find({ role: 'button', name: 'Undo' })
    assert.deepEqual(await Promise.all([124, 125, 129].map(statusOf)), ['active', 'archived', 'archived'])
    const { token } = admin
    const read = await service.data('GET', `/${ids[126]}`, { model: 'headline' }, { token })
    const body = { ...(read.at('data') as object), excerpt: 'Another user was here' }
    await service.data('PUT', `/${ids[126]}`, { model: 'headline' }, { token, body })
    await page.click({ role: 'button', name: 'Undo' })
    const dialog = await page.find({ role: 'dialog', name: '1 headline could not be changed' })
    await page.reads(/Story 126\s+Someone else changed it in the meantime/, dialog)
    await page.press('Escape')
    assert.deepEqual(await Promise.all([125, 126, 127].map(statusOf)), ['active', 'archived', 'active'])
    await page.expectNoProblems([{ status: 412, url: '/data/batch' }])
  })

  it('offers publishers the headlines, with all that they may do to them', async () => {
    await openAs(publisher, '/headlines')
    await page.find({ role: 'link', name: 'New' })
    await page.find(row(120))
    assert.deepEqual(await page.findAll({ role: 'link', name: 'Topics' }), [])
    await page.click(row(120))
    await page.click({ role: 'button', name: 'Unpublish' })
    await page.find({ role: 'button', name: 'Undo' })
    assert.equal(await statusOf(120), 'draft')
    await page.open(`/?own#/headlines?changedBy=${String(publisher.user['id'])}&changedBy=another`)
    await waitForTitles('Story 120', 1)
    await page.find({ role: 'button', name: 'Remove filter Changed by: you' })
    await page.find({ role: 'button', name: 'Remove filter Changed by: someone else' })
    await page.expectNoProblems()
  })
})
