/** Many rows at once: drafts of a pasted list that are completed and published together, others that are scheduled, and taken back. */
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import type { JsonObject } from '../../src/base/json.ts'
import { expectAccessible } from '../support/browser/accessibility.ts'
import { browserMissing, type Page } from '../support/browser/browser.ts'
import { button, confirm, holdNotices, startDashboard } from '../support/browser/dashboard.ts'
import { bodyOf } from '../../scripts/tools/data-bodies.ts'

const dashboard = await startDashboard()
const { service, cast } = dashboard
const ask = { token: cast.publisher.token }
const box = (title: string) => ({ role: 'checkbox', name: `Select ${title}` }) as const
const NOW_MS = Date.now()
const TITLES = ['Ferry', 'Bridge', 'Harbour'] as const

async function make(title: string, members: JsonObject, body: JsonObject = bodyOf('headline')): Promise<string> {
  const response = await service.data('POST', '', { model: 'headline', incomplete: true }, { ...ask, body: { ...body, title, ...members }, isUndescribed: true })
  assert.equal(response.status, 201, response.text)
  service.advance(1_000)
  return String(response.at('data.id'))
}

describe('scheduling many drafts', { skip: browserMissing() }, () => {
  let page: Page
  const ids: string[] = []
  before(async () => {
    // The list has the last one first.
    for (const title of TITLES) ids.unshift(await make(title, { status: 'draft' }))
    await make('Half a story', { status: 'draft' }, {})
    await make('Opened market', { status: 'active' })
    page = await dashboard.openAs(cast.publisher, '#/headlines')
  })

  async function times(): Promise<readonly unknown[]> {
    const documents = await Promise.all(ids.map((id) => service.data('GET', `/${id}`, { model: 'headline' }, ask)))
    return documents.map((one) => (one.at('data') as JsonObject)['publishAt'])
  }

  /** Sets the inputs of the dialog as a reader does who picks a time. */
  async function enter(first: string, minutes: string): Promise<void> {
    await page.evaluate((values) => {
      for (const [i, input] of [...document.querySelectorAll<HTMLInputElement>('dialog input:not([type=checkbox])')].entries()) {
        input.value = values[i] ?? ''
        input.dispatchEvent(new Event('input', { bubbles: true }))
      }
    }, [first, minutes])
  }

  const noon = (days: number): string => `${new Date(NOW_MS + days * 86_400_000).toISOString().slice(0, 10)}T12:00`
  const at = (days: number, minutes: number): string => new Date(Date.parse(`${noon(days)}:00.000Z`) + minutes * 60_000).toISOString()

  it('schedules one after the other in the order of the list, by one request, and takes that back', async () => {
    await page.click(box('Opened market'))
    await page.gone(button('Schedule…'))
    await page.click(button('Clear selection'))
    for (const title of TITLES) await page.click(box(title))
    await page.click(button('Schedule…'))
    await page.find({ role: 'dialog', name: 'Schedule 3 headlines' })
    await enter('2026-01-01T12:00', '0')
    await page.click(button('Schedule'))
    await page.reads(/Choose a later time/)
    await enter(noon(3), '10081')
    await page.click(button('Schedule'))
    await page.reads(/Enter 0 to 10,080 minutes/)
    await enter(noon(3), '90')
    await page.reads(/Last one: .*3:00\sPM/)
    const batches = () => page.evaluate(() => performance.getEntriesByType('resource').filter(({ name }) => name.includes('/data/batch')).length)
    const before = await batches()
    await page.click(button('Schedule'))
    await page.reads(/3 headlines scheduled/)
    assert.deepEqual(await times(), [at(3, 0), at(3, 90), at(3, 180)])
    assert.equal(await batches(), before + 1)
    await page.click(button('Undo'))
    await page.reads(/3 headlines restored/)
    assert.deepEqual(await times(), [undefined, undefined, undefined])
  })

  it('names drafts that lack something, leaves them out where the editor says so, and keeps them chosen', async () => {
    for (const title of ['Ferry', 'Half a story', 'Opened market', 'Harbour']) await page.click(box(title))
    await page.click(button('Schedule…'))
    const dialog = await page.find({ role: 'dialog', name: 'Schedule 2 headlines' })
    await page.reads(/Half a story\s*Missing: .*Topic/, dialog)
    await enter(noon(4), '0')
    await page.click(button('Schedule'))
    await page.reads(/Complete these drafts first, or leave them out/, dialog)
    await page.focuses('Leave them out')
    assert.deepEqual(await times(), [undefined, undefined, undefined])
    await page.click({ role: 'checkbox', name: 'Leave them out' })
    await page.click(button('Schedule'))
    await page.reads(/2 headlines scheduled/)
    assert.deepEqual(await times(), [at(4, 0), undefined, at(4, 0)])
    await page.reads(/2 selected/)
    await page.click(button('Clear selection'))
    await page.expectNoProblems()
  })
})

describe('fields of many rows', { skip: browserMissing() }, () => {
  const PASTED = ['Tram', 'Canal', 'Quay'] as const
  let page: Page
  let [topic, source] = ['', '']
  before(async () => {
    topic = await dashboard.store('topic', { name: 'Tides' })
    source = await dashboard.store('source', { name: 'The Tide' })
    page = await dashboard.openAs(cast.publisher, '#/headlines/new')
    await page.paste({ role: 'textbox', name: 'Title' }, PASTED.map((title, i) => `${title}\thttps://tide.example/${i}`).join('\n'))
    await page.focuses('Create drafts')
    await page.press('Enter')
    await page.find({ role: 'row', name: /Tram/ })
  })

  async function stored(): Promise<readonly JsonObject[]> {
    const query = { model: 'headline', filter: { title: { $in: [...PASTED] } }, incomplete: true }
    const items = (await service.data('GET', '', query, { ...ask, isUndescribed: true })).at('data.items') as readonly JsonObject[]
    return items.toSorted((a, b) => placeOf(a) - placeOf(b))
  }
  const placeOf = ({ title }: JsonObject): number => PASTED.findIndex((one) => one === title)
  const idsOf = async (name: string): Promise<readonly unknown[]> => (await stored()).map((one) => (one[name] as JsonObject | undefined)?.['id'])
  const choose = async (titles: readonly string[]): Promise<void> => {
    for (const title of titles) await page.click(box(title))
  }

  it('says what drafts lack that are to be published, and keeps them chosen', async () => {
    await choose(PASTED)
    await page.click(button('Publish'))
    await page.find({ role: 'dialog', name: /\?$/ })
    await expectAccessible(page)
    await confirm(page, 'Publish')
    const dialog = await page.find({ role: 'dialog', name: '3 headlines could not be changed' })
    await page.reads(/Tram\s+Missing: Source, Country, and Topic/, dialog)
    assert.doesNotMatch(await page.text(dialog), /Image|Excerpt/)
    await page.press('Escape')
    await page.reads(/3 selected/)
  })

  it('sets them by keys', async () => {
    await page.inspect(button('Set fields…'), (element) => element.focus())
    await page.press('Enter')
    await page.find({ role: 'dialog', name: 'Set fields of 3 headlines' })
    await expectAccessible(page)
    await page.inspect({ role: 'combobox', name: 'Source' }, (field) => field.focus())
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
  })

  it('changes what was chosen alone, leaves rows out that have it, and takes it back', async () => {
    const other = await dashboard.store('topic', { name: 'Currents' })
    await page.click(button('Clear selection'))
    await choose([PASTED[0]])
    await setTopic('Currents')
    await page.reads(/1 headline changed/)
    // The row stays chosen for what is done next.
    await choose(PASTED.slice(1))
    await setTopic('Currents')
    await page.reads(/2 headlines changed/)
    assert.deepEqual([await idsOf('topic'), await idsOf('source')], [[other, other, other], [source, source, source]])
    await holdNotices(page)
    await page.press('Ctrl+Z')
    await page.waitFor(async () => (await idsOf('topic')).join() === [other, topic, topic].join(), 'two topics to be back')
  })

  it('publishes them then', async () => {
    await page.open('/#/headlines?status=draft&again')
    await choose(PASTED)
    await page.click(button('Publish'))
    await confirm(page, 'Publish')
    await page.reads(/3 headlines published/)
    assert.deepEqual((await stored()).map(({ status }) => status), ['active', 'active', 'active'])
    await page.expectNoProblems()
  })

  it('sets a picture for all of them, and says at its field where that is no link', async () => {
    await page.open('/#/headlines?status=active&again')
    await choose(PASTED)
    await page.click(button('Set fields…'))
    await page.fill({ role: 'textbox', name: 'Image' }, 'javascript:alert(1)')
    await page.click(button('Set'))
    await page.reads(/Enter a link/, await page.find({ role: 'dialog', name: /^Set fields/ }))
    await page.fill({ role: 'textbox', name: 'Image' }, 'https://tide.example/all.jpg')
    await page.click(button('Set'))
    await page.waitFor(async () => (await stored()).every(({ imageUrl }) => imageUrl === 'https://tide.example/all.jpg'), 'the picture of each')
    await page.expectNoProblems()
  })

  async function setTopic(name: string): Promise<void> {
    await page.click(button('Set fields…'))
    await page.find({ role: 'dialog', name: /^Set fields/ })
    await page.type({ role: 'combobox', name: 'Topic' }, name)
    await page.click({ role: 'option', name: new RegExp(name) })
    await page.click(button('Set'))
  }
})
