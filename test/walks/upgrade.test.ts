/** A service that is upgraded while its page is open: it has another script by then, and its texts have other names. */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { buildDashboard } from '../../scripts/build-dashboard.ts'
import type { PageAsset } from '../../src/app/page-routes.ts'
import { browserMissing, testBrowser, type Page } from '../support/browser/browser.ts'
import { startSuiteService } from '../support/service/suite-service.ts'

const HASHED = /(?<=assets\/[\w-]+-|"\.\/[\w-]+-)[A-Z0-9]{8}(?=\.(?:js|css|svg))/g

/** The same files under the names of another version. */
function nextVersion(assets: readonly PageAsset[]): readonly PageAsset[] {
  const renamed = (text: string): string => text.replace(HASHED, (hash) => [...hash].toReversed().join(''))
  return assets.map((asset) => ({
    ...asset,
    path: renamed(asset.path),
    body: Buffer.from(renamed(Buffer.from(asset.body).toString())),
    brotli: undefined,
    gzip: undefined,
  }))
}

describe('a page whose service is upgraded', { skip: browserMissing() }, () => {
  const browser = testBrowser({ after })

  it('reloads when the reader goes on, keeps what is typed until then, and does not reload for nothing', async () => {
    const { assets } = await buildDashboard()
    const first = await startSuiteService({}, { pageAssets: assets, start: Date.now() })
    const { token } = await first.admin()
    const page = await browser.open(first.url)
    await page.open('/robots.txt')
    await page.evaluate((kept) => sessionStorage.setItem('dateline.token', kept), token)
    const mark = (): Promise<void> => page.evaluate(() => void (document.body.dataset['before'] = 'yes'))
    const isMarked = (): Promise<boolean> => page.evaluate(() => document.body.dataset['before'] === 'yes')
    const reloaded = (): Promise<unknown> => page.waitFor(async () => !(await isMarked()), 'the page to be loaded again')
    const streams = async (): Promise<number> =>
      (await page.requests()).filter(({ url, status }) => url.includes('/changes/stream') && status === 200).length
    const looks = async (): Promise<number> =>
      (await page.requests()).filter(({ url, type, status }) => url === `${first.url}/` && type === 'Fetch' && status === 200).length
    const { directory } = first
    const port = new URL(first.url).port
    let service = first
    /** Resolves when the page has its stream again, and has looked whether the service is another version. */
    const restart = async (pageAssets: readonly PageAsset[]): Promise<void> => {
      await page.waitFor(async () => (await streams()) > 0, 'the stream of changes')
      const before = await looks()
      await service.stop()
      service = await startSuiteService({ port }, { directory, pageAssets, start: Date.now() })
      assert.equal(service.url, first.url)
      await page.waitFor(async () => (await looks()) > before, 'the page to look at the service')
    }
    await page.open('/#/topics/new')
    await page.fill({ role: 'textbox', name: 'Name' }, 'Tidal power')
    await mark()
    const before = await scriptOf(page)

    await restart(nextVersion(assets))
    // Leaving what is not saved is asked as ever, and what is typed stays with the reader who does not leave.
    await page.click({ role: 'link', name: 'Operations' })
    await page.click({ role: 'button', name: 'Close' })
    assert.equal((await page.find({ role: 'textbox', name: 'Name' })).value, 'Tidal power')
    assert.ok(await isMarked())
    await page.click({ role: 'link', name: 'Operations' })
    await page.click({ role: 'button', name: 'Leave' })
    await reloaded()
    await page.find({ role: 'heading', name: 'Operations' })
    assert.notEqual(await scriptOf(page), before)

    // A restart of the same version is no reason to load the page again.
    await mark()
    await restart(nextVersion(assets))
    await page.click({ role: 'link', name: 'Users' })
    await page.find({ role: 'heading', name: 'Users' })
    assert.ok(await isMarked())

    // The texts of another language have another name by now: the page that is loaded again has them.
    await restart(assets)
    await page.select({ role: 'combobox', name: 'Language' }, 'Deutsch')
    await reloaded()
    await page.find({ role: 'heading', name: 'Benutzer' })
    assert.equal(await scriptOf(page), before)
  })

  it('tells that the texts of a language cannot be fetched, and stays as it is', async () => {
    const { assets } = await buildDashboard()
    const service = await startSuiteService({}, { pageAssets: assets.filter(({ path }) => !path.includes('/de-')), start: Date.now() })
    const { token } = await service.admin()
    const page = await browser.open(service.url)
    await page.open('/robots.txt')
    await page.evaluate((kept) => sessionStorage.setItem('dateline.token', kept), token)
    await page.open('/#/topics')
    await page.select({ role: 'combobox', name: 'Language' }, 'Deutsch')
    await page.reads(/The server is not responding/)
    await page.find({ role: 'heading', name: 'Topics' })
    assert.equal((await page.find({ role: 'combobox', name: 'Language' })).value, 'English')
  })

  it('tells that the second script cannot be fetched, and shows the screen once it can', async () => {
    const { assets } = await buildDashboard()
    const start = Date.now()
    const first = await startSuiteService({}, { pageAssets: assets.filter(({ path }) => !path.includes('/second-script-')), start })
    const { token } = await first.admin()
    const page = await browser.open(first.url)
    await page.open('/robots.txt')
    await page.evaluate((kept) => sessionStorage.setItem('dateline.token', kept), token)
    await page.open('/#/users')
    const again = { role: 'button', name: 'Try again' } as const
    await page.find(again)
    await page.reads(/The server is not responding/)
    await first.stop()
    await startSuiteService({ port: new URL(first.url).port }, { directory: first.directory, pageAssets: assets, start })
    await page.click(again)
    await page.find({ role: 'heading', name: 'Users' })
  })
})

function scriptOf(page: Page): Promise<string> {
  return page.evaluate(() => document.querySelector<HTMLScriptElement>('script[type=module]')?.src ?? '')
}
