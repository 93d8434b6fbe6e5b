/**
 * Every screen, and what can be opened on it, for everybody: without seeing it, with large text, with little room, with
 * the colours of the system, without motion. In Arabic, which turns everything around; the screens' own tests are English.
 */
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { PUBLICATION } from '../../scripts/tools/data-bodies.ts'
import type { JsonObject } from '../../src/base/json.ts'
import { accessibilityFindings } from '../support/browser/accessibility.ts'
import { browserMissing, type Page } from '../support/browser/browser.ts'
import { startDashboard } from '../support/browser/dashboard.ts'
import { focusFindings } from '../support/browser/focus-walk.ts'
import { coveredFocusFindings, sidewaysFindings } from '../support/browser/room.ts'
import { fingerFindings } from '../support/browser/finger-size.ts'

const dashboard = await startDashboard()
const { service, cast } = dashboard
const draft = await dashboard.store('headline', { status: 'draft' })
await dashboard.store('headline', { status: 'draft' })
const source = { id: await dashboard.store('source') }
const feedBody = { title: 'The Quay', address: 'https://feeds.example/', source, topic: null, country: null, language: null, arrival: 'draft', paused: true, rules: [], retentionDays: null, retentionItems: null, username: '', siteUrl: '' }
const { id: _, createdAt: _c, updatedAt: _u, ...publicationBody } = PUBLICATION
const made = async (model: string, body: JsonObject): Promise<string> => String((await service.data('POST', '', { model }, { token: cast.admin.token, body })).at('data.id'))
const [feed, publication] = [await made('feed', feedBody), await made('publication', publicationBody)]
await service.call('POST', '/api/v1/admin/backups', { token: cast.admin.token })

/** Where something is, what is pressed there, one after the other, and what is there then. */
const OPENED: (readonly [name: string, hash: string, press?: string | readonly string[], opened?: string])[] = [
  ['the overview', '#/'],
  ['the account', '#/', '.account button:last-of-type'],
  ['a list', '#/topics'],
  ['its filters', '#/topics', '.list-tools .drop-down button', '.drop-panel:not([hidden])'],
  ['its views', '#/topics', '.list-tools .drop-down:nth-of-type(2) > button', '.drop-panel:not([hidden]) input'],
  ['its selection', '#/topics', '.table-body .pick input', '.bulk:not([hidden])'],
  ['the trash', '#/trash?model=topic'],
  ['its selection', '#/trash?model=topic', '.table-body .pick input', '.bulk:not([hidden])'],
  ['a new document', '#/headlines/new'],
  ['a picker', '#/headlines/new', '[role="combobox"]', '[role="listbox"]:not([hidden])'],
  ['scheduled changes', '#/scheduled'],
  ['review', '#/review'],
  ['feeds', '#/feeds'],
  ['a new feed', '#/feeds/new'],
  ['a list of feeds', '#/feeds/opml'],
  ['publications', '#/publications'],
  ['a new publication', '#/publications/new'],
  ['a publication', `#/publications/${publication}`],
  ['a rule', '#/feeds/rules', '.rules-editor .buttons button', '.rule'],
  ['users', '#/users'],
  ['a user', `#/users/${cast.publisher.id}`],
  ['an invitation', '#/users', '.screen-head button', 'dialog'],
  ['the configuration', '#/configuration'],
  ['the state of the service', '#/operations'],
  ['the outbox', '#/operations?part=outbox'],
  ['backups', '#/operations?part=backups'],
  ['an import', '#/operations?part=import'],
  ['API tokens', '#/operations?part=tokens'],
  ['a new token', '#/operations?part=tokens', '.part button.primary', 'dialog'],
  ['settings', '#/operations?part=settings'],
  ['the log', '#/operations?part=log&level=warn'],
  ['the audit trail', '#/operations?part=audit'],
  ['the own sessions', '#/sessions'],
  ['the palette', '#/topics', '.palette-button', 'dialog [role="option"]'],
  ['the keys', '#/topics', ['.account button:last-of-type', '.account .drop-panel button:nth-last-of-type(2)'], 'dialog .keys'],
  ['a question before many are changed', '#/topics', ['.table-head .pick input', '.bulk button[title]:not([hidden], [title=""])'], 'dialog'],
  ['fields for many', '#/headlines', ['.table-head .pick input', '.bulk button[title$="…"]:not([hidden])'], 'dialog form'],
  ['a time for many', '#/headlines', ['.table-head .pick input', '.bulk button[title$="…"]:not([hidden]) + button[title$="…"]'], 'dialog [type="datetime-local"]'],
  ['a time for a draft', `#/headlines/${draft}`, ['.publish .action-menu > button', '.publish .drop-panel button'], 'dialog [type="datetime-local"]'],
  ['a restore', '#/operations?part=backups', '.part table button + button', 'dialog form'],
  ['a feed', `#/feeds/${feed}`],
  ...['', '?step=2', '?step=3', '?step=4'].map((step) => ['the first run', `#/first-run${step}`] as const),
  ['nothing', '#/nowhere'],
]

/** The list of a combobox never has the focus: its field tells which option is meant (aria-activedescendant). */
const OWNED_LIST = /^listbox ".*" is a listbox that cannot have the focus$/

let loads = 0

for (const name of ['Economy', 'اقتصاد', 'A topic whose name is as long as any that people give']) {
  const id = await dashboard.store('topic', { name, description: name })
  if (name === 'Economy') await service.data('DELETE', `/${id}`, { model: 'topic' }, { token: cast.admin.token })
  if (name === 'اقتصاد') OPENED.push(['a document', `#/topics/${id}`], ['the history of a document', `#/topics/${id}?view=history`, '.history summary', '.history-change .side'])
}

/** Reloads the page, so that nothing is open that was opened before. */
async function goTo(page: Page, hash: string, press: string | readonly string[] = [], opened?: string): Promise<void> {
  await page.open(`/?${loads++}${hash}`)
  await page.loaded()
  const isThere = (selector: string): Promise<unknown> =>
    page.waitFor(() => page.evaluate((wanted) => document.querySelector(wanted) !== null, selector), `${selector} at ${hash}`)
  await isThere('main h1')
  for (const one of [press].flat()) {
    await isThere(one)
    await page.evaluate((selector) => {
      const control = document.querySelector<HTMLElement>(selector)
      control?.focus()
      control?.click()
    }, one)
  }
  if (opened !== undefined) await isThere(opened)
}

describe('every screen', { skip: browserMissing() }, () => {
  let page: Page
  before(async () => {
    page = await dashboard.openAs(cast.admin, '#/', { language: 'ar' })
  })

  for (const [name, hash, press, opened] of OPENED) {
    it(`has names, room and targets that can be hit: ${name} at ${hash}`, async () => {
      await page.resize({ width: 1280, height: 800 })
      await goTo(page, hash, press, opened)
      assert.deepEqual(await accessibilityFindings(page, { keyboard: false, allow: [OWNED_LIST] }), [])
      // 320 pixels are a window of 1280 at 400 %.
      for (const width of [1024, 320]) {
        await page.resize({ width, height: 512 })
        assert.deepEqual(await sidewaysFindings(page), [], `${width} pixels`)
      }
      await page.emulate({ touch: true })
      await page.resize({ width: 360, height: 740 })
      const narrow = await accessibilityFindings(page, { keyboard: false, allow: [OWNED_LIST] })
      assert.deepEqual([...narrow, ...(await fingerFindings(page)), ...(await sidewaysFindings(page))], [], 'by touch')
      await page.emulate({ touch: false })
    })
  }

  it('has the same with the menu open', async () => {
    await page.resize({ width: 320, height: 512 })
    await goTo(page, '#/', '.menu-button', '.navigating')
    assert.deepEqual(await accessibilityFindings(page, { keyboard: false }), [])
    await page.expectNoProblems()
  })

  it('has the same where a reader signs in, by both steps', async () => {
    const gate = await dashboard.open('#/', { language: 'ar' })
    for (const step of ['[type="email"]', '.code']) {
      for (const width of [1024, 360]) {
        await gate.resize({ width, height: 740 })
        assert.deepEqual([...(await accessibilityFindings(gate, { keyboard: false })), ...(await sidewaysFindings(gate))], [], `${step} at ${width}`)
      }
      if (step === '.code') break
      await gate.type(await gate.find({ role: 'textbox' }), cast.admin.email)
      await gate.press('Enter')
      await gate.waitFor(() => gate.evaluate(() => document.querySelector('.code') !== null), 'the second step')
    }
    await gate.expectNoProblems()
  })

  it('goes to its first row by two tabs, and offers none where there are no rows', async () => {
    const focused = (): Promise<string> => page.evaluate(() => document.activeElement?.className ?? '')
    await page.resize({ width: 1280, height: 800 })
    await goTo(page, '#/topics')
    await page.waitFor(() => page.evaluate(() => document.querySelector('.row[tabindex="0"]') !== null), 'the rows')
    await page.press('Tab', 'Tab', 'Enter')
    assert.match(await focused(), /\brow\b/)
    await goTo(page, '#/operations')
    await page.press('Tab', 'Tab')
    assert.doesNotMatch(await focused(), /\bskip\b/)
  })

  it('has room in the language with the longest words, with text twice as large, and covers nothing that has the focus', async () => {
    await page.evaluate(() => localStorage.setItem('dateline.choices', '{"language":"de"}'))
    for (const [name, hash, press] of OPENED) {
      if (press !== undefined) continue
      await page.resize({ width: 360, height: 740 })
      await goTo(page, hash)
      for (const width of [360, 1440]) {
        await page.resize({ width, height: 740 })
        assert.deepEqual(await sidewaysFindings(page), [], `${name} at ${width}`)
      }
      await page.resize({ width: 1280, height: 800 })
      await page.devTools('Page.setFontSizes', { fontSizes: { standard: 32, fixed: 26 } })
      await page.waitFor(() => page.evaluate(() => getComputedStyle(document.documentElement).fontSize === '30px'), 'large text')
      assert.deepEqual(await sidewaysFindings(page), [], `${name} with large text`)
      await page.devTools('Page.setFontSizes', { fontSizes: { standard: 16, fixed: 13 } })
      await page.resize({ width: 1000, height: 420 })
      assert.deepEqual(await coveredFocusFindings(page), [], `${name} with little room`)
    }
    await page.expectNoProblems()
  })

  it('shows its controls and the focus in the colours of the system and in the dark', async () => {
    await page.resize({ width: 1280, height: 800 })
    for (const hash of ['#/', '#/topics', '#/operations?part=outbox']) {
      await page.emulate({ forcedColors: true })
      await goTo(page, hash)
      assert.deepEqual(await focusFindings(page, { stopsMax: 30 }), [], hash)
      const unmarked = await page.evaluate(() =>
        [...document.querySelectorAll('[aria-current], [aria-pressed="true"]')]
          .filter((element) => element.checkVisibility() && getComputedStyle(element).outlineStyle === 'none')
          .map((element) => element.textContent),
      )
      assert.deepEqual(unmarked, [], hash)
      await page.emulate({ forcedColors: false, colorScheme: 'dark' })
      assert.deepEqual(await focusFindings(page, { stopsMax: 30 }), [], `${hash} in the dark`)
    }
  })
})
