/**
 * Pictures of other hosts: shown where the service allows it and the reader wants it, and told where they cannot be.
 *
 * Attack: a publisher stores the address of a picture that is to tell a host who looks at it, to use the reader's sign-in there, to
 * run a script, to ask for a password, or to use up the memory of the reader's browser.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { browserMissing, type Page } from '../support/browser/browser.ts'
import { startDashboard, type Dashboard } from '../support/browser/dashboard.ts'
import { startPictureHost } from '../support/browser/picture-host.ts'
import { textServers } from '../support/browser/text-server.ts'

const hooks = { after: (hook?: unknown) => after(hook as () => unknown) }
const foreign = textServers(hooks)
const dashboard = await startDashboard()
const { service } = dashboard
const off = await startDashboard({ dashboardImages: 'off' })
const on = await startDashboard({ dashboardImages: 'on' })
const host = await startPictureHost(hooks, `${service.url}/api/v1/auth/me`)

const SHOW = { role: 'button', name: 'Show picture' } as const
const ALWAYS = { role: 'button', name: 'Always show pictures' } as const
const IMAGE = { role: 'textbox', name: 'Image' } as const
/** What the host of pictures is asked for is another host's business. */
const FOREIGN = [{ kind: 'foreign host' }] as const

/** Headlines with these pictures; gives their ids. */
async function storeHeadlines({ store }: Dashboard, pictures: readonly string[]): Promise<readonly string[]> {
  const ids: string[] = []
  for (const [i, imageUrl] of pictures.entries()) ids.push(await store('headline', { title: `Story ${i}`, imageUrl }))
  return ids
}

async function openTrusting(on: Dashboard, hash: string): Promise<Page> {
  const page = await on.openAs(on.cast.publisher)
  await page.devTools('Security.setIgnoreCertificateErrors', { ignore: true })
  await page.open(`/${hash}`)
  await page.loaded()
  return page
}

/** The pictures of the page: address, whether it is drawn, and how it is asked for. */
function pictures(page: Page): Promise<readonly { readonly src: string; readonly isShown: boolean; readonly how: string }[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll('img')].map((one) => ({
      src: one.src,
      isShown: one.complete && one.naturalWidth > 0 && getComputedStyle(one).visibility === 'visible',
      how: ['referrerpolicy', 'decoding', 'loading', 'crossorigin'].map((name) => one.getAttribute(name)).join(' '),
    })),
  )
}

const isShown = (page: Page, count: number): Promise<unknown> =>
  page.waitFor(async () => (await pictures(page)).filter(({ isShown: shown }) => shown).length === count, `${count} pictures`)

describe('pictures', { skip: browserMissing() }, () => {
  let ids: readonly string[]
  let page: Page
  before(async () => {
    ids = await storeHeadlines(dashboard, [`${host.url}/good.png?0`, `${host.url}/good.png?1`, `${host.url}/missing.png`])
    page = await openTrusting(dashboard, '#/headlines')
  })

  it('are not asked for until the reader wants them', async () => {
    await page.find({ role: 'link', name: 'Story 0' })
    await page.open(`/#/headlines/${ids[0]}`)
    await page.find(SHOW)
    assert.deepEqual(await pictures(page), [])
    assert.deepEqual(host.asked, [])
    await page.expectNoProblems()
  })

  it('come one by one, keep what is typed, and tell the host nothing of the reader', async () => {
    const tab = await page.newTab()
    await tab.devTools('Security.setIgnoreCertificateErrors', { ignore: true })
    await tab.open(`${host.url}/cookie`)
    // The browser would send this cookie with a picture in any other page.
    const other = await foreign.serve({ '/': `<!doctype html><img src="${host.url}/good.png?other">` })
    await tab.open(other)
    await page.waitFor(() => host.asked.some(({ path }) => path === '/good.png?other'), 'the picture of the other page')
    assert.equal(host.asked.find(({ path }) => path === '/good.png?other')?.headers.cookie, 'reader=known')
    await tab.close()
    await page.fill({ role: 'textbox', name: 'Title' }, 'Typed before')
    await page.click(SHOW)
    await isShown(page, 1)
    assert.equal((await page.find({ role: 'textbox', name: 'Title' })).value, 'Typed before')
    assert.deepEqual((await pictures(page)).map(({ how }) => how), ['no-referrer async eager '])
    const { headers } = host.asked.find(({ path }) => path === '/good.png?0') ?? {}
    assert.deepEqual([headers?.cookie, headers?.referer, headers?.origin, headers?.authorization], [undefined, undefined, undefined, undefined])
    assert.equal(headers?.['sec-fetch-mode'], 'no-cors')
    // Another host is asked about again: another user may have written it.
    await page.fill(IMAGE, 'https://pictures.example/a.png')
    await page.find(SHOW)
    assert.deepEqual(await pictures(page), [])
    await page.fill(IMAGE, `${host.url}/good.png?0`)
    await isShown(page, 1)
    await page.fill({ role: 'textbox', name: 'Title' }, 'Story 0')
    // Only this one was asked for.
    await page.open(`/#/headlines/${ids[1]}`)
    await page.find(SHOW)
    assert.deepEqual(await pictures(page), [])
    await page.expectNoProblems([...FOREIGN, { url: '/favicon.ico' }])
  })

  it('come always where the reader says so, also in lists, until that is taken back', async () => {
    await page.click(ALWAYS)
    await isShown(page, 1)
    await page.open('/#/headlines')
    await isShown(page, 2)
    for (const { how } of await pictures(page)) assert.equal(how, 'no-referrer async lazy ')
    await page.reload()
    await isShown(page, 2)
    const toggle = { role: 'button', name: 'Pictures' } as const
    assert.equal((await page.find(toggle)).states['pressed'], 'true')
    await page.click(toggle)
    assert.deepEqual(await pictures(page), [])
    await page.reload()
    await page.find({ role: 'link', name: 'Story 0' })
    assert.deepEqual(await pictures(page), [])
    await page.expectNoProblems([...FOREIGN, { status: 404, url: host.url }])
  })

  it('that cannot be shown are told before the headline is published', async () => {
    await page.open(`/#/headlines/${ids[2]}`)
    await page.click(SHOW)
    await page.reads(/The picture cannot be loaded/)
    for (const [address, wanted] of [
      [`${host.url}/page`, /The picture cannot be loaded/],
      [`${host.url}/redirect`, /The picture cannot be loaded/],
      [`${host.url}/password`, /The picture cannot be loaded/],
      [`${host.url}/huge.png`, /The picture is too large/],
      ['http://pictures.example/a.png', /Only pictures with an https address/],
      ['https://name:password@localhost/a.png', /Only pictures with an https address/],
      ['javascript:window.hacked=1', /No image/],
      ['data:image/svg+xml,<svg onload="window.hacked=1"/>', /No image/],
      ['blob:https://localhost/1', /No image/],
      ['//localhost/a.png', /No image/],
      ['https://', /No image/],
    ] as const) {
      await page.fill(IMAGE, address)
      await page.reads(wanted)
      for (const { src } of await pictures(page)) assert.match(src, /^(?:https:\/\/localhost:|$)/, address)
    }
    await page.fill(IMAGE, `${host.url}/script.svg`)
    await isShown(page, 1)
    assert.doesNotMatch(await page.text(), /The picture cannot/)
    assert.equal(await page.evaluate(() => 'hacked' in window), false)
    const asOwn = (await page.requests()).filter(({ url, type }) => url.endsWith('/auth/me') && type === 'Image')
    for (const { headers } of asOwn) assert.equal(headers['Authorization'], undefined)
    await page.expectNoProblems([...FOREIGN, { url: host.url }, { url: service.url }, { kind: 'content security policy' }, { text: host.url }])
  })

  for (const [set, dashboardImages, count] of [[off, 'off', 0], [on, 'on', 1]] as const) {
    it(`--dashboard-images ${dashboardImages} shows ${count === 0 ? 'none, and offers none' : 'them to all'}`, async () => {
      const [id] = await storeHeadlines(set, [`${host.url}/good.png?${dashboardImages}`])
      const own = await openTrusting(set, '#/headlines')
      await own.find({ role: 'link', name: 'Story 0' })
      await isShown(own, count)
      assert.deepEqual(await own.findAll({ role: 'button', name: 'Pictures' }), [])
      await own.open(`/#/headlines/${id}`)
      await own.loaded()
      await isShown(own, count)
      assert.deepEqual(await own.findAll(SHOW), [])
      assert.equal(host.asked.some(({ path }) => path.endsWith(dashboardImages)), count > 0)
      await own.expectNoProblems(FOREIGN)
      // Languages have none, and no letters in the place of one.
      const chief = await set.openAs(set.cast.admin, '#/languages?q=Icelandic')
      await chief.find({ role: 'link', name: 'Icelandic' })
      assert.equal(await chief.evaluate(() => document.querySelectorAll('.table-body .thumb').length), 0)
      // What gets past the page is held back by its policy.
      const how = await own.evaluate(
        (src) =>
          new Promise<string>((resolve) => {
            const image = new Image()
            image.onload = () => resolve('shown')
            image.onerror = () => resolve('refused')
            image.src = src
          }),
        `${host.url}/good.png?past`,
      )
      assert.equal(how, count === 0 ? 'refused' : 'shown')
      await own.problems()
    })
  }
})
