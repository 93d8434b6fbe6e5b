/** Drafts of a pasted list are completed together: source, country and topic of many rows, then published, and taken back. */
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import type { JsonObject } from '../../src/base/json.ts'
import { expectAccessible } from '../support/browser/accessibility.ts'
import { browserMissing, type Page } from '../support/browser/browser.ts'
import { holdNotices, startDashboard } from '../support/browser/dashboard.ts'
import { bodyOf } from '../support/service/data-bodies.ts'

const dashboard = await startDashboard()
const { service, cast } = dashboard
const ask = { token: cast.publisher.token }
const button = (name: string | RegExp) => ({ role: 'button', name }) as const
const box = (title: string) => ({ role: 'checkbox', name: `Select ${title}` }) as const
const TITLES = ['Ferry', 'Bridge', 'Harbour'] as const

describe('fields of many rows', { skip: browserMissing() }, () => {
  let page: Page
  let [topic, source] = ['', '']
  before(async () => {
    topic = await make('topic', { name: 'Tides' })
    source = await make('source', { name: 'The Tide' })
    page = await dashboard.openAs(cast.publisher, '#/headlines/new')
    await page.paste({ role: 'textbox', name: 'Title' }, TITLES.map((title, i) => `${title}\thttps://tide.example/${i}`).join('\n'))
    await page.focuses('Create drafts')
    await page.press('Enter')
    await page.find({ role: 'row', name: /Ferry/ })
  })

  async function make(model: string, members: JsonObject): Promise<string> {
    const response = await service.data('POST', '', { model }, { token: cast.admin.token, body: { ...bodyOf(model), ...members } })
    assert.equal(response.status, 201, response.text)
    return String(response.at('data.id'))
  }

  async function stored(): Promise<readonly JsonObject[]> {
    const query = { model: 'headline', filter: { title: { $in: [...TITLES] } }, incomplete: true }
    const items = (await service.data('GET', '', query, { ...ask, isUndescribed: true })).at('data.items') as readonly JsonObject[]
    return items.toSorted((a, b) => placeOf(a) - placeOf(b))
  }
  const placeOf = ({ title }: JsonObject): number => TITLES.findIndex((one) => one === title)
  const idsOf = async (name: string): Promise<readonly unknown[]> => (await stored()).map((one) => (one[name] as JsonObject | undefined)?.['id'])
  const choose = async (titles: readonly string[]): Promise<void> => {
    for (const title of titles) await page.click(box(title))
  }

  it('says what drafts lack that are to be published', async () => {
    await choose(TITLES)
    await page.click(button('Publish'))
    const dialog = await page.find({ role: 'dialog', name: '3 headlines could not be changed' })
    await page.reads(/Ferry\s+Missing: Source, Country, and Topic/, dialog)
    assert.doesNotMatch(await page.text(dialog), /Image|Excerpt/)
    await page.press('Escape')
    await page.reads(/3 selected/)
  })

  it('asks for them by keys, and for at least one', async () => {
    await page.inspect(button('Set fields…'), (element) => element.focus())
    await page.press('Enter')
    const dialog = await page.find({ role: 'dialog', name: 'Set fields of 3 headlines' })
    await page.focuses('Source')
    for (const [width, colorScheme] of [[360, 'light'], [1024, 'dark'], [1440, 'light']] as const) {
      await page.resize({ width, height: 800 })
      await page.emulate({ colorScheme })
      await page.screenshot(`bulk-fields-${width}`)
    }
    await page.resize({ width: 1280, height: 800 })
    await page.emulate({ colorScheme: 'light' })
    await expectAccessible(page)
    await page.click({ ...button('Set'), within: dialog })
    await page.reads(/Choose a value for at least one field/, dialog)
    await page.focuses('Source')
    await page.type({ role: 'combobox', name: 'Source' }, 'The Tide')
    await page.find({ role: 'option', name: /The Tide/ })
    await page.press('Enter', 'Tab')
    await page.type({ role: 'combobox', name: 'Country' }, 'Germany')
    await page.find({ role: 'option', name: /Germany/ })
    await page.press('Enter', 'Tab')
    await page.type({ role: 'combobox', name: 'Topic' }, 'Tides')
    await page.find({ role: 'option', name: /Tides/ })
    await page.press('Enter', 'Enter')
    await page.reads(/3 headlines changed/)
    assert.deepEqual([await idsOf('topic'), await idsOf('source')], [[topic, topic, topic], [source, source, source]])
    for (const one of await stored()) assert.equal((one['topic'] as JsonObject)['name'], 'Tides')
  })

  it('changes what was chosen alone, leaves rows out that have it, and takes it back', async () => {
    const other = await make('topic', { name: 'Currents' })
    await choose([TITLES[0]])
    await setTopic('Currents')
    await page.reads(/1 headline changed/)
    await choose(TITLES)
    await setTopic('Currents')
    await page.reads(/2 headlines changed/)
    assert.deepEqual([await idsOf('topic'), await idsOf('source')], [[other, other, other], [source, source, source]])
    await choose(TITLES)
    await setTopic('Currents')
    await page.reads(/Nothing to change/)
    await page.click(button('Clear selection'))
    await holdNotices(page)
    await page.press('Ctrl+Z')
    await page.waitFor(async () => (await idsOf('topic')).join() === [other, topic, topic].join(), 'two topics to be back')
  })

  it('publishes them then', async () => {
    await page.open('/#/headlines?status=draft&again')
    await choose(TITLES)
    await page.click(button('Publish'))
    await page.reads(/3 headlines published/)
    assert.deepEqual((await stored()).map(({ status }) => status), ['active', 'active', 'active'])
    await page.expectNoProblems()
  })

  it('is not offered for a model without documents of others', async () => {
    const own = await dashboard.openAs(cast.admin, '#/topics')
    await own.click(box('Tides'))
    await own.find(button('Archive'))
    // What all of them are already is not offered either.
    for (const name of ['Set fields…', 'Publish']) assert.deepEqual(await own.findAll(button(name)), [])
    await own.expectNoProblems()
  })

  async function setTopic(name: string): Promise<void> {
    await page.click(button('Set fields…'))
    await page.find({ role: 'dialog', name: /^Set fields/ })
    await page.type({ role: 'combobox', name: 'Topic' }, name)
    await page.click({ role: 'option', name: new RegExp(name) })
    await page.click(button('Set'))
  }
})
