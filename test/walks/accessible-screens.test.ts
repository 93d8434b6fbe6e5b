/**
 * Every screen, and what can be opened on it, for everybody: without seeing it, with large text, with little room, with
 * the colours of the system, without motion. In Arabic, which turns everything around; the screens' own tests are English.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { accessibilityFindings } from '../support/browser/accessibility.ts'
import { browserMissing, testBrowser, type Page } from '../support/browser/browser.ts'
import { startDashboard } from '../support/browser/dashboard.ts'
import { walkByKeyboard } from '../support/browser/focus-walk.ts'
import { coveredFocusFindings, sidewaysFindings } from '../support/browser/room.ts'
import { fingerFindings, targetSizeFindings } from '../support/browser/target-size.ts'
import { textServers } from '../support/browser/text-server.ts'

const dashboard = await startDashboard()
const { service, cast } = dashboard

/** Where something is, what is pressed there, and what is there then. */
const OPENED: (readonly [name: string, hash: string, press?: string, opened?: string])[] = [
  ['the overview', '#/'],
  ['the account', '#/', '.account button:last-of-type'],
  ['a list', '#/topics'],
  ['its filters', '#/topics', '.list-tools .drop-down button', '.drop-panel:not([hidden])'],
  ['its views', '#/topics', '.list-tools .drop-down:nth-of-type(2) > button', '.drop-panel:not([hidden]) input'],
  ['its columns', '#/topics', '.list-tools .drop-down:nth-of-type(3) > button', '.drop-panel:not([hidden]) input'],
  ['its export', '#/topics', '.list-tools .drop-down:last-of-type > button', '.drop-panel:not([hidden]) li'],
  ['its selection', '#/topics', '.table-body .pick input', '.bulk:not([hidden])'],
  ['the trash', '#/trash?model=topic'],
  ['its selection', '#/trash?model=topic', '.table-body .pick input', '.bulk:not([hidden])'],
  ['a new document', '#/headlines/new'],
  ['a picker', '#/headlines/new', '[role="combobox"]', '[role="listbox"]:not([hidden])'],
  ['scheduled changes', '#/scheduled'],
  ['users', '#/users'],
  ['an invitation', '#/users', '.screen-head button', 'dialog'],
  ['the configuration', '#/configuration'],
  ['the state of the service', '#/operations'],
  ['the outbox', '#/operations?part=outbox'],
  ['backups', '#/operations?part=backups'],
  ['an import', '#/operations?part=import'],
  ['API tokens', '#/operations?part=tokens'],
  ['a new token', '#/operations?part=tokens', '.part button.primary', 'dialog'],
  ['limits', '#/operations?part=limits'],
  ['settings', '#/operations?part=settings'],
  ['the log', '#/operations?part=log'],
  ['the audit trail', '#/operations?part=audit'],
  ['the own sessions', '#/sessions'],
  ['nothing', '#/nowhere'],
]
const SCREENS = OPENED.filter(([, , press]) => press === undefined)

/** The list of a combobox never has the focus: its field tells which option is meant (aria-activedescendant). */
const OWNED_LIST = /class="picker-list" role="listbox"> .* is a listbox that cannot have the focus$/

async function goTo(page: Page, hash: string, press?: string, opened?: string): Promise<void> {
  await page.open('/robots.txt')
  await page.open(`/${hash}`)
  await page.waitFor(
    () =>
      page.evaluate(
        (wanted) =>
          document.querySelector('main h1') !== null &&
          document.querySelector('main .skeleton, main .table[aria-busy]') === null &&
          (wanted === null || document.querySelector(wanted) !== null),
        press ?? null,
      ),
    `${hash} to be there`,
  )
  if (press === undefined) return
  await page.evaluate((selector) => {
    const control = document.querySelector<HTMLElement>(selector)
    control?.focus()
    control?.click()
  }, press)
  if (opened !== undefined)
    await page.waitFor(
      () => page.evaluate((selector) => document.querySelector(selector) !== null, opened),
      `${opened} after ${press}`,
    )
}

describe('every screen', { skip: browserMissing() }, () => {
  let page: Page
  before(async () => {
    for (const name of ['Economy', 'اقتصاد', 'A topic whose name is as long as any that people give']) {
      const body = { name, description: name, iconUrl: 'https://images.example/icon.png' }
      const stored = await service.data('POST', '', { model: 'topic' }, { token: cast.admin.token, body })
      assert.equal(stored.status, 201, stored.text)
      const id = String(stored.at('data.id'))
      if (name === 'Economy') await service.data('DELETE', `/${id}`, { model: 'topic' }, { token: cast.admin.token })
      if (name === 'اقتصاد') OPENED.push(['the history of a document', `#/topics/${id}?view=history`, '.history summary', '.history-change .side'])
    }
    page = await dashboard.openAs(cast.admin, '#/', { language: 'ar' })
  })

  it('has names, contrast and targets that can be hit, with whatever is open on it', async () => {
    for (const [name, hash, press, opened] of OPENED) {
      await goTo(page, hash, press, opened)
      const findings = [
        ...(await accessibilityFindings(page, { keyboard: false, allow: [OWNED_LIST] })),
        ...(await targetSizeFindings(page)),
      ]
      assert.deepEqual(findings, [], name)
    }
    await page.expectNoProblems()
  })

  it('can be read at 400 % in a window of 1280 pixels, with the menu open as well', async () => {
    for (const [name, hash, press, opened] of OPENED) {
      await page.resize({ width: 320, height: 512 })
      await goTo(page, hash, press, opened)
      for (const width of [320, 1024]) {
        await page.resize({ width, height: 512 })
        assert.deepEqual(await sidewaysFindings(page), [], `${name} at ${width}`)
      }
    }
    await page.resize({ width: 320, height: 512 })
    await goTo(page, '#/', '.menu-button', '.navigating')
    assert.deepEqual([...(await accessibilityFindings(page, { keyboard: false }))], [], 'the menu')
  })

  it('has room on a telephone, a tablet and a desk, in the language with the longest words as well', async () => {
    const german = await dashboard.openAs(cast.admin, '#/', { language: 'de', size: { width: 360, height: 740 } })
    for (const [name, hash, press, opened] of OPENED) {
      await goTo(german, hash, press, opened)
      for (const width of [360, 1024, 1440]) {
        await german.resize({ width, height: 740 })
        assert.deepEqual(await sidewaysFindings(german), [], `${name} at ${width}`)
      }
      await german.resize({ width: 360, height: 740 })
    }
    await german.expectNoProblems()
  })

  it('has controls that a finger hits', async () => {
    await page.emulate({ touch: true })
    await page.resize({ width: 360, height: 740 })
    for (const [name, hash, press, opened] of OPENED) {
      await goTo(page, hash, press, opened)
      assert.deepEqual([...(await fingerFindings(page)), ...(await sidewaysFindings(page))], [], name)
    }
    await page.emulate({ touch: false })
  })

  it('can be read with text twice as large', async () => {
    await page.resize({ width: 1280, height: 800 })
    await page.devTools('Page.setFontSizes', { fontSizes: { standard: 32, fixed: 26 } })
    for (const [name, hash] of SCREENS) {
      await goTo(page, hash)
      assert.equal(await page.evaluate(() => getComputedStyle(document.documentElement).fontSize), '30px')
      assert.deepEqual(await sidewaysFindings(page), [], name)
    }
    await page.devTools('Page.setFontSizes', { fontSizes: { standard: 16, fixed: 13 } })
  })

  it('covers nothing that has the focus', async () => {
    await page.resize({ width: 1000, height: 420 })
    for (const [name, hash] of SCREENS) {
      await goTo(page, hash)
      assert.deepEqual(await coveredFocusFindings(page), [], name)
    }
  })

  it('shows its controls and the focus in the colours of the system', async () => {
    await page.resize({ width: 1280, height: 800 })
    await page.emulate({ forcedColors: true })
    for (const hash of ['#/', '#/topics', '#/operations?part=outbox']) {
      await goTo(page, hash)
      assert.deepEqual((await walkByKeyboard(page, { stopsMax: 30 })).findings, [], hash)
      const unmarked = await page.evaluate(() =>
        [...document.querySelectorAll('[aria-current], [aria-pressed="true"]')]
          .filter((element) => element.checkVisibility() && getComputedStyle(element).outlineStyle === 'none')
          .map((element) => element.textContent),
      )
      assert.deepEqual(unmarked, [], hash)
    }
    await page.screenshot('forced-colors')
    await page.emulate({ forcedColors: false })
  })

  it('does not move for those who ask for stillness', async () => {
    await page.emulate({ reducedMotion: true })
    await goTo(page, '#/users', '.screen-head button', 'dialog')
    const moving = await page.evaluate(() =>
      document.getAnimations().map((animation) => Number(animation.effect?.getComputedTiming().duration)),
    )
    assert.ok(
      moving.every((milliseconds) => milliseconds < 1),
      String(moving),
    )
  })
})

describe('checks of room and size', { skip: browserMissing() }, () => {
  const browser = testBrowser({ after })
  const servers = textServers({ after })

  it('find targets that are too small, what stands beside the page and a focus that is covered', async () => {
    const style = `button { box-sizing: border-box; width: 20px; height: 20px; padding: 0; border: 0; margin: 0 }
      .far { margin: 30px } .bar { position: fixed; inset: 0 0 auto; z-index: 1; height: 60px; background: #fff }
      .wide { width: 200vw } body { margin: 0; padding-block-start: 100px }
      .low { position: absolute; inset-block-start: 5px; inset-inline-start: 5px }`
    const body = `<div class="bar"></div><button class="low far">L</button><button>A</button><button>B</button>
      <p><button class="far">C</button></p><p>See <a href="#x">this</a>.</p>`
    const head = '<!doctype html><html lang="en"><title>x</title><link rel="stylesheet" href="/style.css">'
    const page = await browser.open(
      await servers.serve({ '/': head + body, '/wide': `${head}<p class="wide">Wide</p>`, '/style.css': style }),
    )
    await page.open('/')
    assert.deepEqual(
      (await targetSizeFindings(page)).map((line) => line.slice(0, 32)),
      ['<button> "A" is 20 × 20 pixels w', '<button> "B" is 20 × 20 pixels w'],
    )
    assert.deepEqual(await coveredFocusFindings(page), ['the focus on <button> "L" is covered'])
    assert.deepEqual(await sidewaysFindings(page), [])
    await page.open('/wide')
    assert.match((await sidewaysFindings(page)).join(), /^the page is \d+ wide in \d+,<p class="wide"> "Wide" is at 0/)
  })
})
