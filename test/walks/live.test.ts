/** What other people change is shown as it happens, and nothing that the reader looks at or types is taken away by it. */
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { expectAccessible } from '../support/browser/accessibility.ts'
import { browserMissing, type Page } from '../support/browser/browser.ts'
import { button, startDashboard } from '../support/browser/dashboard.ts'

const dashboard = await startDashboard()
const { service, cast } = dashboard
const EMAIL = 'editor@example.org'
const other = await service.userWith(EMAIL, { dashboardRole: 'admin' })
const ask = { token: other.token }

const topic = (name: string): object => ({ name, description: 'Ships and tides', iconUrl: 'https://example.org/icon.png', status: 'active' })
const makeTopic = async (name: string): Promise<string> =>
  String((await service.data('POST', '', { model: 'topic' }, { ...ask, body: topic(name) })).at('data.id'))
const patchTopic = (id: string, body: object): Promise<unknown> => service.data('PATCH', `/${id}`, { model: 'topic' }, { ...ask, body })
const row = (name: string | RegExp) => ({ role: 'row', name }) as const
/** Whether the page has the stream: what changes before is read with the page, and not told. */
const isFollowed = async (page: Page): Promise<boolean> =>
  (await page.requests()).some(({ url, status }) => url.includes('/changes/stream') && status === 200)

describe('what changes elsewhere', { skip: browserMissing() }, () => {
  let page: Page
  before(async () => {
    for (const name of ['Anchors', 'Buoys', 'Compasses']) await makeTopic(name)
    page = await dashboard.openAs(cast.admin, '#/topics')
    await page.find(row(/Compasses/))
    await page.waitFor(() => isFollowed(page), 'the stream')
    await page.loaded()
  })
  const idOf = async (name: string): Promise<string> => {
    const found = await service.data('GET', '', { model: 'topic', filter: { name } }, ask)
    return String(found.at('data.items[0].id'))
  }
  const rowNames = (): Promise<readonly string[]> =>
    page.evaluate(() => [...document.querySelectorAll('.table-body .row .main')].map((cell) => cell.textContent))

  it('shows a new name in its row, which glows and stays where it is', async () => {
    const names = await rowNames()
    await patchTopic(await idOf('Buoys'), { name: 'Bells' })
    await page.find(row(/Bells/))
    assert.deepEqual(await rowNames(), names.map((name) => (name === 'Buoys' ? 'Bells' : name)))
    assert.equal(await page.inspect(row(/Bells/), (element) => element.classList.contains('glow')), true)
  })

  it('collects what is new until it is asked for', async () => {
    const names = await rowNames()
    await makeTopic('Dinghies')
    await page.find(button('1 new'))
    await makeTopic('Eddies')
    await page.find(button('2 new'))
    assert.deepEqual(await rowNames(), names)
    await page.waitFor(() => page.evaluate(() => document.querySelector('.total')?.textContent === '5'), 'the number of all topics')
    await page.waitFor(() => page.evaluate(() => document.getAnimations().length === 0), 'the glow to end')
    await expectAccessible(page)
    await page.click(button('2 new'))
    await page.find(row(/Eddies/))
    await page.find(row(/Dinghies/))
    await page.gone(button(/new$/))
  })

  it('counts as new only what the list would show', async () => {
    await page.open('/#/topics?q=lagoon')
    await page.find(button('Clear all'))
    await page.reads(/No results/)
    await makeTopic('Ferries')
    await makeTopic('Lagoons')
    await page.click(button('1 new'))
    await page.find(row(/Lagoons/))
    assert.deepEqual(await rowNames(), ['Lagoons'])
  })

  /** Tells a deletion as another tab does that has the stream, and waits until the page has asked whether the document is there. */
  async function tellDeleted(model: string, id: string): Promise<void> {
    await page.evaluate(
      async (name, of, deleted, token) => {
        const response = await fetch('/api/v1/changes?since=now', { headers: { Authorization: `Bearer ${token}` } })
        const { next } = ((await response.json()) as { data: { next: string } }).data
        new BroadcastChannel(name).postMessage({ next, change: { model: of, id: deleted } })
      },
      `dateline.changes.${cast.admin.id}`,
      model,
      id,
      cast.admin.token,
    )
    const isAsked = async (): Promise<boolean> =>
      (await page.requests()).some(({ url, isOver }) => isOver && decodeURIComponent(url).includes(`"id":{"$in":["${id}"]}`))
    await page.waitFor(isAsked, 'the question whether it is there')
  }

  // The row went once more, and was not chosen any more, where the stream told of the deletion behind its undo.
  it('keeps what was brought back where its deletion is told late, and takes it out when it is deleted then', async () => {
    const id = await idOf('Anchors')
    const anchors = { role: 'checkbox', name: 'Select Anchors' } as const
    await page.open('/#/topics')
    await page.click(anchors)
    await page.click({ ...button('Delete'), within: await page.find({ role: 'group', name: 'Selection' }) })
    await page.click(button('Undo'))
    await page.click(anchors)
    await page.reads(/1 selected/)
    await tellDeleted('topic', id)
    await page.find(row(/Anchors/))
    await page.reads(/1 selected/)
    await service.data('DELETE', `/${id}`, { model: 'topic' }, ask)
    await page.gone(row(/Anchors/))
    await page.reads(/^(?!.*selected)/s, { role: 'main' })
    const restored = await service.data('POST', `/${id}/restore`, { model: 'topic' }, ask)
    assert.equal(restored.status, 200, restored.text)
    await page.find(row(/Anchors/))
    await page.expectNoProblems()
  })

  it('tells all tabs of a browser by one stream, which another tab takes over', async () => {
    const tab = await page.newTab()
    await tab.open('/robots.txt')
    await tab.evaluate((token) => sessionStorage.setItem('dateline.token', token), cast.admin.token)
    await tab.open('/#/topics')
    await tab.find(row(/Bells/))
    const locks = (): Promise<readonly unknown[]> =>
      tab.evaluate(async () => {
        const { held = [], pending = [] } = await navigator.locks.query()
        return [held.length, pending.length]
      })
    await tab.waitFor(async () => (await locks()).join() === '1,1', 'the tab to wait for the stream')
    await patchTopic(await idOf('Bells'), { name: 'Beacons' })
    await tab.find(row(/Beacons/))
    await page.open('/robots.txt')
    await tab.waitFor(async () => (await locks()).join() === '1,0', 'the other tab to take over')
    await patchTopic(await idOf('Beacons'), { name: 'Bollards' })
    await tab.find(row(/Bollards/))
    await tab.close()
    // The stream of that tab is not one of those that are waited for below.
    await page.expectNoProblems()
  })

  it('tells who has changed the document that is open, and shows it when the reader wants to', async () => {
    const id = await idOf('Compasses')
    await page.open(`/#/topics/${id}`)
    await page.find({ role: 'heading', name: 'Compasses' })
    await page.waitFor(() => isFollowed(page), 'the stream')
    await patchTopic(id, { description: 'Of brass' })
    await page.reads(new RegExp(`Changed just now by ${EMAIL}`), { role: 'main' })
    await expectAccessible(page)
    await page.click(button('Review'))
    await page.waitFor(async () => (await page.find({ role: 'textbox', name: 'Description' })).value === 'Of brass', 'the new text')
    await page.gone(button('Review'))
    await page.reads(/Showing the latest version/)
  })

  it('keeps what is typed, and lets the reader choose field by field', async () => {
    const id = await idOf('Compasses')
    await page.fill({ role: 'textbox', name: 'Name' }, 'Compasses and charts')
    await patchTopic(id, { description: 'Of brass and glass' })
    await page.click(button('Review'))
    await page.find({ role: 'dialog', name: 'Someone else saved changes too' })
    await page.click(button('Save merged version'))
    await page.waitFor(
      async () => (await page.find({ role: 'textbox', name: 'Description' })).value === 'Of brass and glass',
      'the text of the other',
    )
    assert.equal((await page.find({ role: 'textbox', name: 'Name' })).value, 'Compasses and charts')
    await page.reads(/Saved/)
    await page.gone(button('Review'))
    const stored = async (): Promise<unknown> => (await service.data('GET', `/${id}`, { model: 'topic' }, ask)).at('data.name')
    await page.waitFor(async () => (await stored()) === 'Compasses and charts', 'the name to be saved')
  })

  it('tells that the open document was deleted', async () => {
    const id = await idOf('Compasses and charts')
    await service.data('DELETE', `/${id}`, { model: 'topic' }, { token: cast.admin.token })
    await page.reads(/Deleted just now by you/, { role: 'main' })
  })

  it('keeps the list of users as it is now, for administrators', async () => {
    await page.open('/#/users')
    await page.find({ role: 'link', name: EMAIL })
    await page.loaded()
    const invited = await service.data('POST', '', { model: 'user' }, { ...ask, body: { email: 'newcomer@example.org' } })
    const [id, stored] = [String(invited.at('data.id')), invited.at('data') as object]
    await service.guest()
    await page.find(button('1 new'))
    await page.click(button('1 new'))
    await page.find(row(/newcomer/))
    const body = { ...stored, dashboardRole: 'publisher' }
    assert.equal((await service.data('PUT', `/${id}`, { model: 'user' }, { token: cast.admin.token, body })).status, 200)
    await page.find(row(/newcomer.*Publisher/))
    assert.deepEqual(await page.findAll(button(/new$/)), [], 'guests are not told')
    await page.expectNoProblems()
  })
})
