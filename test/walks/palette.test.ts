/** Hands on the keyboard: the palette, the keys of one letter, and the switch that turns those off. */
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { expectAccessible } from '../support/browser/accessibility.ts'
import { browserMissing, type Page } from '../support/browser/browser.ts'
import { startDashboard } from '../support/browser/dashboard.ts'
import { HEADLINE } from '../../scripts/tools/data-bodies.ts'

const dashboard = await startDashboard()
const { service, cast } = dashboard
const MARKUP = '<img src=x onerror="window.hacked=1"> \u202egnp'
const FIELD = { role: 'combobox', name: 'Search or run an action' } as const
const PALETTE = { role: 'dialog', name: 'Search or run an action' } as const

describe('the keyboard', { skip: browserMissing() }, () => {
  let page: Page
  const ids = new Map<string, string>()

  const hash = (): Promise<string> => page.evaluate(() => location.hash)
  const goes = (wanted: string): Promise<unknown> => page.waitFor(async () => (await hash()) === wanted, `the screen ${wanted}`)
  const options = (): Promise<readonly string[]> =>
    page.evaluate(() => [...document.querySelectorAll<HTMLElement>('[role=option]')].map((one) => one.innerText.replaceAll(/\s*\n\s*/g, ' · ')))
  /** The option that the field names as active, which is the one that is marked. */
  const active = (): Promise<string | undefined> =>
    page.evaluate(() => {
      const id = document.querySelector('[role=combobox]')?.getAttribute('aria-activedescendant') ?? ''
      const marked = [...document.querySelectorAll<HTMLElement>('[role=option][aria-selected=true]')]
      return marked.length === 1 && marked[0]?.id === id ? marked[0].innerText : undefined
    })
  /** Presses Enter once the option that begins so is the active one. */
  const run = async (wanted: string): Promise<void> => {
    await page.waitFor(async () => (await active())?.startsWith(wanted) === true, `${wanted} to be active`)
    await page.press('Enter')
  }
  const isActive = (wanted: string): Promise<unknown> => page.waitFor(async () => (await active()) === wanted, `${wanted} to be active`)
  const statusOf = async (name: string): Promise<unknown> => (await dashboard.read('topic', ids.get(name) ?? ''))['status']
  const focusedRow = (): Promise<string | null | undefined> =>
    page.evaluate(() => document.activeElement?.closest('.row')?.querySelector('.main')?.textContent)

  before(async () => {
    for (const name of ['Ålegræsset', 'Harbours', 'Ports', MARKUP]) {
      ids.set(name, await dashboard.store('topic', { name, description: 'Sea' }))
    }
    const unfinished = { title: 'Zinc', status: 'draft' }
    await service.data('POST', '', { model: 'headline', incomplete: true }, { token: cast.admin.token, body: unfinished, isUndescribed: true })
    const due = { ...HEADLINE, topic: { ...HEADLINE.topic, name: 'Books' }, title: 'Trashy novels win', status: 'draft', publishAt: new Date(Date.now() + 86_400_000).toISOString() }
    await service.data('POST', '', { model: 'headline' }, { token: cast.admin.token, body: due })
    page = await dashboard.openAs(cast.admin)
  })

  it('opens the palette, which goes to screens', async () => {
    const before = (await page.requests()).map(({ url }) => url)
    assert.ok(!before.some((url) => url.includes('palette')), 'the palette is fetched when it is opened')
    await page.press('Ctrl+k')
    await page.find(PALETTE)
    await page.focuses('Search or run an action')
    await expectAccessible(page, { keyboard: false })
    await page.press('Escape')
    await page.gone(PALETTE)
    await page.click({ role: 'button', name: 'Search or go to' })
    await page.type(FIELD, 'tra')
    await run('Trash')
    await goes('#/trash')
    // Of the key that is K on a Latin keyboard, as Arabic keyboards send it.
    await page.evaluate(() => dispatchEvent(new KeyboardEvent('keydown', { key: 'ن', code: 'KeyK', ctrlKey: true })))
    await page.type(FIELD, 'new sour')
    await run('New source')
    await goes('#/sources/new')
    // Also from a field in which the reader types.
    await page.click({ role: 'textbox', name: 'Name' })
    await page.press('Ctrl+k')
    await page.find(PALETTE)
    await page.press('Ctrl+k')
    await page.gone(PALETTE)
    await page.focuses('Name')
    await page.expectNoProblems()
  })

  it('finds documents of any model, shows what they say as text, and opens them', async () => {
    await page.open('/#/')
    await page.press('Ctrl+k')
    await page.type(FIELD, 'alegr')
    await page.waitFor(async () => (await options()).some((one) => /^Ålegræsset · Topic/.test(one)), 'the name without its accents')
    await page.fill(FIELD, 'zinc')
    await page.waitFor(async () => (await options()).includes('Zinc · Headline · Draft'), 'the draft that lacks members')
    // A document that came later took the place of the screen, so that Enter did one thing or the other.
    await page.fill(FIELD, 'trash')
    await page.waitFor(async () => (await options()).includes('Trashy novels win · Headline · Scheduled'), 'the scheduled headline')
    await isActive('Trash')
    await page.fill(FIELD, 'onerror')
    await page.waitFor(async () => (await options()).some((one) => one.startsWith('<img src=x')), 'the hostile name')
    assert.equal(await page.evaluate(() => document.querySelectorAll('img').length + ('hacked' in window ? 1 : 0)), 0)
    await page.fill(FIELD, cast.publisher.email)
    await page.waitFor(async () => (await options()).some((one) => one.startsWith(cast.publisher.email)), 'the user')
    await page.fill(FIELD, 'harbours')
    await run('Harbours')
    await goes(`#/topics/${ids.get('Harbours')}`)
    await page.expectNoProblems()
  })

  it('walks, chooses, edits and changes rows', async () => {
    await page.open('/#/topics')
    await page.find({ role: 'link', name: 'Harbours' })
    await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur())
    await page.press('j')
    const first = await page.waitFor(focusedRow, 'the first row')
    await page.press('j')
    await page.waitFor(async () => (await focusedRow()) !== first, 'the second row')
    await page.press('k')
    await page.waitFor(async () => (await focusedRow()) === first, 'the first row again')
    await page.press('x')
    await page.reads(/1 selected/)
    await page.press('s')
    await page.find({ role: 'dialog', name: 'Change the status' })
    // It is published already.
    assert.deepEqual(await options(), ['Unpublish · 1 selected', 'Archive · 1 selected'])
    await page.type({ role: 'combobox', name: 'Change the status' }, 'arch')
    await run('Archive')
    await page.waitFor(async () => (await statusOf(String(first))) === 'archived', 'the archived topic')
    // The page learns of it after the service has done it.
    await page.find({ role: 'button', name: 'Undo' })
    await page.press('Ctrl+z')
    await page.waitFor(async () => (await statusOf(String(first))) === 'active', 'the topic as it was')
    await page.reads(/1 topic restored/)
    await page.press('j', 'e')
    await page.waitFor(async () => /^#\/topics\/[0-9a-f]{24}$/.test(await hash()), 'the editor')
    await page.find({ role: 'textbox', name: 'Name' })
    // Here each of them is a letter.
    await page.type({ role: 'textbox', name: 'Name' }, 'jkesxn?/')
    assert.match((await page.find({ role: 'textbox', name: 'Name' })).value ?? '', /jkesxn\?\/$/)
    await page.press('Ctrl+k')
    await page.type(FIELD, 'archive')
    await run('Archive')
    await page.reads(/Saved · Archived/)
    await page.expectNoProblems()
  })

  it('creates, helps, and lets the keys of one letter be switched off', async () => {
    await page.open('/#/countries')
    await page.find({ role: 'grid', name: 'Countries' })
    await page.press('n')
    await goes('#/countries/new')
    await page.open('/#/topics')
    await page.find({ role: 'grid', name: 'Topics' })
    await page.press('?')
    await page.find({ role: 'dialog', name: 'Keyboard shortcuts' })
    await expectAccessible(page, { keyboard: false })
    await page.click({ role: 'checkbox', name: 'Use keys of a single letter or sign' })
    await page.press('Escape')
    await page.gone({ role: 'dialog', name: 'Keyboard shortcuts' })
    for (const key of ['n', 'j', 'k', 'e', 's', 'x', '?', '/']) {
      await page.press(key)
      assert.equal(await page.evaluate(() => document.querySelector('dialog') ?? document.activeElement?.closest('.row')), null, key)
      assert.equal(await hash(), '#/topics', key)
    }
    await page.reload()
    await page.find({ role: 'grid', name: 'Topics' })
    await page.press('n')
    await page.press('Ctrl+k')
    await page.find(PALETTE)
    assert.equal(await hash(), '#/topics')
    await page.expectNoProblems()
  })
})
