/** What other people change is shown as it happens, and nothing that the reader looks at or types is taken away by it. */
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
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

  it('collects what is new until it is asked for, with at most two requests for each change', async () => {
    const names = await rowNames()
    await page.loaded()
    const before = (await page.requests()).length
    await makeTopic('Dinghies')
    await page.find(button('1 new'))
    await makeTopic('Eddies')
    await page.find(button('2 new'))
    assert.deepEqual(await rowNames(), names)
    await page.waitFor(() => page.evaluate(() => document.querySelector('.total')?.textContent === '5'), 'the number of all topics')
    await page.loaded()
    const asked = (await page.requests()).slice(before).map(({ url }) => url)
    assert.ok(asked.length <= 2 * 2, asked.join())
    await page.click(button('2 new'))
    await page.find(row(/Eddies/))
    await page.find(row(/Dinghies/))
    await page.gone(button(/new$/))
  })

  // Changes did not tell of incomplete drafts: a list had to be opened again to see them.
  it('shows drafts that lack something while they are written', async () => {
    const draft = { model: 'topic', incomplete: 'true' } as const
    const made = await service.data('POST', '', { model: 'topic' }, { ...ask, body: { status: 'draft', name: 'Estuaries' }, isUndescribed: true })
    await page.click(button('1 new'))
    await page.find(row(/Estuaries/))
    const body = { status: 'draft', name: 'Estuaries and fjords' }
    assert.equal((await service.data('PUT', `/${String(made.at('data.id'))}`, draft, { ...ask, body, isUndescribed: true })).status, 200)
    await page.find(row(/Estuaries and fjords/))
    await service.data('DELETE', `/${String(made.at('data.id'))}`, draft, ask)
    await page.gone(row(/Estuaries and fjords/))
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
    await page.click(button('Review'))
    await page.waitFor(async () => (await page.find({ role: 'textbox', name: 'Description' })).value === 'Of brass', 'the new text')
    await page.gone(button('Review'))
    await page.reads(/Showing the latest version/)
  })
})
