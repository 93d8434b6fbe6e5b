/** Review: a publisher hands a draft in, an administrator sees what changed, gives it back with a note, and publishes; a publisher is offered for many rows what the service allows. */
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import type { JsonObject } from '../../src/base/json.ts'
import { expectAccessible } from '../support/browser/accessibility.ts'
import { browserMissing, type Page } from '../support/browser/browser.ts'
import { button, link, startDashboard } from '../support/browser/dashboard.ts'
import { bodyOf } from '../../scripts/tools/data-bodies.ts'
import { samplePicture } from '../../scripts/tools/media/sample-pictures.ts'

const dashboard = await startDashboard({ review: 'on' })
const { service, cast } = dashboard

const ACTIONS = ['Publish', 'Unpublish', 'Archive', 'Hand in', 'Delete']

async function make(title: string, members: JsonObject, body: JsonObject = bodyOf('headline')): Promise<string> {
  const response = await service.data('POST', '', { model: 'headline', incomplete: true }, { token: cast.admin.token, body: { ...body, title, ...members }, isUndescribed: true })
  assert.equal(response.status, 201, response.text)
  return String(response.at('data.id'))
}

async function stored(id: string): Promise<JsonObject> {
  return (await service.data('GET', `/${id}`, { model: 'headline', incomplete: true }, { token: cast.admin.token, isUndescribed: true })).at('data') as JsonObject
}

describe('review', { skip: browserMissing() }, () => {
  let [chief, editor] = [undefined, undefined] as unknown as [Page, Page]
  let id = ''
  const patch = (body: JsonObject, { token } = cast.admin): Promise<unknown> =>
    service.data('PATCH', `/${id}`, { model: 'headline' }, { token, body })
  before(async () => {
    id = await dashboard.store('headline', { title: 'First edition', status: 'active' })
    await patch({ status: 'draft' })
    await patch({ title: 'Second edition' }, cast.publisher)
    editor = await dashboard.openAs(cast.publisher, `#/headlines/${id}`)
    chief = await dashboard.openAs(cast.admin, '#/')
  })

  it('offers a publisher to hand in, and not to publish', async () => {
    await editor.find(button('Hand in for review'))
    for (const name of ['Publish', 'Other ways to save']) await editor.gone(button(name))
    assert.equal(await editor.evaluate(() => document.querySelector('[name="publishAt"], [data-path="publishAt"], #field-publishAt') === null), true)
    assert.ok(!(await editor.evaluate(() => document.body.innerText)).includes('Publish at'))
    await expectAccessible(editor)
    await editor.click(button('Hand in for review'))
    await editor.find(button('Withdraw'))
    await editor.expectNoProblems()
  })

  it('offers a publisher nothing in lists, the palette and the calendar that the service refuses', async () => {
    const times = { publishAt: new Date(Date.now() + 86_400_000).toISOString(), unpublishAt: new Date(Date.now() + 172_800_000).toISOString() }
    await dashboard.store('headline', { title: 'Set by the chief', status: 'draft', ...times })
    const page = await dashboard.openAs(cast.publisher, '#/headlines')
    await page.click({ role: 'checkbox', name: 'Select Second edition' })
    await page.find(button('Delete'))
    for (const name of ['Publish', 'Unpublish', 'Archive', 'Hand in']) await page.gone(button(name))
    await page.press('Ctrl+k')
    await page.type({ role: 'combobox' }, 'delete')
    await page.find({ role: 'option', name: /^Delete/ })
    await page.fill({ role: 'combobox' }, 'publish')
    await page.gone({ role: 'option', name: /^Delete/ })
    assert.deepEqual(await page.evaluate(() => [...document.querySelectorAll('[role="option"]')].map((one) => one.textContent).filter((text) => /^(?:Publish|Unpublish)\b/.test(text))), [])
    await page.press('Escape')
    await page.open('/#/scheduled')
    await page.find(button('Cancel schedule: Set by the chief'))
    await page.gone(button(/^Change time/))
    await page.click(button('Cancel schedule: Set by the chief'))
    await page.gone(link('Set by the chief'))
    await page.gone(button('Undo'))
    await page.expectNoProblems()
  })

  it('tells the administrator how many wait, and what changed', async () => {
    await chief.open('/#/')
    assert.match(await chief.text({ role: 'list', name: 'Planning' }), /Scheduled\s+To review/)
    await chief.find(link('1 draft to review'))
    await chief.click(link(/^To review ?1$/))
    await chief.find({ role: 'heading', name: 'Second edition' })
    await chief.find({ role: 'DisclosureTriangle', name: 'Changes since the last published version' })
    await chief.find({ role: 'StaticText', name: 'First edition' })
    await expectAccessible(chief)
  })

  it('gives it back with a note, which the publisher sees, who hands it in again', async () => {
    await chief.click(button('Return with a note'))
    await chief.type({ role: 'textbox', name: 'What should change?' }, 'Name the source')
    await chief.click({ ...button('Return with a note'), within: await chief.find({ role: 'dialog' }) })
    await chief.find({ role: 'StaticText', name: 'Nothing is waiting for review' })
    await editor.find({ role: 'StaticText', name: 'Name the source' })
    const overview = await dashboard.openAs(cast.publisher, '#/')
    await overview.find(link('Returned to you: Second edition'))
    await editor.click(button('Hand in for review'))
    await editor.find(button('Withdraw'))
    await overview.gone(link('Returned to you: Second edition'))
    await chief.open(`/#/headlines/${id}`)
    await chief.reads(/Handed in/, { role: 'main' })
    await chief.open('/#/review')
  })

  it('tells the publisher who typed nothing that it was published, and takes that version', async () => {
    await chief.find({ role: 'heading', name: 'Second edition' })
    const typing = await dashboard.openAs(cast.publisher, `#/headlines/${id}`)
    await typing.find(button('Withdraw'))
    await typing.fill({ role: 'textbox', name: 'Excerpt' }, 'Typed by the publisher meanwhile')
    await patch({ status: 'active' })
    await editor.reads(/Published just now by an administrator, as it is here/, { role: 'main' })
    await editor.find({ role: 'StaticText', name: /^Only administrators change what is published/ })
    await editor.gone(button('Withdraw'))
    await typing.reads(/Changed just now by an administrator/, { role: 'main' })
    await typing.find(button('Review'))
    assert.equal((await typing.find({ role: 'textbox', name: 'Excerpt' })).value, 'Typed by the publisher meanwhile')
    assert.ok(!(await typing.text({ role: 'main' })).includes('Published just now'))
    await patch({ status: 'draft' })
    await editor.click(button('Review'))
    await editor.click(button('Hand in for review'))
    await editor.find(button('Withdraw'))
    await editor.expectNoProblems()
  })

  it('publishes what was seen', async () => {
    await chief.find({ role: 'heading', name: 'Second edition' })
    await chief.click(button('Publish'))
    await chief.find({ role: 'StaticText', name: 'Nothing is waiting for review' })
    const isPublished = async (): Promise<boolean> => (await dashboard.read('headline', id))['status'] === 'active'
    await chief.waitFor(isPublished, 'the headline to be published')
    await editor.reload()
    await editor.find({ role: 'StaticText', name: /^Only administrators change what is published/ })
    for (const name of ['Update', 'Other ways to save']) await editor.gone(button(name))
    await editor.click(button('More actions'))
    await editor.find(button('Duplicate'))
    await editor.gone(button('Delete'))
    await chief.expectNoProblems()
    await editor.expectNoProblems()
  })
  it('shows the picture that is to be published', async () => {
    const headers = { authorization: `Bearer ${cast.admin.token}` }
    const sent = await fetch(`${service.url}/api/v1/media`, { method: 'POST', headers, body: new Uint8Array(samplePicture('png')) })
    const { data } = (await sent.json()) as { readonly data: { readonly url: string } }
    const pictured = await dashboard.store('headline', { title: 'Pictured', imageUrl: data.url, status: 'draft', handedInAt: new Date(service.now()).toISOString() })
    await chief.open('/#/review')
    await chief.waitFor(() => chief.evaluate(() => document.querySelector('.reviews .picture.whole') !== null), 'the picture')
    await chief.expectNoProblems()
    await service.data('DELETE', `/${pictured}`, { model: 'headline' }, { token: cast.admin.token })
  })
})

describe('many rows under review', { skip: browserMissing() }, () => {
  let page: Page
  let [published, draft, other, lacking] = ['', '', '', '']
  before(async () => {
    published = await make('Opened bridge', { status: 'active' })
    draft = await make('New tram', { status: 'draft' })
    other = await make('New ferry', { status: 'draft' })
    lacking = await make('Half a story', { status: 'draft' }, {})
    await make('Old market', { status: 'archived' })
    page = await dashboard.openAs(cast.publisher, '#/headlines')
  })

  /** Chooses exactly these rows, and reads what the bar offers for them. */
  async function offered(...titles: readonly string[]): Promise<readonly string[]> {
    if ((await page.findAll(button('Clear selection'))).length > 0) await page.click(button('Clear selection'))
    for (const title of titles) await page.click({ role: 'checkbox', name: `Select ${title}` })
    await page.reads(new RegExp(`${titles.length} selected`))
    const names = await page.evaluate(() => [...document.querySelectorAll<HTMLElement>('.bulk button')].filter((one) => !one.hidden).map((one) => one.title))
    return names.filter((name) => ACTIONS.includes(name))
  }

  it('offers what the service allows for the rows that are chosen', async () => {
    assert.deepEqual(await offered('Opened bridge'), [])
    assert.deepEqual(await offered('New tram'), ['Hand in', 'Delete'])
    assert.deepEqual(await offered('Old market'), ['Unpublish', 'Delete'])
    assert.deepEqual(await offered('New tram', 'Old market'), ['Unpublish', 'Hand in', 'Delete'])
    assert.deepEqual(await offered('New tram', 'Opened bridge'), ['Hand in'])
  })

  it('hands in the drafts that are complete, names what others lack, and keeps those chosen', async () => {
    const dates = async () => (await Promise.all([draft, other].map(stored))).map((one) => one['updatedAt'])
    const datesBefore = await dates()
    service.advance(60_000)
    await offered('New tram', 'Half a story', 'Opened bridge', 'New ferry')
    await page.inspect(button('Hand in'), (element) => element.focus())
    await page.press('Enter')
    const dialog = await page.find({ role: 'dialog', name: '1 headline could not be changed' })
    await page.reads(/Half a story\s*Missing: .*Topic/, dialog)
    await page.press('Escape')
    await page.reads(/2 headlines handed in for review/)
    await page.reads(/2 selected/)
    // Drafts that are handed in looked like any other.
    for (const title of ['New tram', 'New ferry']) await page.find({ role: 'row', name: new RegExp(`^${title}.* Handed in$`) })
    await page.find({ role: 'row', name: /^Half a story.* Draft$/ })
    const handedIn = async () => (await Promise.all([draft, other, lacking, published].map(stored))).map((one) => typeof one['handedInAt'] === 'string')
    assert.deepEqual(await handedIn(), [true, true, false, false])
    await page.click(button('Undo'))
    await page.reads(/2 headlines restored/)
    assert.deepEqual(await handedIn(), [false, false, false, false])
    assert.deepEqual(await dates(), datesBefore)
    await page.expectNoProblems()
  })
})
